//! `lab adders`: the sum of a file's bytes by programs of their own, on threads and on ranks; the
//! figures, and the goals.

use std::env;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, Subcommand};

use crate::adders::{
    Adder, Came, Cell, Entry, Manner, Plan, Workshop, beaten_section, goal_cells, goals_section,
    measure, page, read, tables, verdicts,
};
use crate::cells::another_build;
use crate::cli::seconds;
use crate::experiment::Failure;
use crate::file::{locked, put_aside, save_list};
use crate::machine::Machine;
use crate::page::save_all;
use crate::progress::Progress;
use crate::report::{Report, Section};
use crate::table::Table;

/// The numbers of ranks of the full experiment.
const KERNELS: [usize; 9] = [1, 2, 4, 6, 8, 10, 12, 14, 16];
/// Bytes per kernel where that is constant.
const WEAK: u64 = 1 << 25;

/// What `lab adders` takes.
#[derive(Args, Debug)]
pub(crate) struct AddersArgs {
    #[command(subcommand)]
    what: What,
}

/// What is measured.
#[derive(Subcommand, Debug)]
enum What {
    /// One size on one number of kernels
    Single {
        /// Ranks, or threads
        #[arg(long, value_parser = crate::cli::threads, value_name = "K")]
        kernel_count: usize,
        /// Bytes
        #[arg(long, value_name = "N")]
        input_size: u64,
        #[command(flatten)]
        how: How,
    },
    /// 2^20 to 2^29 bytes on 1 to 16 kernels, sixteen rounds; takes hours
    Full {
        /// Small sizes, few kernels, two rounds: only to see that it works
        #[arg(long)]
        quick: bool,
        #[command(flatten)]
        how: How,
    },
    /// What the goals are about
    Goals {
        #[command(flatten)]
        how: How,
    },
}

#[derive(Args, Debug)]
struct How {
    /// Visits to each cell
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..), value_name = "N")]
    rounds: Option<u32>,
    /// Passes of a visit after the first [default: as many as read 2^31 bytes, 5 to 200]
    #[arg(long, value_name = "N")]
    warm: Option<usize>,
    /// Who takes part [default: all that are there]
    #[arg(long, value_delimiter = ',', value_enum, value_name = "WHO,..")]
    adders: Vec<Adder>,
    /// After how many seconds a visit has failed
    #[arg(long, default_value = "120", value_parser = seconds, value_name = "S")]
    timeout: Duration,
    /// Of the random bytes
    #[arg(long, default_value_t = 2026, value_name = "N")]
    seed: u64,
    /// Where the programs are [default: adders in the target folder]
    #[arg(long, value_name = "DIR")]
    programs: Option<PathBuf>,
    /// Where bench_result.json and the figures go, gone on with if they are there [default:
    /// results/adders; with --quick target/lab/adders, made anew]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Put a bench_result.json aside that is there, and begin anew
    #[arg(long)]
    restart: bool,
    /// One JSON document instead of tables
    #[arg(long)]
    json: bool,
}

impl AddersArgs {
    fn how(&self) -> &How {
        match &self.what {
            What::Single { how, .. } | What::Full { how, .. } | What::Goals { how } => how,
        }
    }

    /// Whether JSON is printed.
    pub(crate) fn json(&self) -> bool {
        self.how().json
    }

    /// Whether what is there is of a quick run before, for nothing but to see that it works.
    fn is_made_anew(&self) -> bool {
        matches!(self.what, What::Full { quick: true, .. }) && self.how().out.is_none()
    }

    fn out(&self) -> PathBuf {
        let usual = match self.is_made_anew() {
            true => "target/lab/adders",
            false => "results/adders",
        };
        self.how().out.clone().unwrap_or_else(|| usual.into())
    }

    /// The cells, and how often each is visited unless it is said.
    fn cells(&self) -> (Vec<Cell>, usize) {
        let grid = |sizes: &[u64], kernels: &[usize]| {
            let cells = sizes.iter().flat_map(|&input_size| {
                kernels.iter().map(move |&kernel_count| Cell {
                    input_size,
                    kernel_count,
                })
            });
            cells.collect::<Vec<_>>()
        };
        match self.what {
            What::Single {
                kernel_count,
                input_size,
                ..
            } => (grid(&[input_size], &[kernel_count]), 5),
            What::Full { quick: true, .. } => (grid(&[1 << 18, 1 << 19, 1 << 20], &[1, 2, 4]), 2),
            What::Full { quick: false, .. } => {
                let sizes: Vec<u64> = (20..30).map(|log| 1 << log).collect();
                let mut cells = grid(&sizes, &KERNELS);
                cells.extend(KERNELS.map(|kernel_count| Cell {
                    input_size: WEAK * kernel_count as u64,
                    kernel_count,
                }));
                cells.sort();
                cells.dedup();
                (cells, 16)
            }
            What::Goals { .. } => (goal_cells(), 5),
        }
    }
}

/// Measures.
pub(crate) fn run(args: &AddersArgs) -> Result<Report, Failure> {
    let how = args.how();
    let workshop = Workshop::new(how.programs.clone());
    let wanted = match &args.what {
        _ if !how.adders.is_empty() => how.adders.clone(),
        What::Goals { .. } => Adder::all(),
        What::Single { .. } | What::Full { .. } => Adder::usual(),
    };
    let (mut adders, mut missing) = (Vec::new(), Table::headed("missing|why, and what to do"));
    for adder in wanted {
        match workshop.lacks(adder) {
            None => adders.push(adder),
            Some(why) => missing.row([adder.to_string(), why]),
        }
    }
    let mut report = Report::default();
    if !missing.is_empty() {
        report.add("missing", missing, "");
    }
    if adders.is_empty() {
        return Err(Failure::Other(
            "no adder is there; run `adders/build.sh`".into(),
        ));
    }
    let (cells, rounds) = args.cells();
    let plan = Plan {
        adders,
        cells,
        rounds: how.rounds.map_or(rounds, |n| n as usize),
        manner: Manner {
            warm: how.warm,
            timeout: how.timeout,
        },
        folder: env::temp_dir(),
        seed: how.seed,
    };
    let out = args.out();
    let file = out.join("bench_result.json");
    let _lock = fs::create_dir_all(&out)
        .and_then(|()| File::open(&out))
        .and_then(locked)
        .map_err(|error| Failure::Other(format!("cannot write {}: {error}", out.display())))?;
    let before = match args.is_made_anew() {
        true => Vec::new(),
        false => held(&file, how.restart)?,
    };
    let progress = Progress::new(plan.rounds);
    let Came {
        mut entries,
        made,
        held,
        failed,
    } = measure(&plan, &workshop, &progress, before, |entries| {
        Ok(save_list(&file, entries)?)
    })?;
    drop(progress);
    draw(&out, &entries, &report.sections)?;
    if held > 0 {
        let file = file.display();
        eprintln!("lab: adders: {made} visits made, {held} were there already: {file}");
    }
    entries.retain(|entry| plan.cells.iter().any(|cell| entry.is_of(*cell)));
    report.sections.extend(tables(&entries));
    report.sections.extend(beaten_section(&entries));
    report.goals = verdicts(&entries);
    report.sections.extend(goals_section(&report.goals));
    // What was measured is shown all the same.
    report.failed =
        (failed > 0).then(|| format!("{failed} visits failed, see above and {}", file.display()));
    Ok(report)
}

/// The entries that are gone on with: those of this build on this machine, or none.
fn held(file: &Path, restart: bool) -> Result<Vec<Entry>, Failure> {
    if restart {
        if let Some(aside) = put_aside(file)? {
            eprintln!("lab: {} is now {}", file.display(), aside.display());
        }
    }
    if !file.exists() {
        return Ok(Vec::new());
    }
    let entries = read(file)?;
    let here = Machine::this();
    let differs = |entry: &Entry| match &entry.machine {
        Some(machine) => machine.difference(&here),
        None => Some("it does not say which".into()),
    };
    match entries.iter().find_map(differs) {
        Some(what) => Err(another_build(&file.display().to_string(), &what)),
        None => Ok(entries),
    }
}

/// Writes the page and its figures; what is missing comes first.
fn draw(out: &Path, entries: &[Entry], missing: &[Section]) -> Result<(), Failure> {
    let (text, figures) = page(entries, missing);
    save_all(out, &text, &figures).map_err(Failure::Other)
}

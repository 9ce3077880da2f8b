//! `lab adders`: the sum of a file's bytes by programs of their own, on threads and on ranks; the
//! figures, and the goals.

use std::env;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};

use crate::adders::{
    Adder, Cell, NAME, Visitor, Workshop, beaten_section, goal_cells, goals_section, pages, read,
    tables, verdicts,
};
use crate::cells::{self, Before, Log, Plan, Planned};
use crate::cli::seconds;
use crate::experiment::Failure;
use crate::report::Report;
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
    /// Visits to each cell
    #[arg(long, global = true, value_parser = clap::value_parser!(u32).range(1..), value_name = "N")]
    rounds: Option<u32>,
    /// Passes of a visit after the first [default: as many as read 2^31 bytes, 5 to 200]
    #[arg(long, global = true, value_name = "N")]
    warm: Option<usize>,
    /// Who takes part [default: all that are there]
    #[arg(
        long,
        global = true,
        value_delimiter = ',',
        value_enum,
        value_name = "WHO,.."
    )]
    adders: Vec<Adder>,
    /// After how many seconds a visit has failed
    #[arg(long, global = true, default_value = "120", value_parser = seconds, value_name = "S")]
    timeout: Duration,
    /// Of the random bytes; what is there already stays
    #[arg(long, global = true, default_value_t = 2026, value_name = "N")]
    seed: u64,
    /// Where the programs are [default: adders in the target folder]
    #[arg(long, global = true, value_name = "DIR")]
    programs: Option<PathBuf>,
    /// Where adders.jsonl and the figures go, gone on with if they are there [default:
    /// results/adders; with --quick target/lab/adders, made anew]
    #[arg(long, global = true, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Put a adders.jsonl aside that is there, and begin anew
    #[arg(long, global = true)]
    restart: bool,
    /// One JSON document instead of tables
    #[arg(long, global = true)]
    pub(crate) json: bool,
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
    },
    /// 2^20 to 2^29 bytes on 1 to 16 kernels, sixteen rounds; takes hours
    Full {
        /// Small sizes, few kernels, two rounds: only to see that it works
        #[arg(long, conflicts_with_all = ["kernel_counts", "sizes"])]
        quick: bool,
        /// Numbers of ranks, or threads [default: 1, and 2 to 16 by twos]
        #[arg(long, value_delimiter = ',', value_parser = crate::cli::threads, value_name = "K,..")]
        kernel_counts: Vec<usize>,
        /// Bytes, as powers of two: 20 is 2^20 [default: 20 to 29, and 2^25 for each kernel]
        #[arg(long, value_delimiter = ',', value_parser = clap::value_parser!(u32).range(10..=36), value_name = "LOG,..")]
        sizes: Vec<u32>,
    },
    /// What the goals are about
    Goals,
}

impl AddersArgs {
    /// Whether what is there is of a quick run before, for nothing but to see that it works.
    fn is_made_anew(&self) -> bool {
        matches!(self.what, What::Full { quick: true, .. }) && self.out.is_none()
    }

    fn out(&self) -> PathBuf {
        let usual = match self.is_made_anew() {
            true => "target/lab/adders",
            false => "results/adders",
        };
        self.out.clone().unwrap_or_else(|| usual.into())
    }

    /// The cells, and how often each is visited unless it is said.
    fn cells(&self) -> (Vec<Cell>, u32) {
        let grid = |sizes: &[u64], kernels: &[usize]| {
            let cells = sizes.iter().flat_map(|&input_size| {
                kernels.iter().map(move |&kernel_count| Cell {
                    input_size,
                    kernel_count,
                })
            });
            cells.collect::<Vec<_>>()
        };
        match &self.what {
            What::Single {
                kernel_count,
                input_size,
            } => (grid(&[*input_size], &[*kernel_count]), 5),
            What::Full { quick: true, .. } => (grid(&[1 << 18, 1 << 19, 1 << 20], &[1, 2, 4]), 2),
            What::Full {
                kernel_counts,
                sizes,
                ..
            } => {
                let kernels = match kernel_counts.as_slice() {
                    [] => &KERNELS,
                    kernels => kernels,
                };
                let logs = match sizes.is_empty() {
                    true => (20..30).collect(),
                    false => sizes.clone(),
                };
                let logs: Vec<u64> = logs.into_iter().map(|log| 1 << log).collect();
                let mut cells = grid(&logs, kernels);
                let weak = kernels.iter().filter(|_| sizes.is_empty());
                cells.extend(weak.map(|&kernel_count| Cell {
                    input_size: WEAK * kernel_count as u64,
                    kernel_count,
                }));
                cells.sort();
                cells.dedup();
                (cells, 16)
            }
            What::Goals => (goal_cells(), 5),
        }
    }
}

/// What all passes of a visit together read, about.
const BYTES_PER_VISIT: u64 = 1 << 31;

impl AddersArgs {
    /// The visits. Cells of a size are a group, so that its file is made once in a round.
    fn plan(&self, adders: &[Adder]) -> Plan {
        let (cells, rounds) = self.cells();
        // Short passes need more of them: where ranks outnumber processors, for instance, it takes
        // a while until the system has distributed them.
        let warm = |size: u64| match self.warm {
            Some(passes) => passes as u32,
            None => (BYTES_PER_VISIT / size.max(1)).clamp(5, 200) as u32,
        };
        let planned = |cell: Cell, adder: Adder| Planned {
            cell: cell.of(adder),
            rounds: self.rounds.unwrap_or(rounds),
            samples: warm(cell.input_size),
            visit: self.timeout,
            warm_up: Duration::ZERO,
            timeout: self.timeout,
        };
        let alike = cells.chunk_by(|a, b| a.input_size == b.input_size);
        let group = |cells: &[Cell]| {
            let of_cell = |&cell| adders.iter().map(move |&adder| planned(cell, adder));
            cells.iter().flat_map(of_cell).collect()
        };
        Plan {
            groups: alike.map(group).collect(),
            remarks: Vec::new(),
        }
    }
}

/// Measures.
pub(crate) fn run(args: &AddersArgs) -> Result<Report, Failure> {
    let workshop = Workshop::new(args.programs.clone());
    let wanted = match &args.what {
        _ if !args.adders.is_empty() => args.adders.clone(),
        What::Goals => Adder::all(),
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
    let plan = args.plan(&adders);
    let out = args.out();
    let file = out.join("adders.jsonl");
    let before = Before::of(args.is_made_anew(), args.restart);
    let mut visitor = Visitor {
        workshop,
        folder: env::temp_dir(),
        seed: args.seed,
        input: None,
    };
    let summary = {
        let mut log = Log::open(&file, before)?;
        cells::run(NAME, &plan, &mut log, |planned, round| {
            visitor.visit(planned, round)
        })?
    };
    eprintln!("lab: {}", summary.sentence(NAME, &file));
    let mut measured = read(&file)?;
    pages(&measured, &report.sections).save(&out)?;
    let (asked, _) = args.cells();
    measured
        .cells
        .retain(|cell, _| asked.contains(&Cell::at(cell)));
    report.sections.extend(tables(&measured));
    report.sections.extend(beaten_section(&measured));
    report.goals = verdicts(&measured);
    report.sections.extend(goals_section(&report.goals));
    // What was measured is shown all the same.
    let failed = summary.failed.len();
    report.failed =
        (failed > 0).then(|| format!("{failed} visits failed, see above and {}", file.display()));
    Ok(report)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(clap::Parser)]
    struct Parsed {
        #[command(flatten)]
        args: AddersArgs,
    }

    fn asked(words: &str) -> Vec<(u64, usize)> {
        let words = ["lab"].into_iter().chain(words.split_whitespace());
        let Parsed { args } = clap::Parser::try_parse_from(words).expect("good arguments");
        let cells = args.cells().0.into_iter();
        cells
            .map(|cell| (cell.input_size, cell.kernel_count))
            .collect()
    }

    #[test]
    fn sizes_and_kernels_are_those_asked_for() {
        let few = asked("full --kernel-counts 2,64 --sizes 20,22");
        assert_eq!(
            few,
            [(1 << 20, 2), (1 << 20, 64), (1 << 22, 2), (1 << 22, 64)]
        );
        // Each has its size where the bytes per kernel are constant; 2^26 is there in any case.
        let weak = asked("full --kernel-counts 2,64");
        assert_eq!(weak.len(), 2 * 10 + 1);
        assert!(weak.contains(&(64 << 25, 64)) && weak.contains(&(1 << 29, 2)));
        assert_eq!(asked("full").len(), 10 * 9 + 9 - 5);
    }
}

//! `lab adders`: the sum of a file's bytes by programs of their own, on threads and on ranks; the
//! figures.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};

use crate::adders::{ADDERS, At, NAME, Visitor, Workshop, at, tables};
use crate::cells::{self, Before, Block, Document, Log, Plan, Threads};
use crate::cli::seconds;
use crate::experiment::Failure;
use crate::page::load_one;
use crate::report::Report;

/// What `full` measures, and the others a part of.
const EXPERIMENT: &str = include_str!("../../../../experiments/adders.toml");
/// A few cells: bytes, as powers of two, on so many kernels.
const FEW: [(u32, &[usize]); 3] = [(20, &[2]), (24, &[2, 16]), (29, &[1, 2])];

/// What `lab adders` takes.
#[derive(Args, Debug)]
pub(crate) struct AddersArgs {
    #[command(subcommand)]
    what: What,
    /// Visits to each cell
    #[arg(long, global = true, value_parser = clap::value_parser!(u32).range(1..), value_name = "N")]
    rounds: Option<u32>,
    /// Passes of a visit after the first, at most; five or more end when they have read 2^31 bytes
    /// [default: 200]
    #[arg(long, global = true, value_name = "N")]
    warm: Option<u32>,
    /// Who takes part [default: all that are there]
    #[arg(long, global = true, value_delimiter = ',', value_name = "WHO,..",
          value_parser = PossibleValuesParser::new(ADDERS.map(|adder| adder.name)))]
    adders: Vec<String>,
    /// After how many seconds a visit has failed [default: 120]
    #[arg(long, global = true, value_parser = seconds, value_name = "S")]
    timeout: Option<Duration>,
    /// Where the programs are [default: adders in the target folder]
    #[arg(long, global = true, value_name = "DIR")]
    programs: Option<PathBuf>,
    /// The folder of adders.jsonl, which is gone on with if it is there [default:
    /// target/lab; with --quick target/lab/adders.quick.jsonl, made anew]
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
    /// Five cells, with all adders
    Few,
}

impl AddersArgs {
    /// The experiment: that of `experiments/adders.toml`, or a part of it.
    fn document(&self) -> Document {
        let mut document: Document = toml::from_str(EXPERIMENT).expect("it is an experiment");
        let blocks = &mut document.cells;
        let kernels =
            |all: &[usize]| Some(all.iter().map(|&k| Threads::Number(k as i64)).collect());
        let part = |size, threads: &[usize]| Block {
            sizes: Some(vec![size]),
            threads: kernels(threads),
            rounds: Some(5),
            ..blocks[0].clone()
        };
        match &self.what {
            What::Single {
                kernel_count,
                input_size,
            } => *blocks = vec![part(*input_size, &[*kernel_count])],
            What::Few => {
                *blocks = FEW.map(|(log, kernels)| part(1 << log, kernels)).into();
                let all = ADDERS.map(|adder| adder.name.into()).to_vec();
                blocks
                    .iter_mut()
                    .for_each(|block| block.contenders = Some(all.clone()));
            }
            What::Full {
                kernel_counts,
                sizes,
                ..
            } => {
                let sizes: Vec<u64> = sizes.iter().map(|log| 1 << log).collect();
                for block in blocks.iter_mut() {
                    if !kernel_counts.is_empty() {
                        block.threads = kernels(kernel_counts);
                    }
                    if !sizes.is_empty() {
                        block.sizes = Some(sizes.clone());
                    }
                }
            }
        }
        let timeout = self.timeout.map(|timeout| timeout.as_secs_f64());
        for block in blocks {
            if !self.adders.is_empty() {
                block.contenders = Some(self.adders.clone());
            }
            block.samples = self.warm.or(block.samples);
            block.timeout_seconds = timeout.or(block.timeout_seconds);
        }
        document
    }

    fn plan(&self) -> Result<Plan, Failure> {
        Plan::of(&self.document(), self.is_quick(), self.rounds).map_err(Failure::Usage)
    }

    fn is_quick(&self) -> bool {
        matches!(self.what, What::Full { quick: true, .. })
    }
}

/// Measures.
pub(crate) fn run(args: &AddersArgs) -> Result<Report, Failure> {
    let mut plan = args.plan()?;
    let planned = plan.groups.iter().flatten();
    let asked: BTreeSet<At> = planned.map(|planned| at(&planned.cell)).collect();
    let workshop = Workshop::new(args.programs.clone());
    for (adder, why) in workshop.leave_out(&mut plan) {
        eprintln!("lab: without {adder}: {why}");
    }
    if plan.cells() == 0 {
        return Err(Failure::Other(
            "no adder is there; run `adders/build.sh`".into(),
        ));
    }
    // A quick run goes on with nothing: it is to see that it works.
    let is_made_anew = args.is_quick() && args.out.is_none();
    let name = if is_made_anew {
        "adders.quick.jsonl"
    } else {
        "adders.jsonl"
    };
    let folder = args.out.clone().unwrap_or("target/lab".into());
    let (file, before) = (folder.join(name), Before::of(is_made_anew, args.restart));
    let mut visitor = Visitor::new(workshop);
    let summary = {
        let mut log = Log::open(&file, before)?;
        cells::run(NAME, &plan, &mut log, |planned, round| {
            Ok(vec![visitor.visit(planned[0], round)?])
        })?
    };
    eprintln!("lab: {}", summary.sentence(NAME, &file));
    let mut measured = load_one(&file, NAME)?;
    measured.cells.retain(|cell, _| asked.contains(&at(cell)));
    // What was measured is shown all the same.
    let failed = summary.failed.len();
    let failed =
        (failed > 0).then(|| format!("{failed} visits failed, see above and {}", file.display()));
    Ok(Report {
        sections: tables(&measured),
        failed,
        ..Report::default()
    })
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
        let plan = args.plan().expect("good cells");
        let cells = plan.groups.iter().flatten().map(|planned| &planned.cell);
        let cells: BTreeSet<_> = cells.map(|cell| (cell.size, cell.threads)).collect();
        cells.into_iter().collect()
    }

    #[test]
    fn sizes_and_kernels_are_those_asked_for() {
        let few = asked("full --kernel-counts 2,64 --sizes 20");
        assert_eq!(few, [(1 << 20, 2), (1 << 20, 64)]);
        // Each has its size where the bytes per kernel are constant; 2^26 is there in any case.
        let weak = asked("full --kernel-counts 2,64");
        assert!(weak.len() == 2 * 10 + 1 && weak.contains(&(64 << 25, 64)));
        assert_eq!(asked("full").len(), 10 * 9 + 9 - 5);
        assert_eq!(asked("few").len(), 5);
    }
}

//! `lab tree`: the sum of a binary tree with a join at every node, hot or one call at a time.

use std::time::Duration;

use clap::Args;

use crate::cli::{self, Common, Field};
use crate::contender::Id;
use crate::experiment::{Failure, Mode, Rounds};
use crate::machine;
use crate::problem::tree::{Shape, Tree, title};
use crate::progress::Progress;
use crate::report::Report;
use crate::sample::Entry;
use crate::view::{DETAIL_NOTE, detail};

/// The nodes of each tree on a spine.
pub(crate) const SUBTREE: u64 = 16_383;

/// Which trees, how.
#[derive(Args, Clone, Debug)]
pub(crate) struct TreeArgs {
    /// Nodes of the tree, or of each tree on a spine [default: 1023,16777215 or 16383]
    #[arg(long, value_delimiter = ',', value_parser = cli::nodes, value_name = "N,..")]
    nodes: Vec<u64>,

    /// The outline of the tree
    #[arg(long, value_enum, default_value_t = Shape::Balanced)]
    shape: Shape,

    /// The length of a spine
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    spine: u32,

    /// One call at a time, after so many milliseconds of sleep
    #[arg(long, value_parser = cli::milliseconds, value_name = "MS")]
    cold_ms: Option<Duration>,

    /// Whether the pool is entered once, or on every call
    #[arg(long, value_enum, default_value_t = Entry::Inside)]
    entry: Entry,

    #[command(flatten)]
    field: Field,

    #[command(flatten)]
    pub(crate) common: Common,
}

impl TreeArgs {
    fn sizes(&self) -> Vec<u64> {
        match self.shape {
            _ if !self.nodes.is_empty() => self.nodes.clone(),
            Shape::Balanced => vec![1023, 16_777_215],
            Shape::SpineLeft | Shape::SpineRight => vec![SUBTREE],
        }
    }

    fn mode(&self) -> Mode {
        Mode {
            entry: self.entry,
            pause: self.cold_ms,
            fresh: false,
        }
    }
}

/// Measures.
pub(crate) fn run(args: &TreeArgs) -> Result<Report, Failure> {
    let spine = u64::from(args.spine);
    let sizes = args.sizes();
    if args.shape != Shape::Balanced {
        for nodes in &sizes {
            cli::fits((nodes + 1).saturating_mul(spine)).map_err(Failure::Usage)?;
        }
    }
    let progress = Progress::new(sizes.len());
    let threads = args.field.threads(&[1, machine::cores()]);
    let seats = args.field.seats(Id::EVERYBODY, &threads);
    let mut report = Report::default();
    for nodes in sizes {
        let name = title(args.shape, spine, nodes);
        progress.begin(&format!("building the {name}"));
        let tree = Tree::with_shape(args.shape, args.spine as usize, nodes);
        let limits = args.common.limits(30, 6.0);
        let (hot, mode) = (Rounds::hot(&seats, limits, &progress), args.mode());
        let records = Rounds { mode, ..hot }.measure(&name, &tree)?;
        let title = format!("{name}, {mode}");
        let per_node = records
            .get(Id::Baseline, 1)
            .map_or(0.0, |baseline| baseline.median() / tree.nodes() as f64);
        let note = format!("The baseline takes {per_node:.2} ns per node. {DETAIL_NOTE}");
        report.add(title, detail(&records), note);
        report.keep(records);
    }
    Ok(report)
}

//! `lab batch`: shared counters, maps and sets, batched implicitly or guarded by what a Rust user
//! has otherwise; and the goals that they have.

use clap::{Args, ValueEnum};

use super::loops::NOTE;
use crate::batch::{Choice, Drive, Extent, counters, maps, sizes};
use crate::cli::Common;
use crate::experiment::{Failure, Record};
use crate::goals::Verdict;
use crate::goals::list::STRUCTURES;
use crate::progress::Progress;
use crate::report::Report;
use crate::structure::work::Family;
use crate::view::{SPREAD_NOTE, throughputs};

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum What {
    /// Counters that are incremented
    Counters,
    /// Ordered maps that are filled and searched
    Maps,
    /// Hash maps
    Hashes,
    /// Ordered sets of integers
    Sets,
    /// How many operations there are in a batch
    Sizes,
}

/// What, how much.
#[derive(Args, Clone, Debug)]
pub(crate) struct BatchArgs {
    /// What is measured [default: all]
    #[arg(value_enum, value_name = "WHAT")]
    what: Vec<What>,

    /// Every combination, maps of ten million keys too; takes about an hour
    #[arg(long)]
    full: bool,

    /// Small sizes, only to see that it works
    #[arg(long, conflicts_with = "full")]
    quick: bool,

    /// Only places whose description contains this, such as "tree" or "1,000 tasks ×2"; sizes,
    /// which have no places, only if named
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,

    #[command(flatten)]
    pub(crate) common: Common,
}

impl BatchArgs {
    fn wants(&self, what: What) -> bool {
        // Sizes are of no place: who wants some places only does not want them, unless they are
        // named.
        let usual = self.what.is_empty() && (self.only.is_none() || what != What::Sizes);
        usual || self.what.contains(&what)
    }

    /// The families of maps and sets.
    fn families(&self) -> Vec<Family> {
        let mut all = vec![
            (What::Maps, Family::Maps),
            (What::Hashes, Family::HashMaps),
            (What::Sets, Family::Sets),
        ];
        all.retain(|(what, _)| self.wants(*what));
        all.into_iter().map(|(_, family)| family).collect()
    }

    fn extent(&self) -> Extent {
        match (self.quick, self.full) {
            (true, _) => Extent::Quick,
            (_, true) => Extent::Full,
            _ => Extent::Usual,
        }
    }
}

/// Measures.
pub(crate) fn run(args: &BatchArgs) -> Result<Report, Failure> {
    let extent = args.extent();
    let limits = match extent {
        Extent::Quick => args.common.limits(1, 0.01),
        Extent::Usual => args.common.limits(7, 30.0),
        Extent::Full => args.common.limits(7, 240.0),
    };
    let choice = Choice {
        extent,
        only: args.only.as_deref(),
    };
    let families = args.families();
    if args.only.is_some() && !choice.has_places(args.wants(What::Counters), &families) {
        return Err(Failure::Usage(
            "no place's description contains that".into(),
        ));
    }
    let kinds = families.iter().flat_map(|&f| maps::kinds(extent, f));
    let kinds: Vec<_> = kinds.collect();
    let single = [What::Counters, What::Sizes].map(|what| usize::from(args.wants(what)));
    let steps = single.iter().sum::<usize>() + kinds.iter().map(|k| k.len() + 1).sum::<usize>();
    let progress = Progress::new(steps);
    let mut report = Report::default();
    if args.wants(What::Counters) {
        let records = counters::measure(choice, limits, &progress)?;
        counter_sections(&mut report, &records);
        report.records.extend(records);
    }
    for kinds in kinds {
        let records = maps::measure(&kinds, choice, limits, &progress)?;
        map_sections(&mut report, &records);
        report.records.extend(records);
    }
    if args.wants(What::Sizes) {
        report.sizes = sizes::measure(extent, &progress)?;
        let sizes = report.sizes.clone();
        for alike in sizes.chunk_by(|a, b| a.experiment() == b.experiment()) {
            let title = format!("batches of {}", alike[0].experiment());
            report.add(title, sizes::table(alike), "");
        }
    }
    report.goals = Verdict::answered(STRUCTURES, &report.records);
    if !report.goals.is_empty() && extent != Extent::Quick {
        report.sections.push(Verdict::section(&report.goals, NOTE));
    }
    Ok(report)
}

fn counter_sections(report: &mut Report, records: &[Record]) {
    let of_loops = |record: &&Record| record.mode == Drive::Loop.to_string();
    let (in_loops, in_tasks): (Vec<&Record>, _) = records.iter().partition(of_loops);
    let note = format!("× is the number of threads. {SPREAD_NOTE}");
    for (title, records) in [
        ("counters, calls that wait, from a loop", in_loops),
        ("counters, awaited by tasks", in_tasks),
    ] {
        if !records.is_empty() {
            report.add(title, throughputs(records), &note);
        }
    }
}

fn map_sections(report: &mut Report, records: &[Record]) {
    let note = "Alone: one owner, no sharing. Sorted: the same, in order of the keys. \
                One batch: all operations at once. Loop: calls that wait. \
                Threads: the same outside of pools. Tasks: awaited.";
    for of_kind in records.chunk_by(|a, b| a.experiment == b.experiment) {
        report.add(&of_kind[0].experiment, throughputs(of_kind), note);
    }
}

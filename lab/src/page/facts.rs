//! What follows from the visits to one cell: the numbers that tables and figures show.

use std::collections::BTreeMap;

use crate::results::{Counted, Measured, Scheduler};
use crate::stats::{Estimate, Summary};

/// What is known of a cell. Times are in nanoseconds.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    /// Pieces that a call has, at least 1.
    pub(crate) pieces: f64,
    /// All samples, in nanoseconds per call, smallest first.
    pub(crate) sorted: Vec<f64>,
    /// How many visits they are from.
    pub(crate) visits: usize,
    /// Their summary.
    pub(crate) summary: Summary,
    /// Their mean.
    pub(crate) mean: f64,
    /// Their median with its error.
    pub(crate) estimate: Estimate,
    /// How many calls were timed.
    pub(crate) calls: f64,
    /// Time that passed while samples were taken, all visits together.
    pub(crate) wall: f64,
    /// CPU time of all threads meanwhile.
    pub(crate) cpu: f64,
    /// Voluntary context switches meanwhile.
    pub(crate) voluntary: u64,
    /// Involuntary ones.
    pub(crate) involuntary: u64,
    /// What the scheduler counted meanwhile.
    pub(crate) scheduler: Option<Scheduler>,
    /// What the processor counted meanwhile: cycles, instructions, cache misses.
    pub(crate) events: [Counted; 3],
    /// Why it did not.
    pub(crate) no_events: Option<String>,
    /// What else was measured, by name and visit.
    pub(crate) further: BTreeMap<String, Vec<f64>>,
}

impl Facts {
    /// From all visits; nothing if there is no sample.
    pub(crate) fn of(visits: &[Measured]) -> Option<Facts> {
        let visits: Vec<&Measured> = visits.iter().filter(|v| !v.samples.is_empty()).collect();
        let first = visits.first()?;
        let samples: Vec<&[f64]> = visits.iter().map(|v| v.samples.as_slice()).collect();
        let mut sorted = samples.concat();
        sorted.sort_unstable_by(f64::total_cmp);
        let spent = |part: fn(&Measured) -> f64| visits.iter().map(|v| part(v)).sum::<f64>();
        let count = |part: fn(&Measured) -> u64| visits.iter().map(|v| part(v)).sum::<u64>();
        let further = |name: &String| {
            let values = visits.iter().filter_map(|v| v.further.get(name).copied());
            (name.clone(), values.collect())
        };
        let event = |part: fn(&Measured) -> Counted| visits.iter().map(|v| part(v)).sum();
        Some(Facts {
            pieces: first.pieces.max(1) as f64,
            visits: visits.len(),
            summary: Summary::of(&sorted),
            mean: sorted.iter().sum::<f64>() / sorted.len() as f64,
            estimate: Estimate::of(&samples),
            sorted,
            calls: spent(|v| v.samples.len() as f64 * f64::from(v.batch)),
            wall: spent(|v| v.spent.wall),
            cpu: spent(|v| v.spent.user + v.spent.system),
            voluntary: count(|v| v.spent.voluntary),
            involuntary: count(|v| v.spent.involuntary),
            scheduler: sum(visits.iter().map(|v| v.scheduler)),
            events: [
                event(|v| v.events.cycles),
                event(|v| v.events.instructions),
                event(|v| v.events.cache_misses),
            ],
            no_events: first.events.missing.clone(),
            further: first.further.keys().map(further).collect(),
        })
    }

    /// The median time of a piece.
    pub(crate) fn per_piece(&self) -> f64 {
        self.summary.median / self.pieces
    }

    /// How many cores were kept busy, where it was measured.
    pub(crate) fn busy(&self) -> Option<f64> {
        (self.wall > 0.0).then(|| self.cpu / self.wall)
    }
}

/// All visits' counts together, where every visit counted.
fn sum(mut visits: impl Iterator<Item = Option<Scheduler>>) -> Option<Scheduler> {
    let first = visits.next()??;
    visits.try_fold(first, |total, visit| {
        Some(total.zip(visit?, u64::wrapping_add))
    })
}

/// Where the time of the cores that a cell could use went, in cores.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Cores {
    /// As much CPU time as the baseline needs for the same calls.
    pub(crate) useful: f64,
    /// CPU time beyond that: forking, promoting, stealing, spinning.
    pub(crate) overhead: f64,
    /// Of that, looking for work, where the scheduler knows.
    pub(crate) searching: Option<f64>,
    /// Not used: the threads slept, or did not get a core.
    pub(crate) unused: f64,
}

/// What keeps a cell from being as fast as its cores allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Limit {
    /// Cores lie idle.
    Idle,
    /// Cores are busy with something else than the work.
    Competing,
    /// Neither: cores are busy with the work.
    Working,
}

impl Cores {
    /// Where the time went, given what the baseline took, on how many threads, on a machine with so
    /// many cores.
    pub(crate) fn of(
        facts: &Facts,
        baseline: &Facts,
        threads: usize,
        cores: usize,
    ) -> Option<Cores> {
        let busy = facts.busy()?;
        let plain = (baseline.calls > 0.0).then(|| baseline.cpu / baseline.calls)?;
        let useful = (plain * facts.calls / facts.wall).min(busy);
        let searching = facts.scheduler.and_then(|s| s.searching);
        let overhead = busy - useful;
        Some(Cores {
            useful,
            overhead,
            searching: searching.map(|ns| (ns as f64 / facts.wall).min(overhead)),
            unused: (threads.min(cores) as f64 - busy).max(0.0),
        })
    }

    /// What the larger loss is, if it is a tenth of what there is.
    pub(crate) fn limit(&self) -> Limit {
        let all = self.useful + self.overhead + self.unused;
        match self.overhead.max(self.unused) {
            loss if loss < all / 10.0 => Limit::Working,
            loss if loss == self.unused => Limit::Idle,
            _ => Limit::Competing,
        }
    }
}

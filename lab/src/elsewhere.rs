//! Times per node of the sum of balanced trees that others measured elsewhere, by number of
//! threads. They stand below what is measured here, and say so: other machines, other languages.
//!
//! * *Spice* and *rayon*, published: Spice's bench document of August 2024, the numbers that its
//!   figures are drawn from, means of 50 calls; 16 virtual CPUs in Google's cloud (c4-standard-16).
//! * *chili*, published: its README; AMD Ryzen 7 4800HS, 8 cores.
//! * *Spice*, elsewhere: medians of ours, on two virtual cores of an Intel Xeon, Linux 6.18; Spice
//!   of September 2024 unmodified, Zig 0.13, a fork at every node. On more threads than two,
//!   minima.

use std::ops::RangeInclusive;

/// What was measured.
pub(crate) struct Elsewhere {
    pub(crate) who: &'static str,
    /// For trees of so many nodes.
    nodes: RangeInclusive<u64>,
    /// The plain program of the same place and language, nanoseconds per node.
    pub(crate) baseline: f64,
    /// Threads, nanoseconds per node.
    by_threads: &'static [(usize, f64)],
}

/// A thousand nodes, and a thousand less one or so.
const SMALL: RangeInclusive<u64> = 1000..=1023;
const LARGE: RangeInclusive<u64> = 100_000_000..=100_000_000;

#[rustfmt::skip]
const ALL: [Elsewhere; 6] = [
    Elsewhere {
        who: "rayon, published", nodes: SMALL, baseline: 1.56,
        by_threads: &[(1, 23.51), (2, 16.82), (4, 14.94), (8, 18.67), (16, 24.18), (32, 105.4)],
    },
    Elsewhere {
        who: "chili, published", nodes: SMALL, baseline: 1.8,
        by_threads: &[(1, 3.5), (2, 3.5), (4, 3.5), (8, 3.5)],
    },
    Elsewhere {
        who: "Spice, published", nodes: SMALL, baseline: 1.99,
        by_threads: &[(1, 2.29), (2, 2.30), (4, 2.30), (8, 2.29), (16, 2.29), (32, 2.29)],
    },
    Elsewhere {
        who: "Spice, elsewhere", nodes: SMALL, baseline: 1.48,
        by_threads: &[(1, 2.95), (2, 3.04), (4, 2.83), (8, 2.78), (32, 2.79)],
    },
    Elsewhere {
        who: "rayon, published", nodes: LARGE, baseline: 7.48,
        by_threads: &[(1, 22.99), (2, 11.76), (4, 5.90), (8, 3.00), (16, 1.64), (32, 1.65)],
    },
    Elsewhere {
        who: "Spice, published", nodes: LARGE, baseline: 3.63,
        by_threads: &[(1, 3.93), (2, 2.01), (4, 1.08), (8, 0.60), (16, 0.36), (32, 0.38)],
    },
];

/// What stands below tables that have such rows.
pub(crate) const NOTE: &str = "Published: rayon and Spice on 16 virtual CPUs (means), chili on 8 \
    cores; elsewhere: Spice on two virtual cores of another machine, minima on more threads than \
    two. Their baselines are their own: other hardware, and for Spice another language.";

impl Elsewhere {
    /// Those about trees of so many nodes.
    pub(crate) fn of(nodes: u64) -> impl Iterator<Item = &'static Elsewhere> {
        ALL.iter().filter(move |of| of.nodes.contains(&nodes))
    }

    /// The time per node on so many threads.
    pub(crate) fn on(&self, threads: usize) -> Option<f64> {
        let found = self.by_threads.iter().find(|(n, _)| *n == threads);
        found.map(|(_, ns)| *ns)
    }
}

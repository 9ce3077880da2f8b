//! The named workloads made of leaves: the ramp, the eight shapes, the coarse joins.

use std::time::Duration;

use super::leaves::{Decoys, Leaves, Split};

const fn us(n: u64) -> Duration {
    Duration::from_micros(n)
}

/// A workload that is described by numbers, to be made when its turn comes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    /// Its name.
    pub(crate) name: &'static str,
    /// How many leaves it has.
    pub(crate) count: usize,
    each: Duration,
    split: Split,
    decoys: Decoys,
}

impl Entry {
    const fn halves(name: &'static str, count: usize, each: Duration) -> Entry {
        Entry::shaped(name, count, each, Split::Halves, Decoys::None)
    }

    const fn shaped(
        name: &'static str,
        count: usize,
        each: Duration,
        split: Split,
        decoys: Decoys,
    ) -> Entry {
        Entry {
            name,
            count,
            each,
            split,
            decoys,
        }
    }

    /// What experiments with it are called.
    pub(crate) fn title(&self) -> String {
        format!("{}: {}", self.list(), self.name)
    }

    fn list(&self) -> &'static str {
        let has = |list: &[Entry]| list.iter().any(|entry| entry.name == self.name);
        match (has(&RAMP), has(&COARSE)) {
            (true, _) => "ramp",
            (_, true) => "coarse",
            _ => "shape",
        }
    }

    /// The problem.
    pub(crate) fn problem(&self) -> Leaves {
        Leaves::new(self.count, self.each, self.split, self.decoys)
    }
}

/// Small pieces of work, one call each: how soon does the second thread help?
pub(crate) const RAMP: [Entry; 3] = [
    Entry::halves("2 × 50 µs", 2, us(50)),
    Entry::halves("8 × 20 µs", 8, us(20)),
    Entry::halves("64 × 5 µs", 64, us(5)),
];

/// Two closures of 10 ms in one join, and four in two levels.
pub(crate) const COARSE: [Entry; 2] = [
    Entry::halves("2 × 10 ms", 2, us(10_000)),
    Entry::halves("4 × 10 ms", 4, us(10_000)),
];

/// Work enough for everybody, under recursions that hide it more or less well.
pub(crate) const SHAPES: [Entry; 8] = [
    Entry::halves("balanced, 256 × 20 µs", 256, us(20)),
    Entry::shaped(
        "random split, 400 × 20 µs",
        400,
        us(20),
        Split::Random,
        Decoys::None,
    ),
    Entry::shaped(
        "join(leaf, rest), 400 × 20 µs",
        400,
        us(20),
        Split::LeafRest,
        Decoys::None,
    ),
    Entry::shaped(
        "join(rest, leaf), 400 × 20 µs",
        400,
        us(20),
        Split::RestLeaf,
        Decoys::None,
    ),
    decoys("3 × join(tiny, rest), 32 × 100 µs", Decoys::TinyRest(3)),
    decoys("3 × join(rest, tiny), 32 × 100 µs", Decoys::RestTiny(3)),
    decoys("16 × join(tiny, rest), 32 × 100 µs", Decoys::TinyRest(16)),
    decoys("16 × join(rest, tiny), 32 × 100 µs", Decoys::RestTiny(16)),
];

const fn decoys(name: &'static str, decoys: Decoys) -> Entry {
    Entry::shaped(name, 32, us(100), Split::Halves, decoys)
}

//! Equal leaves of pure arithmetic below a recursion of a given shape, with or without decoys
//! above it: tiny calls that a scheduler meets first and gains nothing from.

use std::time::Duration;

use super::spin::{rounds_for, spin};
use super::{Problem, mix};
use crate::contender::Contender;

/// How long a decoy works.
const DECOY_ROUNDS: u64 = 8;

/// How the recursion divides its leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Split {
    /// In halves.
    Halves,
    /// At a random place, the same on every call.
    Random,
    /// `join(leaf, rest)`.
    LeafRest,
    /// `join(rest, leaf)`.
    RestLeaf,
}

/// What is joined with what, on the way down to the leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decoys {
    /// Nothing.
    None,
    /// `join(tiny, rest)`, so many times.
    TinyRest(usize),
    /// `join(rest, tiny)`, so many times.
    RestTiny(usize),
}

/// The leaves, and what is above them.
pub(crate) struct Leaves {
    split: Split,
    decoys: Decoys,
    count: usize,
    rounds: u64,
    expected: u64,
}

impl Leaves {
    /// `count` leaves that last `each`, divided as `split` says, below the decoys.
    pub(crate) fn new(count: usize, each: Duration, split: Split, decoys: Decoys) -> Leaves {
        Leaves::of_rounds(count, rounds_for(each), split, decoys)
    }

    /// The same with leaves of so many rounds of arithmetic, on whatever machine.
    pub(crate) fn of_rounds(count: usize, rounds: u64, split: Split, decoys: Decoys) -> Leaves {
        let mut leaves = Leaves {
            split,
            decoys,
            count,
            rounds,
            expected: 0,
        };
        leaves.expected = leaves.all_decoys().wrapping_add(leaves.stretch(0, count));
        leaves
    }

    /// Leaf by leaf, without recursion.
    fn stretch(&self, low: usize, high: usize) -> u64 {
        (low..high).fold(0, |sum, i| sum.wrapping_add(self.leaf(i)))
    }

    fn all_decoys(&self) -> u64 {
        let (Decoys::TinyRest(n) | Decoys::RestTiny(n)) = self.decoys else {
            return 0;
        };
        (1..=n).fold(0, |sum, i| sum.wrapping_add(decoy(i)))
    }

    #[inline]
    fn leaf(&self, index: usize) -> u64 {
        spin(self.rounds, index as u64)
    }

    fn above<C: Contender>(&self, left: usize, cx: &mut C::Cx<'_>) -> u64 {
        if left == 0 {
            return self.below::<C>(0, self.count, cx);
        }
        let (a, b) = match self.decoys {
            Decoys::RestTiny(_) => C::join(cx, |cx| self.above::<C>(left - 1, cx), |_| decoy(left)),
            _ => C::join(cx, |_| decoy(left), |cx| self.above::<C>(left - 1, cx)),
        };
        a.wrapping_add(b)
    }

    fn below<C: Contender>(&self, low: usize, high: usize, cx: &mut C::Cx<'_>) -> u64 {
        if high - low == 1 {
            return self.leaf(low);
        }
        let middle = match self.split {
            Split::Halves => low + (high - low) / 2,
            Split::Random => low + 1 + scatter(low, high) % (high - low - 1),
            Split::LeafRest => low + 1,
            Split::RestLeaf => high - 1,
        };
        let (a, b) = C::join(
            cx,
            |cx| self.below::<C>(low, middle, cx),
            |cx| self.below::<C>(middle, high, cx),
        );
        a.wrapping_add(b)
    }
}

fn decoy(index: usize) -> u64 {
    spin(DECOY_ROUNDS, index as u64)
}

/// A number that depends on both and on nothing else.
fn scatter(low: usize, high: usize) -> usize {
    (mix((low as u64) << 32 | high as u64) >> 1) as usize
}

impl Problem for Leaves {
    fn solve<C: Contender>(&self, cx: &mut C::Cx<'_>) -> u64 {
        let decoys = match self.decoys {
            Decoys::None => 0,
            Decoys::TinyRest(n) | Decoys::RestTiny(n) => n,
        };
        self.above::<C>(decoys, cx)
    }

    /// Equal stretches; thread 0 does the decoys as well.
    fn part(&self, part: usize, parts: usize) -> u64 {
        let (low, high) = (self.count * part / parts, self.count * (part + 1) / parts);
        let top = if part == 0 { self.all_decoys() } else { 0 };
        top.wrapping_add(self.stretch(low, high))
    }

    fn pieces(&self) -> u64 {
        self.count as u64
    }

    fn expected(&self) -> u64 {
        self.expected
    }
}

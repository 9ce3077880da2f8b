//! Equal leaves of pure arithmetic below a recursion of a given shape.

use std::time::Duration;

use super::spin::{rounds_for, spin};
use super::{Problem, mix};
use crate::contender::Contender;

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

/// The leaves, and how they are divided.
pub(crate) struct Leaves {
    split: Split,
    count: usize,
    rounds: u64,
    expected: u64,
}

impl Leaves {
    /// `count` leaves that last `each`, divided as `split` says.
    pub(crate) fn new(count: usize, each: Duration, split: Split) -> Leaves {
        Leaves::of_rounds(count, rounds_for(each), split)
    }

    /// The same with leaves of so many rounds of arithmetic, on whatever machine.
    pub(crate) fn of_rounds(count: usize, rounds: u64, split: Split) -> Leaves {
        let mut leaves = Leaves {
            split,
            count,
            rounds,
            expected: 0,
        };
        leaves.expected = leaves.stretch(0, count);
        leaves
    }

    /// Leaf by leaf, without recursion.
    fn stretch(&self, low: usize, high: usize) -> u64 {
        (low..high).fold(0, |sum, i| sum.wrapping_add(self.leaf(i)))
    }

    #[inline]
    fn leaf(&self, index: usize) -> u64 {
        spin(self.rounds, index as u64)
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

/// A number that depends on both and on nothing else.
fn scatter(low: usize, high: usize) -> usize {
    (mix((low as u64) << 32 | high as u64) >> 1) as usize
}

impl Problem for Leaves {
    fn solve<C: Contender>(&self, cx: &mut C::Cx<'_>) -> u64 {
        self.below::<C>(0, self.count, cx)
    }

    fn part(&self, part: usize, parts: usize) -> u64 {
        self.stretch(self.count * part / parts, self.count * (part + 1) / parts)
    }

    fn pieces(&self) -> u64 {
        self.count as u64
    }

    fn expected(&self) -> u64 {
        self.expected
    }
}

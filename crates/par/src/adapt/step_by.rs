//! `step_by`.

use crate::{
    iter::{IndexedParallelIterator, ParallelIterator},
    shape::{Producer, Seal, drive_indexed},
};
use std::iter;

/// See [`IndexedParallelIterator::step_by`].
#[derive(Clone, Debug)]
#[must_use = "iterator adaptors are lazy"]
pub struct StepBy<I> {
    base: I,
    step: usize,
}

impl<I> StepBy<I> {
    #[track_caller]
    pub(crate) fn new(base: I, step: usize) -> Self {
        assert!(step != 0, "step must not be zero");
        StepBy { base, step }
    }
}

impl<I: IndexedParallelIterator> ParallelIterator for StepBy<I> {
    type Item = I::Item;

    drive_indexed!();
}

impl<I: IndexedParallelIterator> IndexedParallelIterator for StepBy<I> {
    type Producer<'p>
        = StepBy<I::Producer<'p>>
    where
        Self: 'p;

    fn len(&self) -> usize {
        self.base.len().div_ceil(self.step)
    }

    fn producer(&mut self, seal: Seal) -> Self::Producer<'_> {
        StepBy {
            base: self.base.producer(seal),
            step: self.step,
        }
    }
}

/// The first of the remaining items is the next.
impl<P: Producer> Producer for StepBy<P> {
    type Item = P::Item;
    type State = P::State;
    type Iter = iter::StepBy<P::Iter>;

    fn len(&self) -> usize {
        self.base.len().div_ceil(self.step)
    }

    fn split_at(self, at: usize) -> (Self, Self) {
        let StepBy { base, step } = self;
        let at = at.saturating_mul(step).min(base.len());
        let (left, right) = base.split_at(at);
        let step_by = |base| StepBy { base, step };
        (step_by(left), step_by(right))
    }

    fn state(&self) -> P::State {
        self.base.state()
    }

    fn iter(self, state: &P::State) -> Self::Iter {
        self.base.iter(state).step_by(self.step)
    }
}

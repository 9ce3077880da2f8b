//! The common part of `chunks`, `fold_chunks` and `deterministic`: a fixed number of items becomes
//! one.
//!
//! The producer has a position for each group, so groups do not depend on the schedule; the last
//! may be smaller.

use crate::{
    iter::{IndexedParallelIterator, ParallelIterator},
    shape::{Producer, Seal, drive_indexed},
};

/// Turns the items of a group into one.
pub trait Group<T>: Sync + Send {
    /// The type of the result.
    type Output;
    /// The state that the blocks of a run share; `()` for most.
    type Shared: Clone;

    /// Creates the state that the blocks of a run share.
    fn begin(&self) -> Self::Shared;

    /// Combines the items of a group.
    fn of<J: Iterator<Item = T>>(&self, shared: &Self::Shared, items: J) -> Self::Output;
}

/// Items in groups. The adaptors' types are aliases of this one.
#[derive(Clone)]
#[must_use = "iterator adaptors are lazy"]
pub struct Grouped<I, G> {
    pub(crate) base: I,
    pub(crate) size: usize,
    pub(crate) group: G,
}

impl<I, G> Grouped<I, G> {
    #[track_caller]
    pub(crate) fn new(base: I, size: usize, group: G) -> Self {
        assert!(size != 0, "chunk_size must not be zero");
        Grouped { base, size, group }
    }
}

impl<I, G> ParallelIterator for Grouped<I, G>
where
    I: IndexedParallelIterator,
    G: Group<I::Item, Output: Send>,
{
    type Item = G::Output;

    drive_indexed!();
}

impl<I, G> IndexedParallelIterator for Grouped<I, G>
where
    I: IndexedParallelIterator,
    G: Group<I::Item, Output: Send>,
{
    type Producer<'p>
        = GroupProducer<'p, I::Producer<'p>, G>
    where
        Self: 'p;

    fn len(&self) -> usize {
        self.base.len().div_ceil(self.size)
    }

    fn producer(&mut self, seal: Seal) -> Self::Producer<'_> {
        GroupProducer {
            base: self.base.producer(seal),
            size: self.size,
            group: &self.group,
        }
    }
}

/// The remaining items of a [`Grouped`].
#[derive(Debug)]
pub struct GroupProducer<'p, P, G> {
    base: P,
    size: usize,
    group: &'p G,
}

impl<'p, P, G> Producer for GroupProducer<'p, P, G>
where
    P: Producer<Iter: DoubleEndedIterator + ExactSizeIterator>,
    G: Group<P::Item>,
{
    type Item = G::Output;
    type State = (P::State, G::Shared);
    type Iter = Groups<'p, P::Iter, G, G::Shared>;

    fn len(&self) -> usize {
        self.base.len().div_ceil(self.size)
    }

    fn split_at(self, at: usize) -> (Self, Self) {
        let GroupProducer { base, size, group } = self;
        let at = at.saturating_mul(size).min(base.len());
        let (left, right) = base.split_at(at);
        let part = |base| GroupProducer { base, size, group };
        (part(left), part(right))
    }

    fn state(&self) -> Self::State {
        (self.base.state(), self.group.begin())
    }

    fn iter(self, (base, shared): &Self::State) -> Self::Iter {
        Groups {
            items: self.base.iter(base),
            size: self.size,
            group: self.group,
            shared: shared.clone(),
        }
    }
}

/// The groups of a block.
#[derive(Debug)]
pub struct Groups<'p, J, G, H> {
    items: J,
    size: usize,
    group: &'p G,
    shared: H,
}

impl<J, G, H> Iterator for Groups<'_, J, G, H>
where
    J: ExactSizeIterator,
    G: Group<J::Item, Shared = H>,
{
    type Item = G::Output;

    #[inline]
    fn next(&mut self) -> Option<G::Output> {
        if self.items.len() == 0 {
            return None;
        }
        let items = self.items.by_ref().take(self.size);
        Some(self.group.of(&self.shared, items))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = self.items.len().div_ceil(self.size);
        (len, Some(len))
    }
}

impl<J, G, H> DoubleEndedIterator for Groups<'_, J, G, H>
where
    J: DoubleEndedIterator + ExactSizeIterator,
    G: Group<J::Item, Shared = H>,
{
    fn next_back(&mut self) -> Option<G::Output> {
        let len = self.items.len();
        if len == 0 {
            return None;
        }
        let last = match len % self.size {
            0 => self.size,
            rest => rest,
        };
        let items = self.items.by_ref().rev().take(last);
        let backwards = items.collect::<Vec<_>>();
        Some(self.group.of(&self.shared, backwards.into_iter().rev()))
    }
}

impl<J, G, H> ExactSizeIterator for Groups<'_, J, G, H>
where
    J: ExactSizeIterator,
    G: Group<J::Item, Shared = H>,
{
}

//! What `chunks` and its like have in common: each so many items become one.
//!
//! The producer has a position for each group, so groups are the same whatever the schedule; the
//! last may be smaller.

use crate::shape::Producer;

/// What is made of the items of a group.
pub trait Group<T> {
    /// What they become.
    type Output;

    /// Makes it.
    fn of<J: Iterator<Item = T>>(&self, items: J) -> Self::Output;
}

/// Makes the [`Group`] that the blocks of a run share.
pub trait PerRun: Copy + Send {
    /// What it makes.
    type Group: Clone;

    /// A group for a run.
    fn begin(self) -> Self::Group;
}

/// The number of groups of `size` that so many items make.
pub(crate) fn count(items: usize, size: usize) -> usize {
    items.div_ceil(size)
}

/// What is left of an adaptor that groups.
#[derive(Debug)]
pub struct GroupProducer<P, R> {
    pub(crate) base: P,
    pub(crate) size: usize,
    pub(crate) per_run: R,
}

impl<P, R> Producer for GroupProducer<P, R>
where
    P: Producer<Iter: DoubleEndedIterator + ExactSizeIterator>,
    R: PerRun<Group: Group<P::Item>>,
{
    type Item = <R::Group as Group<P::Item>>::Output;
    type State = (P::State, R::Group);
    type Iter = Groups<P::Iter, R::Group>;

    fn len(&self) -> usize {
        count(self.base.len(), self.size)
    }

    fn split_at(self, at: usize) -> (Self, Self) {
        let GroupProducer {
            base,
            size,
            per_run,
        } = self;
        let at = at.saturating_mul(size).min(base.len());
        let (left, right) = base.split_at(at);
        let groups = |base| GroupProducer {
            base,
            size,
            per_run,
        };
        (groups(left), groups(right))
    }

    fn state(&self) -> Self::State {
        (self.base.state(), self.per_run.begin())
    }

    fn iter(self, (base, group): &Self::State) -> Self::Iter {
        Groups {
            items: self.base.iter(base),
            size: self.size,
            group: group.clone(),
        }
    }
}

/// The groups of a block.
#[derive(Debug)]
pub struct Groups<J, G> {
    items: J,
    size: usize,
    group: G,
}

impl<J: ExactSizeIterator, G: Group<J::Item>> Iterator for Groups<J, G> {
    type Item = G::Output;

    #[inline]
    fn next(&mut self) -> Option<G::Output> {
        if self.items.len() == 0 {
            return None;
        }
        let items = self.items.by_ref().take(self.size);
        Some(self.group.of(items))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = count(self.items.len(), self.size);
        (len, Some(len))
    }
}

impl<J: DoubleEndedIterator + ExactSizeIterator, G: Group<J::Item>> DoubleEndedIterator
    for Groups<J, G>
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
        Some(self.group.of(backwards.into_iter().rev()))
    }
}

impl<J: ExactSizeIterator, G: Group<J::Item>> ExactSizeIterator for Groups<J, G> {}

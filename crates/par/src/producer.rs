//! Producers, and the seal: what users may see in signatures but cannot name.
//!
//! This module is private and not exported again. So no other crate can implement [`Producer`],
//! or write down or call a method that takes a [`Seal`], though both traits and types are public.
//! That a type cannot be named is not enough for an associated type: projection names another
//! implementation's. Therefore each trait that promises something has a method *without a body*
//! that takes a `Seal`. *Exact positions* (shape.rs) stands on that.

/// Cannot be named outside of this crate, so no other crate can implement what mentions it.
#[derive(Clone, Copy, Debug)]
pub struct Seal(pub(crate) ());

/// What is left of a loop.
#[allow(clippy::len_without_is_empty, reason = "it is not asked for")]
pub trait Producer: Sized + Send {
    /// What it yields.
    type Item;
    /// What the blocks of one run share; `()` for all but `map_init` and its like.
    type State;
    /// A block.
    type Iter: Iterator<Item = Self::Item>;

    /// The number of positions left. Exact producers have one item at each. Those of the two parts
    /// of a split one are not more than it had.
    fn len(&self) -> usize;

    /// Splits off what lies before position `at`, which is at most `len`. Inexact producers are
    /// only split above 0 and below `len`; they may split a little later (the second part may then
    /// be empty), but the first part is never empty.
    fn split_at(self, at: usize) -> (Self, Self);

    /// Splits off what lies before the last `count` positions, as [`split_at`](Producer::split_at)
    /// does.
    #[inline]
    fn split_last(self, count: usize) -> (Self, Self) {
        let at = self.len() - count;
        self.split_at(at)
    }

    /// Splits in the middle. What has more positions than `usize` can count knows better where.
    #[inline]
    fn halve(self) -> (Self, Self) {
        let at = self.len() / 2;
        self.split_at(at)
    }

    /// A state for a run.
    fn state(&self) -> Self::State;

    /// All that is left.
    fn iter(self, state: &Self::State) -> Self::Iter;
}

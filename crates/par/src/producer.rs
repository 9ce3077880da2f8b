//! Producers, and the seal: types that users see in signatures but cannot name.
//!
//! This module is private and not exported again. So no other crate can implement [`Producer`], or
//! write or call a method that takes a [`Seal`], though both are public. For an associated type it
//! is not enough to be unnameable: projection can name another implementation's. Therefore each
//! trait that promises something has a method *without a body* that takes a `Seal`. *Exact
//! positions* (shape.rs) relies on that.

/// Cannot be named outside of this crate, so no other crate can implement a method that mentions
/// it.
#[derive(Clone, Copy, Debug)]
pub struct Seal(pub(crate) ());

/// The rest of a loop.
#[allow(clippy::len_without_is_empty, reason = "it is not asked for")]
pub trait Producer: Sized + Send {
    /// The type of the items.
    type Item;
    /// The state that the blocks of a run share; `()` for all but `map_init` and `map_with`.
    type State;
    /// A block.
    type Iter: Iterator<Item = Self::Item>;

    /// Returns the number of remaining positions. Exact producers have one item at each. A split
    /// does not increase the number.
    fn len(&self) -> usize;

    /// Splits at position `at`, which is at most `len`. Inexact producers are only split above 0
    /// and below `len`; they may split a little later (the second part may then be empty), but the
    /// first part is never empty.
    fn split_at(self, at: usize) -> (Self, Self);

    /// Splits before the last `count` positions, as [`split_at`](Producer::split_at) does.
    #[inline]
    fn split_last(self, count: usize) -> (Self, Self) {
        let at = self.len() - count;
        self.split_at(at)
    }

    /// Splits in the middle. Producers with more positions than `usize` can count override it.
    #[inline]
    fn halve(self) -> (Self, Self) {
        let at = self.len() / 2;
        self.split_at(at)
    }

    /// Creates the state of a run.
    fn state(&self) -> Self::State;

    /// Returns a sequential iterator over the rest.
    fn iter(self, state: &Self::State) -> Self::Iter;
}

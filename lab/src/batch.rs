//! Shared structures under many callers: counters and ordered maps, batched implicitly or guarded by what a Rust user
//! has otherwise. A *place* is a contender with a number of threads and the way in which its operations come in
//! (`place.rs`); repetitions are interleaved (`rounds.rs`), and what came of each is checked.

mod batched;
mod counter;
pub(crate) mod counters;
pub(crate) mod goals;
mod map;
pub(crate) mod maps;
mod place;
mod record;
mod rounds;
pub(crate) mod sizes;
mod work;

#[cfg(test)]
mod tests;

pub(crate) use place::{Drive, Place};
pub(crate) use record::{BatchRecord, Found, pivot};

/// How much is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// Hardly anything, to see that it works.
    Quick,
    /// What the goals need and a glance at the rest.
    Usual,
    /// Every combination.
    Full,
}

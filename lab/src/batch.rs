//! Shared structures under many callers: counters, maps and sets, batched implicitly or guarded
//! by what a Rust user has otherwise. A *place* is a contender with a number of threads and the way
//! in which its operations come in (`place.rs`); repetitions are interleaved (`rounds.rs`), and
//! what came of each is checked.

pub(crate) mod counters;
pub(crate) mod fork;
pub(crate) mod maps;
mod place;
mod rounds;

#[cfg(test)]
mod tests;

pub(crate) use place::{Drive, Place};

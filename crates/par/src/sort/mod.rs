//! Sorting: quicksort in place where order among equals does not matter, else mergesort with a
//! buffer.
//!
//! Both fork with `join` at every step and leave small parts to std's sorts, which are faster than
//! any of ours on one thread. Sorted input, and input in reverse, is seen up front by one pass
//! (runs.rs).

mod cached;
mod mend;
mod merge;
mod partition;
mod pivot;
mod quick;
mod runs;
mod stable;

pub(crate) use self::{cached::sort_by_cached_key, quick::sort_unstable, stable::sort_stable};

//! Sorting: unstable sorts are quicksort in place, stable sorts are mergesort with a buffer.
//!
//! Both fork with `join` at every step and leave small parts to std's sorts, which are the fastest
//! on one thread. One pass in advance finds input that is sorted or reversed (runs.rs).

mod cached;
mod mend;
mod merge;
mod partition;
mod pivot;
mod quick;
mod runs;
mod stable;

pub(crate) use self::{cached::sort_by_cached_key, quick::sort_unstable, stable::sort_stable};

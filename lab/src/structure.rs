//! Shared structures: counters and ordered maps, batched or guarded by what a Rust user has
//! otherwise, and what is done to them. `batch.rs` measures them.

mod batched;
pub(crate) mod counter;
pub(crate) mod map;
pub(crate) mod work;

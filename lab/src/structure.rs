//! Shared structures: counters, ordered maps, hash maps and sets of integers, batched or guarded by
//! what a Rust user has otherwise, and what is done to them. `batch.rs` measures them.

pub(crate) mod batched;
pub(crate) mod counter;
pub(crate) mod hash;
pub(crate) mod map;
pub(crate) mod set;
pub(crate) mod work;

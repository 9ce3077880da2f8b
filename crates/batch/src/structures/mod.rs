//! The structures that come with the crate: what they do with a batch, alone and in parallel.

pub(crate) mod counter;
pub(crate) mod fast_counter;
pub mod hash_map;
pub mod int_set;
pub(crate) mod map;
pub(crate) mod priority_queue;
pub(crate) mod union_find;

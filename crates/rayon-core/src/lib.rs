//! The interface of rayon-core 1.13 on sumac's scheduler.
//!
//! Rayon's iterators need nothing else of their scheduler, so a program that says
//!
//! ```toml
//! [patch.crates-io]
//! rayon-core = { path = "sumac/crates/rayon-core" }
//! ```
//!
//! runs all that uses rayon on sumac, unmodified. `docs/under-rayon.md` tells how to see that it
//! does, and what differs.
//!
//! This is but the name, the version and the `links` that cargo compares. All of it is that part of
//! `sumac-rayon` which is not about iterators.

#![forbid(unsafe_code)]

#[allow(deprecated)]
pub use sumac_rayon::{
    BroadcastContext, Configuration, FnContext, Scope, ScopeFifo, ThreadBuilder, ThreadPool,
    ThreadPoolBuildError, ThreadPoolBuilder, Yield, broadcast, current_num_threads,
    current_thread_has_pending_tasks, current_thread_index, in_place_scope, in_place_scope_fifo,
    initialize, join, join_context, max_num_threads, scope, scope_fifo, spawn, spawn_broadcast,
    spawn_fifo, yield_local, yield_now,
};

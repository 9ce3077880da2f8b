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
//! With the environment variable `SUMAC_ANNOUNCE`, whatever its value, each pool that is built says
//! so on standard error.
//!
//! # How it is made
//!
//! Almost everything is sumac-core's, under rayon's names. What is added:
//! * `global.rs`: a global pool of its own. Rayon's functions look there where the calling thread
//!   is inside no pool. One outside caller at a time takes part in its work, as its last thread;
//!   others hand theirs over.
//! * `builder.rs`: rayon's builder. The pools it builds have all of their threads for themselves,
//!   and callers from outside wait, as in rayon.
//! * `join.rs`: what `join_context` tells its closures.

#![forbid(unsafe_code)]

mod announce;
mod builder;
mod configuration;
mod error;
mod global;
mod handlers;
mod join;
mod pool;
mod tasks;

#[allow(deprecated)]
pub use self::configuration::{Configuration, initialize};
pub use self::{
    builder::ThreadPoolBuilder,
    error::ThreadPoolBuildError,
    join::{FnContext, join, join_context},
    pool::{
        ThreadPool, current_num_threads, current_thread_has_pending_tasks, current_thread_index,
        max_num_threads, yield_local, yield_now,
    },
    tasks::{
        broadcast, in_place_scope, in_place_scope_fifo, scope, scope_fifo, spawn, spawn_broadcast,
        spawn_fifo,
    },
};
pub use sumac_core::{BroadcastContext, ScopeFifo, TaskScope as Scope, ThreadBuilder, Yield};

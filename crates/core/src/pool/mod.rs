//! Pools: their handles and builders, the state that the members of a pool share, the seats of
//! threads, and the queues.
//!
//! * `queue.rs`, `inbox.rs`: what is queued for any thread, and for one alone; `find.rs` has the
//!   order in which threads take it.
//! * `reserve.rs`, `spares.rs`: threads for tasks while others are missing.
//! * `wait_for.rs`: which sleeping thread waits for which.
//! * `builder.rs` and `options.rs` ask for a pool, `build.rs` makes it; `handle.rs` resizes it and
//!   ends it.
//! * `tuning.rs`: a pool's policy as text; `observed.rs`: a pool as instruments see it.
//!
//! Uses `policy/`, `protocol/` and `join/`. It leads up to `worker/`, where it starts threads.

mod build;
pub(crate) mod builder;
pub(crate) mod callers;
pub(crate) mod chili;
pub(crate) mod cpu_placement;
pub(crate) mod enclosing;
pub(crate) mod ending;
pub(crate) mod error;
pub(crate) mod find;
pub(crate) mod global;
pub(crate) mod handle;
pub(crate) mod inbox;
pub(crate) mod inside;
pub(crate) mod members;
#[cfg(feature = "hooks")]
pub(crate) mod observed;
pub(crate) mod on_call;
mod options;
mod own_threads;
pub(crate) mod permits;
pub(crate) mod queue;
pub(crate) mod queues;
pub(crate) mod reserve;
pub(crate) mod resizing;
pub(crate) mod seat;
pub(crate) mod seats;
pub(crate) mod shared;
pub(crate) mod spares;
pub(crate) mod spawn;
pub(crate) mod stall;
pub(crate) mod starting;
pub(crate) mod stats;
pub(crate) mod thread_pool;
pub(crate) mod threads;
pub(crate) mod tuning;
pub(crate) mod wait_for;

//! Pools: what users hold and choose, what the members of a pool share, the seats of threads there,
//! and the queues where tasks wait.
//!
//! Uses `policy/`, `protocol/` and `join/`. What it owns but does not understand leads up to
//! `task/` (inboxes, the reserve) and, where threads are started, to `worker/`.

pub(crate) mod builder;
pub(crate) mod callers;
pub(crate) mod chili;
pub(crate) mod cpu_placement;
pub(crate) mod ending;
pub(crate) mod error;
pub(crate) mod fifo;
pub(crate) mod global;
pub(crate) mod guard;
pub(crate) mod inside;
pub(crate) mod members;
pub(crate) mod queue;
pub(crate) mod queues;
pub(crate) mod seat;
pub(crate) mod seats;
pub(crate) mod shared;
pub(crate) mod spawn;
pub(crate) mod starting;
pub(crate) mod stats;
pub(crate) mod thread_pool;
pub(crate) mod threads;

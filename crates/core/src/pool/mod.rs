//! Pools: their handles and builders, the state that the members of a pool share, the seats of
//! threads, and the queues of tasks.
//!
//! Uses `policy/`, `protocol/` and `join/`. It owns parts of `task/` (inboxes, the reserve), and
//! starts threads, which leads up to `worker/`.

pub(crate) mod builder;
pub(crate) mod callers;
pub(crate) mod chili;
pub(crate) mod cpu_placement;
pub(crate) mod ending;
pub(crate) mod error;
pub(crate) mod global;
pub(crate) mod inside;
pub(crate) mod members;
pub(crate) mod on_call;
pub(crate) mod permits;
pub(crate) mod queue;
pub(crate) mod queues;
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

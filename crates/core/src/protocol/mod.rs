//! The protocols between threads: offering a job, asking for one, waiting, sleeping, waking. Each
//! file begins with its essay. Jobs, tasks and pools are only words and addresses here, so that
//! loom can build all of it; `models/` checks it.
//!
//! Uses `unwind.rs`, and `policy/` for the roles of idle workers.

pub(crate) mod attention;
pub(crate) mod biased_lock;
pub(crate) mod completion;
pub(crate) mod demand;
pub(crate) mod dormancy;
#[cfg(any(loom, explore))]
pub(crate) mod faulty;
pub(crate) mod hint;
pub(crate) mod idle;
#[cfg(loom)]
mod loom_atomics;
#[cfg(all(test, loom))]
mod models;
pub(crate) mod nap;
pub(crate) mod offers;
pub(crate) mod parker;
pub(crate) mod primitive;
pub(crate) mod record;
pub(crate) mod remote;
pub(crate) mod slot;
pub(crate) mod spares;
pub(crate) mod stage;
pub(crate) mod task_lists;
pub(crate) mod terms;
pub(crate) mod times;
pub(crate) mod unfinished;
pub(crate) mod waits;
pub(crate) mod watch;

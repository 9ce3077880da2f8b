//! Joins and loops, from the side of the thread that makes them: the hot path, the frames on its
//! stack, how the oldest become jobs, how a job is offered, taken and run, and how its owner gets
//! it back or waits. `thread.rs` is what a thread is inside of, `member.rs` what others see of it.
//!
//! Uses `policy/` and `protocol/`. What leads back up: a member is one of a pool and holds its
//! queues, a thread keeps its seats there, and a join outside of all goes to the global one
//! (`pool/`); a waiter answers calls (`task/`).

pub(crate) mod chain;
pub(crate) mod clock;
pub(crate) mod frame;
pub(crate) mod hot_path;
pub(crate) mod job;
pub(crate) mod lineage;
pub(crate) mod loop_frame;
pub(crate) mod member;
pub(crate) mod nary;
pub(crate) mod promote;
pub(crate) mod run;
pub(crate) mod scope;
pub(crate) mod settle;
pub(crate) mod splitting;
pub(crate) mod steal;
pub(crate) mod thread;
pub(crate) mod wait;
pub(crate) mod word;

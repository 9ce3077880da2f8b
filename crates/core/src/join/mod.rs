//! Joins and loops: the hot path, the frames on a thread's stack, how the oldest become jobs, how a
//! job is offered, taken and run, and how its owner reclaims it or waits. `thread.rs` has a
//! thread's contexts, `member.rs` what other threads see of it.
//!
//! Uses `policy/` and `protocol/`. Calls that lead back up, all to `pool/`: a member belongs to a
//! pool and holds its queues, a thread keeps its seats there, a waiter answers calls and finds
//! tasks, and a join outside of all pools goes to the global one.

pub(crate) mod awaited;
pub(crate) mod chain;
pub(crate) mod clock;
pub(crate) mod frame;
pub(crate) mod hot_path;
pub(crate) mod job;
pub(crate) mod looks;
pub(crate) mod loop_frame;
pub(crate) mod member;
pub(crate) mod nary;
pub(crate) mod promote;
pub(crate) mod remote;
pub(crate) mod run;
pub(crate) mod scope;
pub(crate) mod settle;
pub(crate) mod splitting;
pub(crate) mod steal;
pub(crate) mod thread;
pub(crate) mod wait;
pub(crate) mod word;

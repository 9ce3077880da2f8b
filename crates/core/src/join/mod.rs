//! Joins and loops, from the side of the thread that makes them: the hot path, the frames on its
//! stack, how the oldest become jobs, how a job is run, and how its owner gets it back or waits.
//!
//! Uses `policy/` and `protocol/`. It and `pool/` use each other: a join asks its thread, a member
//! offers jobs. A waiter helps: that leads up to `worker/` and `task/`.

pub(crate) mod chain;
pub(crate) mod clock;
pub(crate) mod frame;
pub(crate) mod hot_path;
pub(crate) mod job;
pub(crate) mod lineage;
pub(crate) mod loop_frame;
pub(crate) mod nary;
pub(crate) mod offers;
pub(crate) mod promote;
pub(crate) mod records;
pub(crate) mod run;
pub(crate) mod scope;
pub(crate) mod settle;
pub(crate) mod splitting;
pub(crate) mod wait;
pub(crate) mod word;

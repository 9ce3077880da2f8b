//! Workers: their life, and their roles while idle.
//!
//! Uses all of `policy/`, `protocol/`, `join/` and `pool/`, and `task/` for tasks to run.

mod cycle;

pub(crate) use self::cycle::work;

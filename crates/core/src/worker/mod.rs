//! The idle: the life of a worker, and its roles.
//!
//! Uses all of `policy/`, `protocol/`, `join/` and `pool/`, and `task/` for tasks to run.

mod cycle;

pub(crate) use self::cycle::work;

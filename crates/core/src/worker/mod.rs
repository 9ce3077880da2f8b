//! The idle: the life of a worker, how it asks for jobs and takes them, and on which processor.
//!
//! Uses all of `policy/`, `protocol/`, `join/` and `pool/`, and `task/` for tasks to run.

mod cycle;
pub(crate) mod steal;

pub(crate) use self::cycle::work;

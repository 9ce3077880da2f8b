//! The scheduler's decisions: whom to ask and for how much, how long to look and to sleep, the
//! roles of workers. Pure functions of numbers, without threads and clocks.
//!
//! Uses `fault.rs`.

mod decisions;
pub(crate) mod roles;
pub(crate) mod tuning;

pub(crate) use self::decisions::*;

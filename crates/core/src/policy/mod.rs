//! The scheduler's decisions: whom to ask and for how much, how long to look and to sleep, the
//! roles of workers. Pure functions of numbers, without threads and clocks, so that the simulator
//! (`lab/src/sim`) uses the same code.
//!
//! Uses `fault.rs`.

mod decisions;
pub mod roles;
pub(crate) mod tuning;

pub use self::decisions::*;

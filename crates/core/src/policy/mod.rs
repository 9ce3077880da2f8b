//! What the scheduler decides: whom to ask and for how much, how long to look and to sleep, who
//! has which role. Numbers in, numbers out, without threads and clocks, so that the simulator
//! (`lab/src/sim`) decides by the very same code.
//!
//! Uses `fault.rs`.

mod decisions;
pub mod roles;
pub(crate) mod tuning;

pub use self::decisions::*;

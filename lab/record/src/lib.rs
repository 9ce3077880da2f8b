//! What every program of the lab shares: how contenders take turns, the record of a visit, and the
//! table of records.

#![forbid(unsafe_code)]

mod line;
pub mod machine;
mod measured;
pub mod stats;
pub mod table;
mod turns;

pub use line::{Cell, CellTimes, FailureKind, Line, Measured, Outcome};
pub use measured::{Asked, Records, distinct, seconds_since_1970, table_of, write_lines};
pub use turns::{Turns, clear_registers, order};

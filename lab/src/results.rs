//! Result files: one JSON line per visit to a cell, only ever appended to. The crate `sumac-record`
//! says what a line holds; reading a file back, whole or damaged, is in `read.rs`.

mod read;

pub(crate) use read::read;
pub(crate) use sumac_record::{Cell, CellTimes, FailureKind, Line, Measured, Outcome};

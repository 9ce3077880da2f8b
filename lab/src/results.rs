//! Result files: one JSON line per visit to a cell, only ever appended to. What a line holds is in
//! `record.rs`; reading a file back, whole or damaged, is in `read.rs`.

mod read;
mod record;

pub(crate) use read::read;
pub(crate) use record::{
    Cell, CellTimes, Counted, Events, FailureKind, Line, Measured, Outcome, Scheduler,
};

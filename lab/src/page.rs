//! Results in documents. `load.rs` gathers the visits, `facts.rs` says what follows from them,
//! `cases.rs` puts them in order; `tables.rs` makes tables and figures of them, which `figure.rs`
//! draws, and `quote.rs` figures for sentences; `splice.rs` puts all into documents; `check.rs`
//! finds the numbers that were typed.

mod cases;
mod check;
mod facts;
mod figure;
mod load;
mod quote;
mod splice;
mod tables;

#[cfg(test)]
pub(crate) mod tests;

pub(crate) use check::{old, typed};
pub(crate) use facts::Facts;
pub(crate) use figure::{Axis, Chart, Line, nanoseconds, number};
pub(crate) use load::experiment as gathered;
pub(crate) use load::{Experiment, Loaded, Tally, load, load_one};
pub(crate) use splice::splice;

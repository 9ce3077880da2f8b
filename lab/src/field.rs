//! Crates that others wrote and that use rayon, run with its own scheduler and with sumac under it:
//! the same versions and the same programs on the same inputs, which must print the same
//! (`field/README.md`). `list.rs` reads which, `input.rs` and `pbbs.rs` make what some of them look
//! at, `build.rs` builds, proves and tests, `visit.rs` runs a program once and `visitor.rs`
//! compares; `tables.rs` says what came of it.

mod build;
mod input;
mod list;
mod pbbs;
mod tables;
mod visit;
mod visitor;

#[cfg(test)]
mod tests;

pub(crate) use build::{Ready, Shop};
pub(crate) use list::{Entry, List};
pub(crate) use tables::{NAME, RPB, crates_failed, sections, spliced};
pub(crate) use visit::{WatchedArgs, watched};
pub(crate) use visitor::Visitor;

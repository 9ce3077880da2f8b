//! Crates that others wrote and that use rayon, run with its own scheduler and with sumac under it:
//! the same versions and the same programs on the same inputs, which must print the same
//! (`field/README.md`). `list.rs` reads which, `input.rs` makes what some of them look at,
//! `build.rs` builds, proves and tests, `visit.rs` runs a program once and `rounds.rs` both builds
//! in turn; `results.rs` keeps what came of it, `tables.rs` says it, `page.rs` shows it.

mod build;
mod input;
mod list;
mod page;
mod results;
mod rounds;
mod tables;
mod visit;

#[cfg(test)]
mod tests;

pub(crate) use build::{Ready, Shop};
pub(crate) use list::{Entry, List};
pub(crate) use page::chapter;
pub(crate) use results::Found;
pub(crate) use rounds::measure;
pub(crate) use tables::{sections, spliced};
pub(crate) use visit::{WatchedArgs, watched};

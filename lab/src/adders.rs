//! The adders: programs of their own, in three languages, that sum the bytes of a file on threads or on ranks (`adders/README.md`).
//! `who.rs` knows how each is started, `input.rs` makes the files, `visit.rs` runs one program once, `rounds.rs` all of them in
//! turn, `results.rs` keeps what came of it, `figures.rs` and `goals.rs` say what that means.

mod figures;
mod goals;
mod input;
mod results;
mod rounds;
mod visit;
mod who;

#[cfg(test)]
mod tests;

pub(crate) use figures::page;
pub(crate) use goals::{cells as goal_cells, verdicts};
pub(crate) use results::{Entry, Found, failures, table};
pub(crate) use rounds::{Cell, Plan, measure};
pub(crate) use visit::{Manner, Seen, Visited};
pub(crate) use who::{Adder, Workshop};

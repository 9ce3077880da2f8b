//! The adders: programs of their own, in three languages, that sum the bytes of a file on threads
//! or on ranks (`adders/README.md`). `who.rs` knows how each is started, `input.rs` makes the
//! files, `visit.rs` runs one program once, `rounds.rs` all of them in turn, `results.rs` keeps
//! what came of it, `figures.rs` says what that means, `page.rs` shows it.

mod figures;
mod input;
mod page;
mod results;
mod rounds;
mod visit;
mod who;

#[cfg(test)]
pub(crate) mod fixture;
#[cfg(test)]
mod tests;

pub(crate) use page::{chapter, page};
pub(crate) use results::{
    Entry, beaten_section, goal_cells, goals_section, read, tables, verdicts, warm_ns,
};
pub(crate) use rounds::{Came, Cell, Plan, measure};
pub(crate) use visit::{Found, Manner, Seen};
pub(crate) use who::{Adder, Workshop};

//! The adders: programs of their own, in three languages, that sum the bytes of a file on threads
//! or on ranks (`adders/README.md`). `who.rs` knows how each is started, `input.rs` makes the
//! files, `visit.rs` runs one program once, `rounds.rs` all of them in turn, `results.rs` keeps
//! what came of it, `figures.rs` and `goals.rs` say what that means, `page.rs` shows it.

mod figures;
mod goals;
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

pub(crate) use goals::{cells as goal_cells, section as goals_section, verdicts};
pub(crate) use page::{chapter, page};
pub(crate) use results::{Entry, Found, beaten_section, read, tables, warm_ns};
pub(crate) use rounds::{Came, Cell, Plan, measure};
pub(crate) use visit::{Manner, Seen, Visited};
pub(crate) use who::{Adder, Workshop};

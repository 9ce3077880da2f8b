//! The adders: programs of their own, in three languages, that sum the bytes of a file on threads or on ranks (`adders/README.md`).
//! `who.rs` knows how each is started, `input.rs` makes the files, `visit.rs` runs one program once, `rounds.rs` all of them in
//! turn, `results.rs` keeps what came of it, `figures.rs` and `goals.rs` say what that means, `page.rs` shows it.

#[cfg(feature = "report")]
mod figures;
mod goals;
mod input;
#[cfg(feature = "report")]
mod page;
mod results;
mod rounds;
mod visit;
mod who;

#[cfg(all(test, feature = "report"))]
pub(crate) mod fixture;
#[cfg(all(test, feature = "report"))]
mod tests;

pub(crate) use goals::{cells as goal_cells, section as goals_section, verdicts};
#[cfg(feature = "report")]
pub(crate) use page::{chapter, page};
pub(crate) use results::{Entry, Found, beaten_section, read, tables, warm_ns};
pub(crate) use rounds::{Came, Cell, Plan, measure};
pub(crate) use visit::{Manner, Seen, Visited};
pub(crate) use who::{Adder, Workshop};

//! The adders: programs of their own, in three languages, that sum the bytes of a file on threads
//! or on ranks (`adders/README.md`). `who.rs` knows how each is started, `input.rs` makes the
//! files, `visit.rs` runs one program once, as all visits are made (`cells.rs`); `results.rs` and
//! `figures.rs` say what came of it.

mod figures;
mod input;
mod published;
mod results;
mod visit;
mod who;

#[cfg(test)]
pub(crate) mod tests;

pub(crate) use figures::{over_kernels, over_sizes};
pub(crate) use published::beside_published;
pub(crate) use results::{At, NAME, at, by_kernels, table_of, tables};
pub(crate) use visit::Visitor;
pub(crate) use who::{ADDERS, Adder, BYTES, Workshop};

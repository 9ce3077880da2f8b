//! The programs, for libraries with rayon's interface. Each is one text in four modes.

#[macro_use]
mod geometry;
#[macro_use]
mod graphs;
#[macro_use]
mod lists;
#[macro_use]
mod loops;

/// Joins down to single elements, and plain parallel iterators.
pub(crate) const NONE: u8 = 0;
/// With the cut-offs and shortest lengths that make it fast on rayon.
pub(crate) const TUNED: u8 = 1;
/// Without parallelism: what is below the cut-offs of the tuned one.
pub(crate) const SEQUENTIAL: u8 = 2;
/// Calls in place of joins, without the cut-offs: what they would save without any scheduler.
pub(crate) const CALLS: u8 = 3;

macro_rules! texts {
    ($library:ident) => {
        use $library::prelude::*;

        loops!($library);
        lists!();
        graphs!();
        geometry!();
    };
}

pub(crate) mod by_rayon {
    texts!(rayon);
}

pub(crate) mod by_sumac {
    texts!(sumac);
}

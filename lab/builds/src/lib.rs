//! What a fork costs in each of the builds that users make: the program that is measured.
//!
//! Code that users compile is theirs and ours at once: joins are inlined into their functions, or
//! are not. So the program lives in a library, as theirs does, and nothing here knows how it is
//! built. The binary of this package links the library, or loads it as a shared one (`library.rs`),
//! and measures either way.

#![deny(unsafe_code)]

mod library;
mod sums;
mod tree;

pub use library::load;
pub use sums::{CONTENDERS, Measure, Work, calls_of, measure, pieces_of};

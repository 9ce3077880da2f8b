//! Loops and iterators of sumac: data parallelism that is split on demand and has no grain size.
//!
//! Use the crate `sumac`, which re-exports all of this.

#![deny(unsafe_code)]

mod adapt;
mod attempt;
mod block;
mod cancel;
mod consume;
mod debug;
mod flag;
pub mod functions;
pub mod iter;
mod kernel;
mod ordered;
mod producer;
mod scan;
pub mod shape;
pub mod slice;
mod sort;
mod source;
mod unwind;

pub mod prelude;

pub use cancel::CancelToken;
pub use source::{
    array, collections, option, range, range_inclusive, result, string, text as str, vec,
};

#[cfg(doctest)]
mod compile_fail;

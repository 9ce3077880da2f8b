//! Implicit batching: data structures that many tasks use as if alone.

#![deny(unsafe_code)]

mod map;
mod structure;

pub use self::{
    map::{
        Contains, First, Get, Insert, Last, Len, MapAnswer, MapOp, OrderedMap, Predecessor, Range,
        Remove, SkipList, Successor, Tree,
    },
    structure::{BatchedStructure, Operation, Plain, Request, run_alone},
};

/// The iterators of [`Tree`].
pub mod tree {
    pub use crate::map::tree::{IntoIter, Iter, Range};
}

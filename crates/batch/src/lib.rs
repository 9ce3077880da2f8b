//! Implicit batching: data structures that many tasks use as if alone.

#![deny(unsafe_code)]

mod map;
mod structure;

pub use self::{
    map::{
        Contains, First, Get, Insert, Last, Len, MapAnswer, MapOp, OrderedMap, Predecessor, Range,
        Remove, SkipList, Successor, Tree, skip_list,
    },
    structure::{BatchedStructure, Operation, Plain, Request, run_alone},
};

//! Implicit batching: data structures that many tasks use as if alone.

#![deny(unsafe_code)]

mod counter;
mod map;
mod priority_queue;
mod structure;
mod union_find;

pub use self::{
    counter::{Add, Counter, CounterOp, Read},
    map::{
        Contains, First, Get, Insert, Last, Len, MapAnswer, MapOp, OrderedMap, Predecessor, Range,
        Remove, SkipList, Successor, Tree,
    },
    priority_queue::{Peek, Pop, PriorityQueue, PriorityQueueAnswer, PriorityQueueOp, Push},
    structure::{BatchedStructure, Operation, Plain, Request, run_alone},
    union_find::{Find, Same, Sets, Union, UnionFind, UnionFindAnswer, UnionFindOp},
};

//! What the adders in Rust have in common: the sum itself, who gets which bytes, and the protocol
//! that all adders speak, those in C and Julia too (`adders/README.md`).

#![forbid(unsafe_code)]

mod bytes;
mod first;
mod gate;
mod kernel;
mod protocol;
mod tree;

pub use self::{
    bytes::Bytes,
    first::{First, Method, sum_one_by_one},
    gate::Gate,
    kernel::{read, sum},
    protocol::{Failure, Job, Report, complain, microseconds, threads, variable},
    tree::{Node, cells},
};

//! Ordered maps: what the two of them have in common. The tree is for users; the skip list is for
//! comparisons with the predecessor, whose structure it is.
//!
//! Both carry out a batch alike (`batch.rs`): the operations that look at many keys come first and
//! see the map as it was; those that concern one key are sorted by key, and those with the same key
//! stay in their order of arrival. So a batch is as if its operations came in that order.

mod batch;
mod group;
mod op;
#[cfg(test)]
#[path = "../../../tests/oracle/mod.rs"]
mod oracle;
mod prefetch;
#[cfg(feature = "skip-list")]
pub(crate) mod skip_list;
pub(crate) mod sort;
pub mod tree;

pub use self::op::{
    Contains, First, Get, Insert, Last, Len, MapAnswer, MapOp, OrderedMap, Predecessor, Range,
    Remove, Successor, TakeRange,
};
pub use self::tree::Tree;

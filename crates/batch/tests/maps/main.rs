//! Ordered maps as users see them: one suite for the skip list and the tree, which are `Map` in it.

#![forbid(unsafe_code)]
#![allow(clippy::duplicate_mod, reason = "each map has the suite")]

#[path = "../oracle/mod.rs"]
mod oracle;
mod skip_list;
mod tree;
mod world;

use sumac_batch::{MapAnswer, MapOp};

/// The numbers below `n` in an order that looks random.
fn scattered(n: u64) -> impl Iterator<Item = u64> + Clone {
    (0..n).map(move |i| i * 7919 % n)
}

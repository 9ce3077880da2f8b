//! The traits of parallel iterators, and the types of their adaptors.

mod convert;
mod indexed;
mod parallel;

pub use self::{
    convert::{
        FromParallelIterator, IntoParallelIterator, IntoParallelRefIterator,
        IntoParallelRefMutIterator, ParallelDrainFull, ParallelDrainRange, ParallelExtend,
    },
    indexed::IndexedParallelIterator,
    parallel::ParallelIterator,
};
pub use crate::adapt::{filter::Filter, map::Map, zip::Zip};
pub use crate::attempt::Try;
pub use crate::source::{
    bridge::{IterBridge, ParallelBridge},
    option::{Empty, Once, empty, once},
    repeat::{Repeat, RepeatN, repeat, repeat_n},
    tree::{
        Split, WalkTree, WalkTreePostfix, WalkTreePrefix, split, walk_tree, walk_tree_postfix,
        walk_tree_prefix,
    },
};

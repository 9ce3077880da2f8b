//! The traits of parallel iterators, and the types of their adaptors.

mod convert;
mod indexed;
mod parallel;
pub mod plumbing;

pub use self::{
    convert::{
        FromParallelIterator, IntoParallelIterator, IntoParallelRefIterator,
        IntoParallelRefMutIterator, ParallelDrainFull, ParallelDrainRange, ParallelExtend,
    },
    indexed::IndexedParallelIterator,
    parallel::ParallelIterator,
};
pub use crate::adapt::{
    chain::Chain,
    chunks::{Chunks, FoldChunks, FoldChunksWith},
    deterministic::Deterministic,
    enumerate::Enumerate,
    filter::{Filter, FilterMap, FlatMapIter, FlattenIter, Positions},
    flat_map::{FlatMap, Flatten},
    fold::{Fold, FoldWith},
    hints::{ExponentialBlocks, MinLen, UniformBlocks},
    interleave::{Interleave, InterleaveShortest},
    intersperse::Intersperse,
    map::{Cloned, Copied, Inspect, Map, MapInit, MapWith, Update},
    max_len::MaxLen,
    multizip::MultiZip,
    panic_fuse::PanicFuse,
    rev::Rev,
    step_by::StepBy,
    take::{Skip, Take},
    try_fold::{TryFold, TryFoldWith},
    until::{SkipAny, SkipAnyWhile, TakeAny, TakeAnyWhile, UntilCancelled, WhileSome},
    zip::{Zip, ZipEq},
};
pub use crate::attempt::Try;
pub use crate::ordered::{Ordered, ParallelOrdered};
pub use crate::source::{
    bridge::{IterBridge, ParallelBridge},
    option::{Empty, Once, empty, once},
    repeat::{Repeat, RepeatN, repeat, repeat_n},
    tree::{
        Split, WalkTree, WalkTreePostfix, WalkTreePrefix, split, walk_tree, walk_tree_postfix,
        walk_tree_prefix,
    },
};
#[doc(no_inline)]
pub use either::Either;

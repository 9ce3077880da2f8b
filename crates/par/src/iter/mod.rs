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
    chunks::Chunks,
    deterministic::Deterministic,
    enumerate::Enumerate,
    filter::Filter,
    filter_map::FilterMap,
    flat_map::{FlatMap, Flatten},
    flat_map_iter::{FlatMapIter, FlattenIter},
    fold::{Fold, FoldWith},
    fold_chunks::{FoldChunks, FoldChunksWith},
    hints::{ExponentialBlocks, MinLen, UniformBlocks},
    interleave::{Interleave, InterleaveShortest},
    intersperse::Intersperse,
    map::{Cloned, Copied, Inspect, Map, MapInit, MapWith, Update},
    max_len::MaxLen,
    multizip::MultiZip,
    panic_fuse::PanicFuse,
    positions::Positions,
    rev::Rev,
    step_by::StepBy,
    take::{Skip, Take},
    take_any::{SkipAny, TakeAny},
    take_any_while::{SkipAnyWhile, TakeAnyWhile},
    try_fold::{TryFold, TryFoldWith},
    until_cancelled::UntilCancelled,
    while_some::WhileSome,
    zip::Zip,
    zip_eq::ZipEq,
};
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
#[doc(no_inline)]
pub use either::Either;

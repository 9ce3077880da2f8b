//! The traits of parallel iterators, and the types of their adaptors.

mod convert;
mod indexed;
mod parallel;

pub use self::{
    convert::{
        FromParallelIterator, IntoParallelIterator, IntoParallelRefIterator,
        IntoParallelRefMutIterator, ParallelExtend,
    },
    indexed::IndexedParallelIterator,
    parallel::ParallelIterator,
};
pub use crate::adapt::{filter::Filter, map::Map, zip::Zip};

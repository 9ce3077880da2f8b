//! Rayon's prelude.

pub use crate::{
    iter::{
        FromParallelIterator, IndexedParallelIterator, IntoParallelIterator,
        IntoParallelRefIterator, IntoParallelRefMutIterator, ParallelBridge, ParallelDrainFull,
        ParallelDrainRange, ParallelExtend, ParallelIterator,
    },
    slice::{ParallelSlice, ParallelSliceMut},
    str::ParallelString,
};

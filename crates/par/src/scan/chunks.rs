//! Hands out a slice in chunks, in order.
//!
//! How long a chunk should be goes by the clock, as for blocks (block.rs), but ten times longer: handing it out and passing on
//! takes some hundred nanoseconds if another thread is at it. A chunk fits the cache of a core, and towards the end chunks get shorter.

use crate::block;
use std::{
    mem,
    sync::{Mutex, PoisonError},
};
use sumac_core::current_num_threads;

/// How many blocks' time a chunk should last.
const BLOCKS: u64 = 16;
/// How many bytes a chunk has at most: it has to stay in a core's cache while it is looked at twice.
const BYTES: usize = 1 << 16;

pub(super) struct Chunks<'v, T> {
    rest: Mutex<Rest<'v, T>>,
    /// The longest chunk that may be.
    most: usize,
    threads: usize,
}

struct Rest<'v, T> {
    slice: &'v mut [T],
    /// The index of the next chunk.
    index: usize,
}

impl<'v, T> Chunks<'v, T> {
    pub(super) fn new(slice: &'v mut [T]) -> Self {
        Chunks {
            rest: Mutex::new(Rest { slice, index: 0 }),
            most: BYTES / size_of::<T>().max(1),
            threads: current_num_threads(),
        }
    }

    /// How many threads there are for it.
    pub(super) fn threads(&self) -> usize {
        self.threads
    }

    /// The next chunk and its index: about `len` elements.
    pub(super) fn next(&self, len: usize) -> Option<(usize, &'v mut [T])> {
        let mut rest = self.rest.lock().unwrap_or_else(PoisonError::into_inner);
        let left = rest.slice.len();
        if left == 0 {
            return None;
        }
        let fair = left.div_ceil(2 * self.threads);
        let len = len.min(self.most).min(fair).max(1);
        let (chunk, others) = mem::take(&mut rest.slice).split_at_mut(len);
        rest.slice = others;
        rest.index += 1;
        Some((rest.index - 1, chunk))
    }
}

/// The length of the next chunk after one of `len` that took so many nanoseconds.
pub(super) fn next_len(len: usize, took: u64) -> usize {
    block::next(len, took / BLOCKS)
}

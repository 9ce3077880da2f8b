//! Hands out a slice in chunks, in order.

use crate::unwind::lock;
use std::{
    mem,
    sync::{Mutex, MutexGuard},
};

pub(super) struct Chunks<'v, T> {
    rest: Mutex<Rest<'v, T>>,
    threads: usize,
}

struct Rest<'v, T> {
    slice: &'v mut [T],
    /// The index of the next chunk.
    index: usize,
}

impl<'v, T> Rest<'v, T> {
    fn take(&mut self, len: usize) -> Option<(usize, &'v mut [T])> {
        let len = len.min(self.slice.len());
        if len == 0 {
            return None;
        }
        let (chunk, others) = mem::take(&mut self.slice).split_at_mut(len);
        self.slice = others;
        self.index += 1;
        Some((self.index - 1, chunk))
    }
}

impl<'v, T> Chunks<'v, T> {
    /// The chunks of a slice that `threads` threads may work on.
    pub(super) fn new(slice: &'v mut [T], threads: usize) -> Self {
        Chunks {
            rest: Mutex::new(Rest { slice, index: 0 }),
            threads,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Rest<'v, T>> {
        lock(&self.rest)
    }

    /// Returns the next chunk and its index. The chunk has the length that `len` returns, or less
    /// near the end, but at least `least`.
    pub(super) fn next(
        &self,
        least: usize,
        len: impl FnOnce(usize) -> usize,
    ) -> Option<(usize, &'v mut [T])> {
        let mut rest = self.lock();
        let fair = rest.slice.len() / (2 * self.threads);
        let len = len(rest.index).min(fair.max(least));
        rest.take(len)
    }

    /// Returns `len` more elements, if the next chunk has this index, and enough remains for the
    /// others.
    pub(super) fn more(&self, index: usize, len: usize) -> Option<&'v mut [T]> {
        let mut rest = self.lock();
        let fair = rest.slice.len() / (2 * self.threads);
        if rest.index != index || len > fair {
            return None;
        }
        rest.take(len).map(|(_, chunk)| chunk)
    }
}

//! Chunks and windows of slices, from the front or from the back.
//!
//! The remaining items are a slice; a split cuts it between two chunks. Exact chunks set the
//! remainder aside at the start.

use crate::{
    iter::{IndexedParallelIterator, ParallelIterator},
    shape::{Producer, Seal, drive_indexed, indexed_source},
};
use std::{mem, slice};

/// One kind of chunks: its names, the type of the slice, the number of chunks, and how to cut off
/// `n` of them.
macro_rules! chunks {
    (
        $(#[$attr:meta])*
        $Name:ident, $method:ident, [$T:ident: $bound:path] $Slice:ty,
        |$s:ident, $size:ident| $len:expr, |$n:ident| $cut:expr
    ) => {
        $(#[$attr])*
        #[must_use = "iterators are lazy"]
        pub struct $Name<'data, $T> {
            slice: $Slice,
            size: usize,
        }

        impl<'data, $T> $Name<'data, $T> {
            pub(crate) fn new(slice: $Slice, size: usize) -> Self {
                assert_ne!(size, 0, concat!(stringify!($method), " have elements"));
                $Name { slice, size }
            }
        }

        indexed_source! {
            ['data, $T: $bound] $Name<'data, $T> => $Slice,
            |chunks| $Name { slice: mem::take(&mut chunks.slice), size: chunks.size }
        }

        impl<'data, $T: $bound> Producer for $Name<'data, $T> {
            type Item = $Slice;
            type State = ();
            type Iter = slice::$Name<'data, $T>;

            fn len(&self) -> usize {
                let ($s, $size) = (&self.slice, self.size);
                $len
            }

            fn split_at(self, at: usize) -> (Self, Self) {
                let $Name { slice: $s, size: $size } = self;
                let $n = at;
                let (left, right) = $cut;
                let part = |slice| $Name { slice, size: $size };
                (part(left), part(right))
            }

            fn state(&self) {}

            fn iter(self, (): &()) -> Self::Iter {
                self.slice.$method(self.size)
            }
        }
    };
}

/// Returns the number of elements of `n` chunks, limited to `len`.
fn elements(n: usize, size: usize, len: usize) -> usize {
    n.saturating_mul(size).min(len)
}

fn swap<A, B>((a, b): (A, B)) -> (B, A) {
    (b, a)
}

chunks! {
    /// See [`par_chunks`](crate::slice::ParallelSlice::par_chunks).
    #[derive(Debug)]
    Chunks, chunks, [T: Sync] &'data [T],
    |s, size| s.len().div_ceil(size), |n| s.split_at(elements(n, size, s.len()))
}

chunks! {
    /// See [`par_chunks_mut`](crate::slice::ParallelSliceMut::par_chunks_mut).
    #[derive(Debug)]
    ChunksMut, chunks_mut, [T: Send] &'data mut [T],
    |s, size| s.len().div_ceil(size), |n| s.split_at_mut(elements(n, size, s.len()))
}

chunks! {
    /// See [`par_rchunks`](crate::slice::ParallelSlice::par_rchunks).
    #[derive(Debug)]
    RChunks, rchunks, [T: Sync] &'data [T],
    |s, size| s.len().div_ceil(size), |n| swap(s.split_at(s.len() - elements(n, size, s.len())))
}

chunks! {
    /// See [`par_rchunks_mut`](crate::slice::ParallelSliceMut::par_rchunks_mut).
    #[derive(Debug)]
    RChunksMut, rchunks_mut, [T: Send] &'data mut [T],
    |s, size| s.len().div_ceil(size), |n| swap(s.split_at_mut(s.len() - elements(n, size, s.len())))
}

chunks! {
    /// See [`par_windows`](crate::slice::ParallelSlice::par_windows).
    #[derive(Debug)]
    Windows, windows, [T: Sync] &'data [T],
    |s, size| s.len().saturating_sub(size - 1), |n| (&s[..s.len().min(n + (size - 1))], &s[n..])
}

macro_rules! clone {
    ($($Name:ident)*) => {$(
        impl<T> Clone for $Name<'_, T> {
            fn clone(&self) -> Self {
                $Name { ..*self }
            }
        }
    )*};
}

clone! { Chunks RChunks Windows ChunksExact RChunksExact }

/// A kind of chunks that are all of the same size.
macro_rules! exact {
    ($(#[$attr:meta])* $Name:ident, $Base:ident, [$T:ident: $bound:path] $Slice:ty, |$s:ident, $left_over:ident| $cut:expr) => {
        $(#[$attr])*
        #[must_use = "iterators are lazy"]
        pub struct $Name<'data, $T> {
            slice: $Slice,
            size: usize,
            rest: $Slice,
        }

        impl<'data, $T> $Name<'data, $T> {
            pub(crate) fn new($s: $Slice, size: usize) -> Self {
                assert_ne!(size, 0, "chunks have elements");
                let $left_over = $s.len() % size;
                let (slice, rest) = $cut;
                $Name { slice, size, rest }
            }
        }

        impl<'data, $T: $bound> ParallelIterator for $Name<'data, $T> {
            type Item = $Slice;

            drive_indexed!();
        }

        impl<'data, $T: $bound> IndexedParallelIterator for $Name<'data, $T> {
            type Producer<'p>
                = $Base<'data, $T>
            where
                Self: 'p;

            fn len(&self) -> usize {
                self.slice.len() / self.size
            }

            fn producer(&mut self, _: Seal) -> Self::Producer<'_> {
                $Base {
                    slice: mem::take(&mut self.slice),
                    size: self.size,
                }
            }
        }
    };
}

exact! {
    /// See [`par_chunks_exact`](crate::slice::ParallelSlice::par_chunks_exact).
    #[derive(Debug)]
    ChunksExact, Chunks, [T: Sync] &'data [T],
    |s, left_over| s.split_at(s.len() - left_over)
}

exact! {
    /// See [`par_chunks_exact_mut`](crate::slice::ParallelSliceMut::par_chunks_exact_mut).
    #[derive(Debug)]
    ChunksExactMut, ChunksMut, [T: Send] &'data mut [T],
    |s, left_over| s.split_at_mut(s.len() - left_over)
}

exact! {
    /// See [`par_rchunks_exact`](crate::slice::ParallelSlice::par_rchunks_exact).
    #[derive(Debug)]
    RChunksExact, RChunks, [T: Sync] &'data [T],
    |s, left_over| swap(s.split_at(left_over))
}

exact! {
    /// See [`par_rchunks_exact_mut`](crate::slice::ParallelSliceMut::par_rchunks_exact_mut).
    #[derive(Debug)]
    RChunksExactMut, RChunksMut, [T: Send] &'data mut [T],
    |s, left_over| swap(s.split_at_mut(left_over))
}

macro_rules! remainder {
    ($($Name:ident)*) => {$(
        impl<'data, T> $Name<'data, T> {
            /// Returns the elements that are left over: fewer than a chunk has.
            ///
            /// ```
            /// use sumac::prelude::*;
            /// assert_eq!([1, 2, 3, 4, 5].par_chunks_exact(2).remainder(), [5]);
            /// assert_eq!([1, 2, 3, 4, 5].par_rchunks_exact(2).remainder(), [1]);
            /// ```
            pub fn remainder(&self) -> &'data [T] {
                self.rest
            }
        }
    )*};
}

remainder! { ChunksExact RChunksExact }

macro_rules! remainder_mut {
    ($($Name:ident)*) => {$(
        impl<'data, T> $Name<'data, T> {
            /// Returns the elements that are left over: fewer than a chunk has.
            ///
            /// ```
            /// use sumac::prelude::*;
            /// let mut v = [1, 2, 3, 4, 5];
            /// v.par_chunks_exact_mut(2).into_remainder()[0] = 9;
            /// assert_eq!(v, [1, 2, 3, 4, 9]);
            /// ```
            pub fn into_remainder(self) -> &'data mut [T] {
                self.rest
            }

            /// Returns the elements that are left over.
            ///
            /// ```
            /// use sumac::prelude::*;
            /// let mut v = [1, 2, 3, 4, 5];
            /// v.par_chunks_exact_mut(2).remainder()[0] = 9;
            /// assert_eq!(v, [1, 2, 3, 4, 9]);
            /// ```
            pub fn remainder(&mut self) -> &mut [T] {
                self.rest
            }

            /// Returns the elements that are left over; from then on, none are.
            ///
            /// ```
            /// use sumac::prelude::*;
            /// let mut v = [1, 2, 3, 4, 5];
            /// let mut chunks = v.par_chunks_exact_mut(2);
            /// let rest = chunks.take_remainder();
            /// chunks.for_each(|chunk| chunk.reverse());
            /// rest[0] = 9;
            /// assert_eq!(v, [2, 1, 4, 3, 9]);
            /// ```
            pub fn take_remainder(&mut self) -> &'data mut [T] {
                mem::take(&mut self.rest)
            }
        }
    )*};
}

remainder_mut! { ChunksExactMut RChunksExactMut }

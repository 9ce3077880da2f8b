//! `par_chunk_by`: slices in chunks of neighbours that belong together.
//!
//! The remaining items are a slice, and positions are elements. A split searches from its position
//! for the next start of a chunk. So it compares the neighbours there, and its left part remembers
//! how many elements at its end belong to the element before them (*tail*). Each two neighbours are
//! compared once, however the slice is divided.

use super::pieces::{clone_pieces, pieces};
use crate::shape::Producer;
use std::mem;

/// Returns how many elements of `slice` from its `begin`th on belong to the element before it.
fn together<T>(slice: &[T], begin: usize, belong: impl Fn(&T, &T) -> bool) -> usize {
    let pairs = slice[begin - 1..].windows(2);
    pairs.take_while(|pair| belong(&pair[0], &pair[1])).count()
}

/// Returns where a split at `at` cuts the slice, and the tail of its left part.
fn cut<T>(slice: &[T], tail: usize, at: usize, belong: impl Fn(&T, &T) -> bool) -> (usize, usize) {
    let compared = slice.len() - tail;
    if at < compared {
        let behind = together(&slice[..compared], at, belong);
        if at + behind < compared {
            return (at + behind, behind);
        }
    }
    // No chunk starts here or behind.
    (slice.len(), slice.len() - at.min(compared))
}

macro_rules! chunk_by {
    ($(#[$attr:meta])* $Name:ident, $Rest:ident, $split_at:ident, [$T:ident: $bound:path] $Slice:ty) => {
        pieces! {
            $(#[$attr])* $Name [$T: $bound] $Slice, Fn(&$T, &$T),
            |slice, f| $Rest { slice, tail: 0, f }
        }

        /// The remaining chunks, also as a sequential iterator.
        struct $Rest<'data, 'f, $T, F> {
            slice: $Slice,
            tail: usize,
            f: &'f F,
        }

        impl<'data, 'f, $T, F> Producer for $Rest<'data, 'f, $T, F>
        where
            $T: $bound,
            F: Fn(&$T, &$T) -> bool + Sync,
        {
            type Item = $Slice;
            type State = ();
            type Iter = Self;

            fn len(&self) -> usize {
                self.slice.len()
            }

            fn split_at(self, at: usize) -> (Self, Self) {
                let $Rest { slice, tail, f } = self;
                let (middle, behind) = cut(slice, tail, at, f);
                let (left, right) = slice.$split_at(middle);
                let part = |slice, tail| $Rest { slice, tail, f };
                let right_tail = if right.is_empty() { 0 } else { tail };
                (part(left, behind), part(right, right_tail))
            }

            fn state(&self) {}

            fn iter(self, (): &()) -> Self {
                self
            }
        }

        impl<'data, $T, F> Iterator for $Rest<'data, '_, $T, F>
        where
            F: Fn(&$T, &$T) -> bool,
        {
            type Item = $Slice;

            #[inline]
            fn next(&mut self) -> Option<$Slice> {
                let slice = mem::take(&mut self.slice);
                if slice.is_empty() {
                    return None;
                }
                let (end, _) = cut(slice, self.tail, 1, self.f);
                let (chunk, rest) = slice.$split_at(end);
                self.slice = rest;
                Some(chunk)
            }
        }
    };
}

chunk_by! {
    /// See [`par_chunk_by`](crate::slice::ParallelSlice::par_chunk_by).
    ChunkBy, Rest, split_at, [T: Sync] &'data [T]
}

chunk_by! {
    /// See [`par_chunk_by_mut`](crate::slice::ParallelSliceMut::par_chunk_by_mut).
    ChunkByMut, RestMut, split_at_mut, [T: Send] &'data mut [T]
}

clone_pieces! { ChunkBy }

//! Parallel methods of slices: chunks, windows, pieces, sorts and scans.

pub use crate::source::slice::{
    Iter, IterMut,
    array_windows::ArrayWindows,
    chunk_by::{ChunkBy, ChunkByMut},
    chunks::{
        Chunks, ChunksExact, ChunksExactMut, ChunksMut, RChunks, RChunksExact, RChunksExactMut,
        RChunksMut, Windows,
    },
    shared::ParallelSlice,
    split::{Split, SplitInclusive, SplitInclusiveMut, SplitMut},
};

use crate::{scan, sort};
use std::cmp::Ordering;

/// Parallel methods of mutable slices.
pub trait ParallelSliceMut<T: Send> {
    /// Returns the slice.
    fn as_parallel_slice_mut(&mut self) -> &mut [T];

    /// Divides the slice into chunks of `chunk_size` elements; the last may have fewer.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// let mut v = [1, 2, 3, 4, 5];
    /// v.par_chunks_mut(2).for_each(|chunk| chunk.reverse());
    /// assert_eq!(v, [2, 1, 4, 3, 5]);
    /// ```
    ///
    /// # Panics
    /// If `chunk_size` is 0.
    fn par_chunks_mut(&mut self, chunk_size: usize) -> ChunksMut<'_, T> {
        ChunksMut::new(self.as_parallel_slice_mut(), chunk_size)
    }

    /// Divides the slice into chunks of exactly `chunk_size` elements; the remainder at the end is
    /// left out.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// let mut v = [1, 2, 3, 4, 5];
    /// v.par_chunks_exact_mut(2).for_each(|chunk| chunk.reverse());
    /// assert_eq!(v, [2, 1, 4, 3, 5]);
    /// ```
    ///
    /// # Panics
    /// If `chunk_size` is 0.
    fn par_chunks_exact_mut(&mut self, chunk_size: usize) -> ChunksExactMut<'_, T> {
        ChunksExactMut::new(self.as_parallel_slice_mut(), chunk_size)
    }

    /// Divides the slice into chunks of `chunk_size` elements, from its end; the chunk at the
    /// beginning may have fewer.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// let mut v = [1, 2, 3, 4, 5];
    /// v.par_rchunks_mut(2).for_each(|chunk| chunk.reverse());
    /// assert_eq!(v, [1, 3, 2, 5, 4]);
    /// ```
    ///
    /// # Panics
    /// If `chunk_size` is 0.
    fn par_rchunks_mut(&mut self, chunk_size: usize) -> RChunksMut<'_, T> {
        RChunksMut::new(self.as_parallel_slice_mut(), chunk_size)
    }

    /// Divides the slice into chunks of exactly `chunk_size` elements, from its end; the remainder
    /// at the beginning is left out.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// let mut v = [1, 2, 3, 4, 5];
    /// v.par_rchunks_exact_mut(2).for_each(|chunk| chunk.reverse());
    /// assert_eq!(v, [1, 3, 2, 5, 4]);
    /// ```
    ///
    /// # Panics
    /// If `chunk_size` is 0.
    fn par_rchunks_exact_mut(&mut self, chunk_size: usize) -> RChunksExactMut<'_, T> {
        RChunksExactMut::new(self.as_parallel_slice_mut(), chunk_size)
    }

    /// Splits the slice at the elements for which `f` holds; the pieces do not contain them.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// let mut v = [1, 2, 3, 4, 5, 6];
    /// v.par_split_mut(|x| x % 3 == 0).for_each(|piece| piece.reverse());
    /// assert_eq!(v, [2, 1, 3, 5, 4, 6]);
    /// ```
    fn par_split_mut<F>(&mut self, f: F) -> SplitMut<'_, T, F>
    where
        F: Fn(&T) -> bool + Sync + Send,
    {
        SplitMut::new(self.as_parallel_slice_mut(), f)
    }

    /// Splits the slice behind the elements for which `f` holds, which end the pieces.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// let mut v = [1, 2, 3, 4, 5, 6];
    /// v.par_split_inclusive_mut(|x| x % 3 == 0).for_each(|piece| piece.reverse());
    /// assert_eq!(v, [3, 2, 1, 6, 5, 4]);
    /// ```
    fn par_split_inclusive_mut<F>(&mut self, f: F) -> SplitInclusiveMut<'_, T, F>
    where
        F: Fn(&T) -> bool + Sync + Send,
    {
        SplitInclusiveMut::new(self.as_parallel_slice_mut(), f)
    }

    /// Divides the slice into chunks in which `f` holds for each two neighbours.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// let mut v = [1, 2, 3, 4, 5, 6];
    /// v.par_chunk_by_mut(|a, b| a / 3 == b / 3).for_each(|piece| piece.reverse());
    /// assert_eq!(v, [2, 1, 5, 4, 3, 6]);
    /// ```
    fn par_chunk_by_mut<F>(&mut self, f: F) -> ChunkByMut<'_, T, F>
    where
        F: Fn(&T, &T) -> bool + Sync + Send,
    {
        ChunkByMut::new(self.as_parallel_slice_mut(), f)
    }

    // Sorting.

    /// Sorts the slice; equal elements stay in order.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// let mut v = [-5, 4, 1, -3, 2];
    /// v.par_sort();
    /// assert_eq!(v, [-5, -3, 1, 2, 4]);
    /// ```
    ///
    /// # Cost
    /// O(*n* log *n*), and a buffer as long as the slice. A slice in order, or in strictly
    /// descending order, costs one pass.
    ///
    /// # Panics
    /// If a comparison panics, and possibly if the order is not total. The slice then has all its
    /// elements, in an unspecified order.
    fn par_sort(&mut self)
    where
        T: Ord,
    {
        sort::sort_stable(self.as_parallel_slice_mut(), &T::cmp);
    }

    /// Sorts the slice by a comparison; equal elements stay in order. Cost and panics are those of
    /// [`par_sort`](Self::par_sort).
    ///
    /// ```
    /// use sumac::prelude::*;
    /// let mut v = [5, 4, 1, 3, 2];
    /// v.par_sort_by(|a, b| b.cmp(a));
    /// assert_eq!(v, [5, 4, 3, 2, 1]);
    /// ```
    fn par_sort_by<F>(&mut self, compare: F)
    where
        F: Fn(&T, &T) -> Ordering + Sync,
    {
        sort::sort_stable(self.as_parallel_slice_mut(), &compare);
    }

    /// Sorts the slice by keys; elements with equal keys stay in order. `key` is called for each
    /// comparison. Cost and panics are those of [`par_sort`](Self::par_sort).
    ///
    /// ```
    /// use sumac::prelude::*;
    /// let mut v = [-5_i32, 4, 1, -3, 2];
    /// v.par_sort_by_key(|k| k.abs());
    /// assert_eq!(v, [1, 2, -3, 4, -5]);
    /// ```
    fn par_sort_by_key<K, F>(&mut self, key: F)
    where
        K: Ord,
        F: Fn(&T) -> K + Sync,
    {
        sort::sort_stable(self.as_parallel_slice_mut(), &|a, b| key(a).cmp(&key(b)));
    }

    /// Sorts the slice by keys, which are computed once per element; elements with equal keys stay
    /// in order.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// let mut v = [-5_i32, 4, 32, -3, 2];
    /// v.par_sort_by_cached_key(|k| k.to_string());
    /// assert_eq!(v, [-3, -5, 2, 32, 4]);
    /// ```
    ///
    /// # Cost
    /// That of sorting a vector of keys and indices; the elements themselves are moved at most *n*
    /// times.
    ///
    /// # Panics
    /// As [`par_sort`](Self::par_sort).
    fn par_sort_by_cached_key<K, F>(&mut self, key: F)
    where
        K: Ord + Send,
        F: Fn(&T) -> K + Sync,
    {
        sort::sort_by_cached_key(self.as_parallel_slice_mut(), &key);
    }

    /// Sorts the slice in place; the order of equal elements is unspecified.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// let mut v = [-5, 4, 1, -3, 2];
    /// v.par_sort_unstable();
    /// assert_eq!(v, [-5, -3, 1, 2, 4]);
    /// ```
    ///
    /// # Cost
    /// O(*n* log *n*), and no buffer. A slice in order, or in reverse order, costs one pass.
    ///
    /// # Panics
    /// As [`par_sort`](Self::par_sort).
    fn par_sort_unstable(&mut self)
    where
        T: Ord,
    {
        sort::sort_unstable(self.as_parallel_slice_mut(), &T::cmp);
    }

    /// Sorts the slice in place by a comparison. Cost and panics are those of
    /// [`par_sort_unstable`](Self::par_sort_unstable).
    ///
    /// ```
    /// use sumac::prelude::*;
    /// let mut v = [5.0, 4.5, 1.0, 3.0];
    /// v.par_sort_unstable_by(f64::total_cmp);
    /// assert_eq!(v, [1.0, 3.0, 4.5, 5.0]);
    /// ```
    fn par_sort_unstable_by<F>(&mut self, compare: F)
    where
        F: Fn(&T, &T) -> Ordering + Sync,
    {
        sort::sort_unstable(self.as_parallel_slice_mut(), &compare);
    }

    /// Sorts the slice in place by keys. Cost and panics are those of
    /// [`par_sort_unstable`](Self::par_sort_unstable).
    ///
    /// ```
    /// use sumac::prelude::*;
    /// let mut v = [-5_i32, 4, 1, -3, 2];
    /// v.par_sort_unstable_by_key(|k| k.abs());
    /// assert_eq!(v, [1, 2, -3, 4, -5]);
    /// ```
    fn par_sort_unstable_by_key<K, F>(&mut self, key: F)
    where
        K: Ord,
        F: Fn(&T) -> K + Sync,
    {
        sort::sort_unstable(self.as_parallel_slice_mut(), &|a, b| key(a).cmp(&key(b)));
    }

    // Scans.

    /// Replaces each element by the prefix sum by `op` that includes it:
    /// `op(..op(op(v[0], v[1]), v[2]).., v[i])`.
    ///
    /// `op` must be associative; it need not be commutative. The grouping of the calls is
    /// unspecified, so sums of floats may differ slightly from run to run.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// let mut v = [1, 2, 3, 4];
    /// v.par_inclusive_scan(|a, b| a + b);
    /// assert_eq!(v, [1, 3, 6, 10]);
    /// ```
    ///
    /// # Cost
    /// One pass over memory. Between *n* and 2*n* calls of `op`: *n* on one thread, and on several
    /// threads one more for each element of about every other chunk.
    ///
    /// # Panics
    /// If `op` panics; some of the elements have been replaced then.
    fn par_inclusive_scan<F>(&mut self, op: F)
    where
        T: Sync,
        F: Fn(&T, &T) -> T + Sync,
    {
        scan::inclusive(self.as_parallel_slice_mut(), &op);
    }

    /// Replaces each element by the prefix sum by `op` of the elements before it, beginning with
    /// `init`, and returns the total. Order, cost and panics are those of
    /// [`par_inclusive_scan`](Self::par_inclusive_scan).
    ///
    /// ```
    /// use sumac::prelude::*;
    /// let mut lengths = [3, 1, 4];
    /// let total = lengths.par_exclusive_scan(0, |a, b| a + b);
    /// assert_eq!((lengths, total), ([0, 3, 4], 8)); // lengths are offsets now
    /// ```
    fn par_exclusive_scan<F>(&mut self, init: T, op: F) -> T
    where
        T: Sync,
        F: Fn(&T, &T) -> T + Sync,
    {
        scan::exclusive(self.as_parallel_slice_mut(), init, &op)
    }
}

impl<T: Send> ParallelSliceMut<T> for [T] {
    fn as_parallel_slice_mut(&mut self) -> &mut [T] {
        self
    }
}

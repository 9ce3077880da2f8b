//! `ParallelSlice`.

use super::{
    array_windows::ArrayWindows,
    chunk_by::ChunkBy,
    chunks::{Chunks, ChunksExact, RChunks, RChunksExact, Windows},
    split::{Split, SplitInclusive},
};

/// Parallel methods of shared slices.
pub trait ParallelSlice<T: Sync> {
    /// Returns the slice.
    fn as_parallel_slice(&self) -> &[T];

    /// Divides the slice into chunks of `chunk_size` elements; the last may have fewer.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// let sums: Vec<i32> =
    ///     [1, 2, 3, 4, 5].par_chunks(2).map(|chunk| chunk.iter().sum()).collect();
    /// assert_eq!(sums, [3, 7, 5]);
    /// ```
    ///
    /// # Panics
    /// If `chunk_size` is 0.
    fn par_chunks(&self, chunk_size: usize) -> Chunks<'_, T> {
        Chunks::new(self.as_parallel_slice(), chunk_size)
    }

    /// Divides the slice into chunks of exactly `chunk_size` elements; the remainder at the end is
    /// left out.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// let sums: Vec<i32> =
    ///     [1, 2, 3, 4, 5].par_chunks_exact(2).map(|chunk| chunk.iter().sum()).collect();
    /// assert_eq!(sums, [3, 7]);
    /// ```
    ///
    /// # Panics
    /// If `chunk_size` is 0.
    fn par_chunks_exact(&self, chunk_size: usize) -> ChunksExact<'_, T> {
        ChunksExact::new(self.as_parallel_slice(), chunk_size)
    }

    /// Divides the slice into chunks of `chunk_size` elements, from its end; the chunk at the
    /// beginning may have fewer.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// let sums: Vec<i32> =
    ///     [1, 2, 3, 4, 5].par_rchunks(2).map(|chunk| chunk.iter().sum()).collect();
    /// assert_eq!(sums, [9, 5, 1]);
    /// ```
    ///
    /// # Panics
    /// If `chunk_size` is 0.
    fn par_rchunks(&self, chunk_size: usize) -> RChunks<'_, T> {
        RChunks::new(self.as_parallel_slice(), chunk_size)
    }

    /// Divides the slice into chunks of exactly `chunk_size` elements, from its end; the remainder
    /// at the beginning is left out.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// let sums: Vec<i32> =
    ///     [1, 2, 3, 4, 5].par_rchunks_exact(2).map(|chunk| chunk.iter().sum()).collect();
    /// assert_eq!(sums, [9, 5]);
    /// ```
    ///
    /// # Panics
    /// If `chunk_size` is 0.
    fn par_rchunks_exact(&self, chunk_size: usize) -> RChunksExact<'_, T> {
        RChunksExact::new(self.as_parallel_slice(), chunk_size)
    }

    /// Returns all overlapping windows of `window_size` elements.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// let sums: Vec<i32> = [1, 2, 3, 4].par_windows(2).map(|w| w[0] + w[1]).collect();
    /// assert_eq!(sums, [3, 5, 7]);
    /// ```
    ///
    /// # Panics
    /// If `window_size` is 0.
    fn par_windows(&self, window_size: usize) -> Windows<'_, T> {
        Windows::new(self.as_parallel_slice(), window_size)
    }

    /// Returns all overlapping windows of `N` elements, as arrays.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// let v = [1, 2, 3, 4];
    /// let sums: Vec<i32> = v.par_array_windows().map(|[a, b]| a + b).collect();
    /// assert_eq!(sums, [3, 5, 7]);
    /// ```
    ///
    /// # Panics
    /// If `N` is 0.
    fn par_array_windows<const N: usize>(&self) -> ArrayWindows<'_, T, N> {
        ArrayWindows {
            windows: self.par_windows(N),
        }
    }

    /// Splits the slice at the elements for which `f` holds; the pieces do not contain them.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// let lens: Vec<usize> =
    ///     [1, 2, 3, 4, 5, 6].par_split(|x| x % 3 == 0).map(|piece| piece.len()).collect();
    /// assert_eq!(lens, [2, 2, 0]);
    /// ```
    fn par_split<F>(&self, f: F) -> Split<'_, T, F>
    where
        F: Fn(&T) -> bool + Sync + Send,
    {
        Split::new(self.as_parallel_slice(), f)
    }

    /// Splits the slice behind the elements for which `f` holds, which end the pieces.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// let lens: Vec<usize> =
    ///     [1, 2, 3, 4, 5, 6].par_split_inclusive(|x| x % 3 == 0).map(|piece| piece.len()).collect();
    /// assert_eq!(lens, [3, 3]);
    /// ```
    fn par_split_inclusive<F>(&self, f: F) -> SplitInclusive<'_, T, F>
    where
        F: Fn(&T) -> bool + Sync + Send,
    {
        SplitInclusive::new(self.as_parallel_slice(), f)
    }

    /// Divides the slice into chunks in which `f` holds for each two neighbours.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// let lens: Vec<usize> =
    ///     [1, 2, 3, 4, 5, 6].par_chunk_by(|a, b| a / 3 == b / 3).map(|piece| piece.len()).collect();
    /// assert_eq!(lens, [2, 3, 1]);
    /// ```
    fn par_chunk_by<F>(&self, f: F) -> ChunkBy<'_, T, F>
    where
        F: Fn(&T, &T) -> bool + Sync + Send,
    {
        ChunkBy::new(self.as_parallel_slice(), f)
    }
}

impl<T: Sync> ParallelSlice<T> for [T] {
    fn as_parallel_slice(&self) -> &[T] {
        self
    }
}

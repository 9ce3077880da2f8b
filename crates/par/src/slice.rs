//! Slices: what they can be cut into, to be worked on in parallel.

pub use crate::source::slice::{
    Iter, IterMut,
    chunks::{
        Chunks, ChunksExact, ChunksExactMut, ChunksMut, RChunks, RChunksExact, RChunksExactMut,
        RChunksMut, Windows,
    },
    shared::ParallelSlice,
    split::{ChunkBy, ChunkByMut, Split, SplitInclusive, SplitInclusiveMut, SplitMut},
};

/// What can be done in parallel to a slice that may be changed.
pub trait ParallelSliceMut<T: Send> {
    /// The slice.
    fn as_parallel_slice_mut(&mut self) -> &mut [T];

    /// Chunks of `chunk_size` elements; the last may have fewer.
    ///
    /// ```
    /// use sumac_par::prelude::*;
    /// let mut v = [1, 2, 3, 4, 5];
    /// v.par_chunks_mut(2).for_each(|chunk| chunk.reverse());
    /// assert_eq!(v, [2, 1, 4, 3, 5]);
    /// ```
    ///
    /// # Panics
    /// If `chunk_size` is 0.
    fn par_chunks_mut(&mut self, chunk_size: usize) -> ChunksMut<'_, T> {
        assert_ne!(chunk_size, 0, "chunks have elements");
        ChunksMut {
            slice: self.as_parallel_slice_mut(),
            size: chunk_size,
        }
    }

    /// Chunks of `chunk_size` elements; fewer at the end are left out.
    ///
    /// ```
    /// use sumac_par::prelude::*;
    /// let mut v = [1, 2, 3, 4, 5];
    /// v.par_chunks_exact_mut(2).for_each(|chunk| chunk.reverse());
    /// assert_eq!(v, [2, 1, 4, 3, 5]);
    /// ```
    ///
    /// # Panics
    /// If `chunk_size` is 0.
    fn par_chunks_exact_mut(&mut self, chunk_size: usize) -> ChunksExactMut<'_, T> {
        assert_ne!(chunk_size, 0, "chunks have elements");
        ChunksExactMut::new(self.as_parallel_slice_mut(), chunk_size)
    }

    /// Chunks of `chunk_size` elements from the end on; the last, at the beginning, may have fewer.
    ///
    /// ```
    /// use sumac_par::prelude::*;
    /// let mut v = [1, 2, 3, 4, 5];
    /// v.par_rchunks_mut(2).for_each(|chunk| chunk.reverse());
    /// assert_eq!(v, [1, 3, 2, 5, 4]);
    /// ```
    ///
    /// # Panics
    /// If `chunk_size` is 0.
    fn par_rchunks_mut(&mut self, chunk_size: usize) -> RChunksMut<'_, T> {
        assert_ne!(chunk_size, 0, "chunks have elements");
        RChunksMut {
            slice: self.as_parallel_slice_mut(),
            size: chunk_size,
        }
    }

    /// Chunks of `chunk_size` elements from the end on; fewer at the beginning are left out.
    ///
    /// ```
    /// use sumac_par::prelude::*;
    /// let mut v = [1, 2, 3, 4, 5];
    /// v.par_rchunks_exact_mut(2).for_each(|chunk| chunk.reverse());
    /// assert_eq!(v, [1, 3, 2, 5, 4]);
    /// ```
    ///
    /// # Panics
    /// If `chunk_size` is 0.
    fn par_rchunks_exact_mut(&mut self, chunk_size: usize) -> RChunksExactMut<'_, T> {
        assert_ne!(chunk_size, 0, "chunks have elements");
        RChunksExactMut::new(self.as_parallel_slice_mut(), chunk_size)
    }

    /// The pieces between the elements for which `f` holds.
    ///
    /// ```
    /// use sumac_par::prelude::*;
    /// let mut v = [1, 2, 3, 4, 5, 6];
    /// v.par_split_mut(|x| x % 3 == 0).for_each(|piece| piece.reverse());
    /// assert_eq!(v, [2, 1, 3, 5, 4, 6]);
    /// ```
    fn par_split_mut<F>(&mut self, f: F) -> SplitMut<'_, T, F>
    where
        F: Fn(&T) -> bool + Sync + Send,
    {
        SplitMut {
            slice: self.as_parallel_slice_mut(),
            f,
        }
    }

    /// The pieces that end with the elements for which `f` holds.
    ///
    /// ```
    /// use sumac_par::prelude::*;
    /// let mut v = [1, 2, 3, 4, 5, 6];
    /// v.par_split_inclusive_mut(|x| x % 3 == 0).for_each(|piece| piece.reverse());
    /// assert_eq!(v, [3, 2, 1, 6, 5, 4]);
    /// ```
    fn par_split_inclusive_mut<F>(&mut self, f: F) -> SplitInclusiveMut<'_, T, F>
    where
        F: Fn(&T) -> bool + Sync + Send,
    {
        SplitInclusiveMut {
            slice: self.as_parallel_slice_mut(),
            f,
        }
    }

    /// Chunks of elements of which `f` holds for each two neighbours.
    ///
    /// ```
    /// use sumac_par::prelude::*;
    /// let mut v = [1, 2, 3, 4, 5, 6];
    /// v.par_chunk_by_mut(|a, b| a / 3 == b / 3).for_each(|piece| piece.reverse());
    /// assert_eq!(v, [2, 1, 5, 4, 3, 6]);
    /// ```
    fn par_chunk_by_mut<F>(&mut self, f: F) -> ChunkByMut<'_, T, F>
    where
        F: Fn(&T, &T) -> bool + Sync + Send,
    {
        ChunkByMut {
            slice: self.as_parallel_slice_mut(),
            f,
        }
    }

    // Sorting.
}

impl<T: Send> ParallelSliceMut<T> for [T] {
    fn as_parallel_slice_mut(&mut self) -> &mut [T] {
        self
    }
}

//! `IndexedParallelIterator`.

use super::{
    Chunks, Deterministic, Enumerate, ExponentialBlocks, FoldChunks, FoldChunksWith, Interleave,
    InterleaveShortest, IntoParallelIterator, MaxLen, MinLen, ParallelExtend, ParallelIterator,
    Positions, Rev, Skip, StepBy, Take, UniformBlocks, Zip, ZipEq,
    plumbing::{Divisible, ProducerCallback},
};
use crate::{
    adapt::{
        chunks::{Collected, Folded, FoldedWith},
        filter::Locating,
        group::Grouped,
        original::Original,
        transform::Transformed,
    },
    consume, scan,
    shape::{Producer, Seal},
};
use std::cmp::Ordering;

/// A parallel iterator that knows how many items it has, and can begin at any.
#[allow(clippy::len_without_is_empty)]
pub trait IndexedParallelIterator: ParallelIterator {
    /// What is left of it, while it runs.
    type Producer<'p>: Producer<Item = Self::Item, Iter: DoubleEndedIterator + ExactSizeIterator>
    where
        Self: 'p;

    /// Returns the number of items.
    fn len(&self) -> usize;

    /// Returns all of it. Called once, when the loop begins. The seal keeps the trait closed:
    /// outside of this crate it can be neither implemented nor asked for a producer, also where
    /// types are named by projection (`producer.rs`).
    #[doc(hidden)]
    fn producer(&mut self, seal: Seal) -> Self::Producer<'_>;

    /// Calls `callback` with all items as something to divide and iterate by hand: see
    /// [`plumbing`](super::plumbing).
    fn with_producer<CB>(mut self, callback: CB) -> CB::Output
    where
        CB: ProducerCallback<Self::Item>,
    {
        callback.callback(Divisible(self.producer(Seal(()))))
    }

    // Adaptors.

    /// Pairs of items, as many as the shorter one has.
    ///
    /// ```
    /// use sumac::prelude::*;
    ///
    /// let pairs: Vec<_> = (0..9).into_par_iter().zip([7, 8].par_iter()).collect();
    /// assert_eq!(pairs, [(0, &7), (1, &8)]);
    /// ```
    fn zip<Z>(self, other: Z) -> Zip<Self, Z::Iter>
    where
        Z: IntoParallelIterator<Iter: IndexedParallelIterator>,
    {
        Zip {
            a: self,
            b: other.into_par_iter(),
        }
    }

    /// Pairs of items of equally long iterators.
    ///
    /// ```
    /// use sumac::prelude::*;
    ///
    /// let pairs: Vec<_> = (0..2).into_par_iter().zip_eq([7, 8].par_iter()).collect();
    /// assert_eq!(pairs, [(0, &7), (1, &8)]);
    /// ```
    ///
    /// # Panics
    /// At once, if they have different lengths.
    #[track_caller]
    fn zip_eq<Z>(self, other: Z) -> ZipEq<Self, Z::Iter>
    where
        Z: IntoParallelIterator<Iter: IndexedParallelIterator>,
    {
        ZipEq::new(self, other.into_par_iter())
    }

    /// Returns an item of this, one of the other, and so on; where one has no more, the rest of the
    /// other.
    ///
    /// ```
    /// use sumac::prelude::*;
    ///
    /// let all: Vec<_> = (0..2).into_par_iter().interleave(5..9).collect();
    /// assert_eq!(all, [0, 5, 1, 6, 7, 8]);
    /// ```
    fn interleave<Z>(self, other: Z) -> Interleave<Self, Z::Iter>
    where
        Z: IntoParallelIterator<Item = Self::Item, Iter: IndexedParallelIterator>,
    {
        Interleave::new(self, other.into_par_iter())
    }

    /// Returns an item of this, one of the other, and so on until it is the turn of one that has no
    /// more.
    ///
    /// ```
    /// use sumac::prelude::*;
    ///
    /// let all: Vec<_> = (0..2).into_par_iter().interleave_shortest(5..9).collect();
    /// assert_eq!(all, [0, 5, 1, 6]);
    /// ```
    fn interleave_shortest<Z>(self, other: Z) -> InterleaveShortest<Self, Z::Iter>
    where
        Z: IntoParallelIterator<Item = Self::Item, Iter: IndexedParallelIterator>,
    {
        InterleaveShortest::new(self, other.into_par_iter())
    }

    /// Vectors of `chunk_size` items each; the last may have fewer.
    ///
    /// ```
    /// use sumac::prelude::*;
    ///
    /// let chunks: Vec<_> = (0..5).into_par_iter().chunks(2).collect();
    /// assert_eq!(chunks, [vec![0, 1], vec![2, 3], vec![4]]);
    /// ```
    ///
    /// # Panics
    /// If `chunk_size` is 0.
    #[track_caller]
    fn chunks(self, chunk_size: usize) -> Chunks<Self> {
        Grouped::new(self, chunk_size, Collected)
    }

    /// Folds each `chunk_size` items into one, beginning with what `identity` gives.
    ///
    /// ```
    /// use sumac::prelude::*;
    ///
    /// let sums: Vec<_> = (0..5).into_par_iter().fold_chunks(2, || 0, |sum, n| sum + n).collect();
    /// assert_eq!(sums, [1, 5, 4]);
    /// ```
    ///
    /// # Panics
    /// If `chunk_size` is 0.
    #[track_caller]
    fn fold_chunks<T, ID, F>(
        self,
        chunk_size: usize,
        identity: ID,
        op: F,
    ) -> FoldChunks<Self, ID, F>
    where
        ID: Fn() -> T + Sync + Send,
        F: Fn(T, Self::Item) -> T + Sync + Send,
        T: Send,
    {
        Grouped::new(self, chunk_size, Folded { identity, op })
    }

    /// Folds each `chunk_size` items into one, beginning with a clone of `init`.
    ///
    /// ```
    /// use sumac::prelude::*;
    ///
    /// let sums: Vec<_> =
    ///     (0..5).into_par_iter().fold_chunks_with(2, 10, |sum, n| sum + n).collect();
    /// assert_eq!(sums, [11, 15, 14]);
    /// ```
    ///
    /// # Panics
    /// If `chunk_size` is 0.
    #[track_caller]
    fn fold_chunks_with<T, F>(self, chunk_size: usize, init: T, op: F) -> FoldChunksWith<Self, T, F>
    where
        T: Send + Clone,
        F: Fn(T, Self::Item) -> T + Sync + Send,
    {
        let init = Original::new(init);
        Grouped::new(self, chunk_size, FoldedWith { init, op })
    }

    /// Pairs of an item's index and the item.
    ///
    /// ```
    /// use sumac::prelude::*;
    ///
    /// let pairs: Vec<_> = ['a', 'b'].par_iter().enumerate().collect();
    /// assert_eq!(pairs, [(0, &'a'), (1, &'b')]);
    /// ```
    fn enumerate(self) -> Enumerate<Self> {
        Enumerate { base: self }
    }

    /// Returns the first item, and of those that follow, each `step`th.
    ///
    /// ```
    /// use sumac::prelude::*;
    ///
    /// let some: Vec<_> = (0..8).into_par_iter().step_by(3).collect();
    /// assert_eq!(some, [0, 3, 6]);
    /// ```
    ///
    /// # Panics
    /// If `step` is 0.
    #[track_caller]
    fn step_by(self, step: usize) -> StepBy<Self> {
        StepBy::new(self, step)
    }

    /// Returns all but the first `n` items, which are made before and dropped: a `map` below this
    /// calls its function with them, as std's does.
    ///
    /// ```
    /// use sumac::prelude::*;
    ///
    /// let rest: Vec<_> = (0..5).into_par_iter().skip(3).collect();
    /// assert_eq!(rest, [3, 4]);
    /// ```
    fn skip(self, n: usize) -> Skip<Self> {
        Skip { base: self, n }
    }

    /// Takes the first `n` items.
    ///
    /// ```
    /// use sumac::prelude::*;
    ///
    /// let first: Vec<_> = (0..5).into_par_iter().take(3).collect();
    /// assert_eq!(first, [0, 1, 2]);
    /// ```
    fn take(self, n: usize) -> Take<Self> {
        Take { base: self, n }
    }

    /// Returns the indices of the items for which `predicate` holds.
    ///
    /// ```
    /// use sumac::prelude::*;
    ///
    /// let even: Vec<_> = [7, 8, 9, 10].par_iter().positions(|n| n % 2 == 0).collect();
    /// assert_eq!(even, [1, 3]);
    /// ```
    fn positions<P>(self, predicate: P) -> Positions<Self, P>
    where
        P: Fn(Self::Item) -> bool + Sync + Send,
    {
        Transformed::new(self.enumerate(), Locating(predicate))
    }

    /// Reverses the order of the items.
    ///
    /// ```
    /// use sumac::prelude::*;
    ///
    /// let down: Vec<_> = (0..3).into_par_iter().rev().collect();
    /// assert_eq!(down, [2, 1, 0]);
    /// ```
    fn rev(self) -> Rev<Self> {
        Rev { base: self }
    }

    /// Reductions whose results depend on the items alone: neither on the number of threads, nor on
    /// how work was shared. Sums of floats are the same to the last digit.
    ///
    /// ```
    /// use sumac::prelude::*;
    ///
    /// let sum =
    ///     || (1..50_000).into_par_iter().map(|n| f64::from(n).sqrt()).deterministic().sum::<f64>();
    /// assert_eq!(sum(), sum());
    /// ```
    fn deterministic(self) -> Deterministic<Self> {
        Deterministic { base: self }
    }

    /// Returns the same items: a hint from rayon that nothing depends on here, where loops are
    /// split only if a thread is idle.
    ///
    /// ```
    /// use sumac::prelude::*;
    ///
    /// assert_eq!((0..5).into_par_iter().with_min_len(2).sum::<i32>(), 10);
    /// ```
    fn with_min_len(self, _min: usize) -> MinLen<Self> {
        MinLen { base: self }
    }

    /// Returns the same items; what [`fold`](ParallelIterator::fold) makes one item of are at most
    /// `max` of them, unless an adaptor that needs positions (`enumerate`, `zip`, …) is in between.
    /// Otherwise a hint from rayon that nothing depends on here.
    ///
    /// ```
    /// use sumac::prelude::*;
    ///
    /// let pairs = (0..5).into_par_iter().with_max_len(2).fold(Vec::new, |mut pair, x| {
    ///     pair.push(x);
    ///     pair
    /// });
    /// assert!(pairs.all(|pair| pair.len() <= 2));
    /// ```
    fn with_max_len(self, max: usize) -> MaxLen<Self> {
        MaxLen { base: self, max }
    }

    /// Returns the same items: a hint from rayon that nothing depends on here. Threads work on
    /// blocks of what is left anyway.
    ///
    /// ```
    /// use sumac::prelude::*;
    ///
    /// assert_eq!((0..5).into_par_iter().by_exponential_blocks().sum::<i32>(), 10);
    /// ```
    fn by_exponential_blocks(self) -> ExponentialBlocks<Self> {
        ExponentialBlocks { base: self }
    }

    /// Returns the same items: a hint from rayon that nothing depends on here.
    ///
    /// ```
    /// use sumac::prelude::*;
    ///
    /// assert_eq!((0..5).into_par_iter().by_uniform_blocks(2).sum::<i32>(), 10);
    /// ```
    ///
    /// # Panics
    /// If `block_size` is 0.
    #[track_caller]
    fn by_uniform_blocks(self, block_size: usize) -> UniformBlocks<Self> {
        assert!(block_size != 0, "block_size must not be zero");
        UniformBlocks { base: self }
    }

    // Scans.

    /// Returns what all items up to each come to, itself included. See
    /// [`par_inclusive_scan`](crate::slice::ParallelSliceMut::par_inclusive_scan), which does it in
    /// place.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// let triangular = (1..5_u32).into_par_iter().inclusive_scan(|a, b| a + b);
    /// assert_eq!(triangular, [1, 3, 6, 10]);
    /// ```
    fn inclusive_scan<F>(self, op: F) -> Vec<Self::Item>
    where
        Self::Item: Sync,
        F: Fn(&Self::Item, &Self::Item) -> Self::Item + Sync,
    {
        let mut items = self.into_vec(Seal(()));
        scan::inclusive(&mut items, &op);
        items
    }

    /// Returns what all items before each come to, beginning with `init`. See
    /// [`par_exclusive_scan`](crate::slice::ParallelSliceMut::par_exclusive_scan), which does it in
    /// place and returns the total as well.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// let starts = [3, 1, 4].par_iter().map(|&len| len).exclusive_scan(0, |a, b| a + b);
    /// assert_eq!(starts, [0, 3, 4]);
    /// ```
    fn exclusive_scan<F>(self, init: Self::Item, op: F) -> Vec<Self::Item>
    where
        Self::Item: Sync,
        F: Fn(&Self::Item, &Self::Item) -> Self::Item + Sync,
    {
        let mut items = self.into_vec(Seal(()));
        scan::exclusive(&mut items, init, &op);
        items
    }

    // Consumers.

    /// All items, in order, in place of what `target` held; its allocation is used again.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// let mut v = vec![9; 100];
    /// (0..3).into_par_iter().collect_into_vec(&mut v);
    /// assert_eq!(v, [0, 1, 2]);
    /// ```
    fn collect_into_vec(self, target: &mut Vec<Self::Item>) {
        target.clear();
        target.par_extend(self);
    }

    /// The halves of pairs, in order, in place of what the vectors held; their allocations are used
    /// again.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// let (mut a, mut b) = (Vec::new(), Vec::new());
    /// [(1, 'x'), (2, 'y')].into_par_iter().unzip_into_vecs(&mut a, &mut b);
    /// assert_eq!((a, b), (vec![1, 2], vec!['x', 'y']));
    /// ```
    fn unzip_into_vecs<A, B>(self, left: &mut Vec<A>, right: &mut Vec<B>)
    where
        Self: IndexedParallelIterator<Item = (A, B)>,
        A: Send,
        B: Send,
    {
        left.clear();
        right.clear();
        consume::unzip::append(left, right, self);
    }

    /// Returns the position of some item for which `predicate` holds.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// assert!([3, 5, 5].par_iter().position_any(|&x| x == 5).is_some());
    /// ```
    fn position_any<P>(self, predicate: P) -> Option<usize>
    where
        P: Fn(Self::Item) -> bool + Sync + Send,
    {
        self.enumerate()
            .find_map_any(|(position, item)| predicate(item).then_some(position))
    }

    /// Returns the position of the first item for which `predicate` holds.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// assert_eq!([3, 5, 5].par_iter().position_first(|&x| x == 5), Some(1));
    /// ```
    fn position_first<P>(self, predicate: P) -> Option<usize>
    where
        P: Fn(Self::Item) -> bool + Sync + Send,
    {
        self.enumerate()
            .find_map_first(|(position, item)| predicate(item).then_some(position))
    }

    /// Returns the position of the last item for which `predicate` holds.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// assert_eq!([3, 5, 5].par_iter().position_last(|&x| x == 5), Some(2));
    /// ```
    fn position_last<P>(self, predicate: P) -> Option<usize>
    where
        P: Fn(Self::Item) -> bool + Sync + Send,
    {
        self.enumerate()
            .find_map_last(|(position, item)| predicate(item).then_some(position))
    }

    /// Compares lexicographically, as slices do.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// use std::cmp::Ordering;
    /// assert_eq!([1, 2, 3].par_iter().cmp(&[1, 3]), Ordering::Less);
    /// ```
    fn cmp<I>(self, other: I) -> Ordering
    where
        I: IntoParallelIterator<Item = Self::Item, Iter: IndexedParallelIterator>,
        Self::Item: Ord,
    {
        let other = other.into_par_iter();
        let by_len = self.len().cmp(&other.len());
        self.zip(other)
            .find_map_first(|(a, b)| Some(a.cmp(&b)).filter(|order| order.is_ne()))
            .unwrap_or(by_len)
    }

    /// Compares lexicographically; `None` if the first two items that are not equal cannot be
    /// compared.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// assert_eq!([1.0, f64::NAN].par_iter().partial_cmp(&[1.0, 0.0]), None);
    /// ```
    fn partial_cmp<I>(self, other: I) -> Option<Ordering>
    where
        I: IntoParallelIterator<Iter: IndexedParallelIterator>,
        Self::Item: PartialOrd<I::Item>,
    {
        let other = other.into_par_iter();
        let by_len = self.len().cmp(&other.len());
        self.zip(other)
            .map(|(a, b)| a.partial_cmp(&b))
            .find_first(|&order| order != Some(Ordering::Equal))
            .unwrap_or(Some(by_len))
    }

    /// Returns whether all items are equal, and as many.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// assert!([1, 2].par_iter().eq(&[1, 2]));
    /// ```
    fn eq<I>(self, other: I) -> bool
    where
        I: IntoParallelIterator<Iter: IndexedParallelIterator>,
        Self::Item: PartialEq<I::Item>,
    {
        let other = other.into_par_iter();
        self.len() == other.len() && self.zip(other).all(|(a, b)| a == b)
    }

    /// Returns whether some items are not equal, or not as many.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// assert!([1, 2].par_iter().ne(&[1]));
    /// ```
    fn ne<I>(self, other: I) -> bool
    where
        I: IntoParallelIterator<Iter: IndexedParallelIterator>,
        Self::Item: PartialEq<I::Item>,
    {
        !self.eq(other)
    }

    /// Returns whether this is lexicographically less than the other.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// assert!([1, 2].par_iter().lt(&[1, 3]));
    /// ```
    fn lt<I>(self, other: I) -> bool
    where
        I: IntoParallelIterator<Iter: IndexedParallelIterator>,
        Self::Item: PartialOrd<I::Item>,
    {
        self.partial_cmp(other).is_some_and(Ordering::is_lt)
    }

    /// Returns whether this is lexicographically less than or equal to the other.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// assert!([1, 2].par_iter().le(&[1, 2]));
    /// ```
    fn le<I>(self, other: I) -> bool
    where
        I: IntoParallelIterator<Iter: IndexedParallelIterator>,
        Self::Item: PartialOrd<I::Item>,
    {
        self.partial_cmp(other).is_some_and(Ordering::is_le)
    }

    /// Returns whether this is lexicographically greater than the other.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// assert!([1, 2].par_iter().gt(&[1]));
    /// ```
    fn gt<I>(self, other: I) -> bool
    where
        I: IntoParallelIterator<Iter: IndexedParallelIterator>,
        Self::Item: PartialOrd<I::Item>,
    {
        self.partial_cmp(other).is_some_and(Ordering::is_gt)
    }

    /// Returns whether this is lexicographically greater than or equal to the other.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// assert!([1, 2].par_iter().ge(&[1, 2]));
    /// ```
    fn ge<I>(self, other: I) -> bool
    where
        I: IntoParallelIterator<Iter: IndexedParallelIterator>,
        Self::Item: PartialOrd<I::Item>,
    {
        self.partial_cmp(other).is_some_and(Ordering::is_ge)
    }
}

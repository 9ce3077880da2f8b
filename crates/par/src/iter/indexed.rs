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
    consume,
    ordered::{self, Ordered, ParallelOrdered},
    scan,
    shape::{Producer, Seal},
};
use std::cmp::Ordering;
use sumac_core::in_place_scope;

/// A parallel iterator that knows its number of items and can start at any of them.
///
/// ```
/// use sumac::prelude::*;
///
/// fn last<I: IndexedParallelIterator<Item = u32>>(numbers: I) -> Option<u32> {
///     let before = numbers.len().saturating_sub(1);
///     numbers.skip(before).reduce_with(|_, last| last)
/// }
///
/// assert_eq!(last([3, 1, 4].par_iter().copied()), Some(4));
/// ```
#[allow(clippy::len_without_is_empty)]
pub trait IndexedParallelIterator: ParallelIterator {
    /// The remaining items, while the loop runs.
    type Producer<'p>: Producer<Item = Self::Item, Iter: DoubleEndedIterator + ExactSizeIterator>
    where
        Self: 'p;

    /// Returns the number of items.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// assert_eq!((0..10).into_par_iter().step_by(3).len(), 4);
    /// ```
    fn len(&self) -> usize;

    /// Returns all items as a producer. Called once, when the loop begins. The seal keeps the trait
    /// closed: no other crate can implement it or call this, even with types named by projection
    /// (`producer.rs`).
    #[doc(hidden)]
    fn producer(&mut self, seal: Seal) -> Self::Producer<'_>;

    /// Calls `callback` with a producer of all items, to divide and iterate by hand: see
    /// [`plumbing`](super::plumbing).
    ///
    /// ```
    /// use sumac::{iter::plumbing::{Producer, ProducerCallback}, prelude::*};
    ///
    /// struct FirstOf;
    ///
    /// impl<T> ProducerCallback<T> for FirstOf {
    ///     type Output = Option<T>;
    ///
    ///     fn callback<P: Producer<Item = T>>(self, producer: P) -> Option<T> {
    ///         producer.into_iter().next()
    ///     }
    /// }
    ///
    /// assert_eq!((5..9).into_par_iter().with_producer(FirstOf), Some(5));
    /// ```
    fn with_producer<CB>(mut self, callback: CB) -> CB::Output
    where
        CB: ProducerCallback<Self::Item>,
    {
        callback.callback(Divisible(self.producer(Seal(()))))
    }

    // Adaptors.

    /// Pairs items with those of `other`, up to the end of the shorter iterator.
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

    /// Pairs items with those of `other`, which must be equally long.
    ///
    /// ```
    /// use sumac::prelude::*;
    ///
    /// let pairs: Vec<_> = (0..2).into_par_iter().zip_eq([7, 8].par_iter()).collect();
    /// assert_eq!(pairs, [(0, &7), (1, &8)]);
    /// ```
    ///
    /// # Panics
    /// If the lengths differ. Panics at once, before the loop.
    #[track_caller]
    fn zip_eq<Z>(self, other: Z) -> ZipEq<Self, Z::Iter>
    where
        Z: IntoParallelIterator<Iter: IndexedParallelIterator>,
    {
        ZipEq::new(self, other.into_par_iter())
    }

    /// Alternates items of this iterator and of `other`, and then yields the rest of the longer
    /// one.
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

    /// Alternates items of this iterator and of `other`, until the next one has no more items.
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

    /// Groups items into vectors of `chunk_size`; the last may have fewer.
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

    /// Folds each `chunk_size` items into one, beginning with the value of `identity`.
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

    /// Pairs each item with its index.
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

    /// Yields the first item, and then every `step`th.
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

    /// Skips the first `n` items. They are produced and dropped first: a `map` below this calls its
    /// function with them, as std's does.
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

    /// Yields the first `n` items.
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

    /// Yields the indices of the items for which `predicate` holds.
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

    /// Makes results of reductions depend on the items alone: neither on the number of threads, nor
    /// on the schedule. Sums of floats are the same to the last bit.
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

    /// Does nothing: a hint for code written for rayon. Loops are split only if a thread is idle.
    ///
    /// ```
    /// use sumac::prelude::*;
    ///
    /// assert_eq!((0..5).into_par_iter().with_min_len(2).sum::<i32>(), 10);
    /// ```
    fn with_min_len(self, _min: usize) -> MinLen<Self> {
        MinLen { base: self }
    }

    /// Makes [`fold`](ParallelIterator::fold) fold at most `max` items into one, unless an adaptor
    /// that needs positions (`enumerate`, `zip`, …) is in between. Otherwise it does nothing.
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

    /// Does nothing: a hint for code written for rayon.
    ///
    /// ```
    /// use sumac::prelude::*;
    ///
    /// assert_eq!((0..5).into_par_iter().by_exponential_blocks().sum::<i32>(), 10);
    /// ```
    fn by_exponential_blocks(self) -> ExponentialBlocks<Self> {
        ExponentialBlocks { base: self }
    }

    /// Does nothing: a hint for code written for rayon.
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

    /// Returns the prefix sums by `op`, each including its own item. See
    /// [`par_inclusive_scan`](crate::slice::ParallelSliceMut::par_inclusive_scan), which works in
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

    /// Returns the prefix sums by `op`, beginning with `init`, each without its own item. See
    /// [`par_exclusive_scan`](crate::slice::ParallelSliceMut::par_exclusive_scan), which works in
    /// place and also returns the total.
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

    /// Calls `op` with a sequential iterator over all items, in order. While `op` uses it, workers
    /// compute at most `bound` items ahead: if `op` is slow they stop, and at most `bound` items
    /// are in memory besides its own. An item that is needed and that no thread has begun is
    /// computed by the calling thread.
    ///
    /// The items may borrow, so the iterator lives inside of this call, as
    /// [`scope`](sumac_core::scope)s do. When it is dropped, no further item begins; those that are
    /// running end before this returns, also if `op` panics: so they must not wait for what follows
    /// it. For a sequential source see [`par_map_ordered`](ParallelOrdered::par_map_ordered).
    ///
    /// ```
    /// use sumac::prelude::*;
    ///
    /// let pages = ["fork", "join", "steal"];
    /// let lens = pages.par_iter().map(|page| page.len());
    /// let total = lens.iter_ordered(8, |lens| lens.take(2).sum::<usize>());
    /// assert_eq!(total, 8);
    /// ```
    ///
    /// # Cost
    /// A task per item: some hundred nanoseconds. Where items are small, use
    /// [`chunks`](Self::chunks). States of `map_init` and the like are made for each item.
    ///
    /// # Panics
    /// If an item panics, `next` does, when it comes to that item; the iterator may be used
    /// further. If `op` panics.
    #[track_caller]
    fn iter_ordered<OP, R>(mut self, bound: usize, op: OP) -> R
    where
        OP: FnOnce(Ordered<'_, Self::Item>) -> R,
    {
        let positions = ordered::Positions::of(self.producer(Seal(())));
        in_place_scope(|scope| op(positions.par_map_ordered_in(scope, bound, ordered::item_of)))
    }

    /// Calls `f` with each item in order, on the calling thread, while workers compute at most
    /// `bound` items ahead, as in [`iter_ordered`](Self::iter_ordered).
    ///
    /// ```
    /// use sumac::prelude::*;
    ///
    /// let mut written = Vec::new();
    /// let pieces = (0..5_u8).into_par_iter().map(|n| [n; 2]);
    /// pieces.for_each_ordered(4, |piece| written.extend(piece));
    /// assert_eq!(written, [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]);
    /// ```
    ///
    /// # Cost
    /// As [`iter_ordered`](Self::iter_ordered).
    ///
    /// # Panics
    /// If an item or `f` panics, after `f` was called with all items before.
    fn for_each_ordered<F>(self, bound: usize, f: F)
    where
        F: FnMut(Self::Item),
    {
        self.iter_ordered(bound, |items| items.for_each(f));
    }

    /// Replaces the contents of `target` by all items, in order, and reuses its allocation.
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

    /// Replaces the contents of the vectors by the halves of pairs, in order, and reuses their
    /// allocations.
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

    /// Returns the position of any item for which `predicate` holds.
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

    /// Compares the items lexicographically with those of `other`, as slices do.
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

    /// Compares the items lexicographically with those of `other`. Returns `None` if the first two
    /// items that are not equal cannot be compared.
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

    /// Returns whether both have equally many items and all are equal.
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

    /// Returns whether the numbers of items differ, or any items do.
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

    /// Returns whether this is lexicographically less than `other`.
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

    /// Returns whether this is lexicographically less than or equal to `other`.
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

    /// Returns whether this is lexicographically greater than `other`.
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

    /// Returns whether this is lexicographically greater than or equal to `other`.
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

//! `ParallelIterator`.

use super::{
    Chain, Cloned, Copied, Filter, FilterMap, FlatMap, FlatMapIter, Flatten, FlattenIter, Fold,
    FoldWith, FromParallelIterator, Inspect, Intersperse, IntoParallelIterator, Map, MapInit,
    MapWith, PanicFuse, ParallelExtend, SkipAny, SkipAnyWhile, TakeAny, TakeAnyWhile, TryFold,
    TryFoldWith, UntilCancelled, Update, WhileSome,
};
use crate::{
    adapt::{
        each::Each,
        filter::{FilterMapping, Filtering, FlatMapping, Flattening},
        fold::FoldPieces,
        map::{Cloning, Copying, Inspecting, Mapping, MappingWith, Updating},
        original::{Given, Original},
        transform::Transformed,
        try_fold::TryFoldRuns,
        until::{Budget, Cancelling, Skipping, Taking, Unwrapping, While},
    },
    attempt::Try,
    cancel::CancelToken,
    consume::{
        self,
        find::{self, Find},
    },
    shape::{Seal, Sink},
};
use either::Either;
use std::{
    cmp::Ordering,
    collections::LinkedList,
    convert,
    iter::{Product, Sum},
};

/// An iterator whose items may be worked on in parallel.
///
/// ```
/// use sumac::prelude::*;
///
/// fn digits(numbers: impl ParallelIterator<Item = u32>) -> usize {
///     numbers.map(|n| n.to_string().len()).sum()
/// }
///
/// assert_eq!(digits((0..12).into_par_iter()), 14);
/// ```
///
/// Adaptors are lazy: only a consumer runs the loop, on the calling thread in blocks of a
/// microsecond or two, and on idle threads that ask for a part.
///
/// # Panics
/// A panic in a closure stops the other threads before their next block, and is resumed in the
/// consumer.
pub trait ParallelIterator: Sized + Send {
    /// The type of the items.
    type Item: Send;

    /// Pushes all items into a sink. All other methods use it (see [`shape`](crate::shape)).
    fn drive<S: Sink<Self::Item>>(self, sink: &S) -> S::Output;

    /// Returns the number of items, if positions are exact.
    #[doc(hidden)]
    fn exact_len(&self, _: Seal) -> Option<usize> {
        None
    }

    /// Pushes all items into `run` at once, if `few` returns true for their greatest possible
    /// number; else returns itself. A run that has not begun begins at `position`.
    #[doc(hidden)]
    fn push_few<S, Few>(
        self,
        _sink: &S,
        _run: &mut Option<S::Acc>,
        _position: usize,
        _few: Few,
        _: Seal,
    ) -> Option<Self>
    where
        S: Sink<Self::Item>,
        Few: FnOnce(usize) -> bool,
    {
        Some(self)
    }

    /// Returns all items, in order.
    #[doc(hidden)]
    fn into_vec(self, _: Seal) -> Vec<Self::Item> {
        consume::collect::into_vec(self)
    }

    /// Returns the number of items, if it is known beforehand.
    ///
    /// ```
    /// use sumac::prelude::*;
    ///
    /// let items = (0..10).into_par_iter();
    /// assert_eq!(items.opt_len(), Some(10));
    /// assert_eq!(items.filter(|x| x % 2 == 0).opt_len(), None);
    /// ```
    fn opt_len(&self) -> Option<usize> {
        self.exact_len(Seal(()))
    }

    // Adaptors.

    /// Maps each item with `f`.
    ///
    /// ```
    /// use sumac::prelude::*;
    ///
    /// let squares: Vec<_> = (0..5).into_par_iter().map(|n| n * n).collect();
    /// assert_eq!(squares, [0, 1, 4, 9, 16]);
    /// ```
    fn map<F, R>(self, f: F) -> Map<Self, F>
    where
        F: Fn(Self::Item) -> R + Sync + Send,
        R: Send,
    {
        Each::new(self, Mapping(f))
    }

    /// Maps each item with `f`, which also gets a state. `init` is cloned once per run, that is,
    /// consecutive items on one thread.
    ///
    /// ```
    /// use sumac::prelude::*;
    ///
    /// let (sender, receiver) = std::sync::mpsc::channel();
    /// let sent =
    ///     (0..5).into_par_iter().map_with(sender, |sender, n| sender.send(n)).filter(Result::is_ok);
    /// assert_eq!(sent.map(|_| 1).sum::<i32>(), 5);
    /// assert_eq!(receiver.iter().sum::<i32>(), 10);
    /// ```
    fn map_with<F, T, R>(self, init: T, f: F) -> MapWith<Self, T, F>
    where
        F: Fn(&mut T, Self::Item) -> R + Sync + Send,
        T: Send + Clone,
        R: Send,
    {
        let init = Original::new(init);
        Each::new(self, MappingWith { init, f })
    }

    /// Maps each item with `f`, which also gets a state. `init` is called once per run, that is,
    /// consecutive items on one thread. So it is called about as often as work is stolen, and the
    /// state need be neither `Send` nor `Sync`.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// use std::fmt::Write;
    ///
    /// let digits = (0..1000).into_par_iter().map_init(String::new, |buffer, n| {
    ///     buffer.clear();
    ///     write!(buffer, "{n}").unwrap();
    ///     buffer.len()
    /// });
    /// assert_eq!(digits.sum::<usize>(), 10 + 2 * 90 + 3 * 900);
    /// ```
    fn map_init<F, INIT, T, R>(self, init: INIT, f: F) -> MapInit<Self, INIT, F>
    where
        F: Fn(&mut T, Self::Item) -> R + Sync + Send,
        INIT: Fn() -> T + Sync + Send,
        R: Send,
    {
        let init = Given(init);
        Each::new(self, MappingWith { init, f })
    }

    /// Clones the items, which are references.
    ///
    /// ```
    /// use sumac::prelude::*;
    ///
    /// let words = vec!["to".to_string(), "be".to_string()];
    /// assert_eq!(words.par_iter().cloned().collect::<Vec<_>>(), words);
    /// ```
    fn cloned<'a, T>(self) -> Cloned<Self>
    where
        T: 'a + Clone + Send + Sync,
        Self: ParallelIterator<Item = &'a T>,
    {
        Each::new(self, Cloning)
    }

    /// Copies the items, which are references.
    ///
    /// ```
    /// use sumac::prelude::*;
    ///
    /// assert_eq!([1, 2, 3].par_iter().copied().sum::<i32>(), 6);
    /// ```
    fn copied<'a, T>(self) -> Copied<Self>
    where
        T: 'a + Copy + Send + Sync,
        Self: ParallelIterator<Item = &'a T>,
    {
        Each::new(self, Copying)
    }

    /// Calls `f` with a reference to each item, and passes the items on.
    ///
    /// ```
    /// use sumac::prelude::*;
    ///
    /// let sum: i32 = [1, 2, 3].par_iter().inspect(|n| println!("{n}")).sum();
    /// assert_eq!(sum, 6);
    /// ```
    fn inspect<F: Fn(&Self::Item) + Sync + Send>(self, f: F) -> Inspect<Self, F> {
        Each::new(self, Inspecting(f))
    }

    /// Changes each item with `f`.
    ///
    /// ```
    /// use sumac::prelude::*;
    ///
    /// let more: Vec<_> = (1..4).into_par_iter().update(|n| *n += 10).collect();
    /// assert_eq!(more, [11, 12, 13]);
    /// ```
    fn update<F: Fn(&mut Self::Item) + Sync + Send>(self, f: F) -> Update<Self, F> {
        Each::new(self, Updating(f))
    }

    /// Leaves out the items for which `predicate` does not hold.
    ///
    /// ```
    /// use sumac::prelude::*;
    ///
    /// let even: Vec<_> = (0..7).into_par_iter().filter(|n| n % 2 == 0).collect();
    /// assert_eq!(even, [0, 2, 4, 6]);
    /// ```
    fn filter<P: Fn(&Self::Item) -> bool + Sync + Send>(self, predicate: P) -> Filter<Self, P> {
        Transformed::new(self, Filtering(predicate))
    }

    /// Maps each item with `f`, and leaves out those for which it returns `None`.
    ///
    /// ```
    /// use sumac::prelude::*;
    ///
    /// let numbers: Vec<i32> =
    ///     ["1", "two", "3"].par_iter().filter_map(|s| s.parse().ok()).collect();
    /// assert_eq!(numbers, [1, 3]);
    /// ```
    fn filter_map<F, R>(self, f: F) -> FilterMap<Self, F>
    where
        F: Fn(Self::Item) -> Option<R> + Sync + Send,
        R: Send,
    {
        Transformed::new(self, FilterMapping(f))
    }

    /// Maps each item to a parallel iterator and yields the items of these.
    ///
    /// A short inner iterator over a source of known length (slices, vectors, ranges, also mapped
    /// or filtered) costs a few nanoseconds: its items are part of the outer loop. For other short
    /// ones, prefer [`flat_map_iter`](ParallelIterator::flat_map_iter).
    ///
    /// ```
    /// use sumac::prelude::*;
    ///
    /// let rows = (1..4_usize).into_par_iter().flat_map(|n| (0..n).into_par_iter());
    /// assert_eq!(rows.collect::<Vec<_>>(), [0, 0, 1, 0, 1, 2]);
    /// ```
    fn flat_map<F, PI>(self, f: F) -> FlatMap<Self, F>
    where
        F: Fn(Self::Item) -> PI + Sync + Send,
        PI: IntoParallelIterator,
    {
        FlatMap { base: self, f }
    }

    /// Maps each item to a sequential iterator and yields the items of these.
    ///
    /// ```
    /// use sumac::prelude::*;
    ///
    /// let letters: Vec<_> = ["ab", "c"].par_iter().flat_map_iter(|s| s.chars()).collect();
    /// assert_eq!(letters, ['a', 'b', 'c']);
    /// ```
    fn flat_map_iter<F, SI>(self, f: F) -> FlatMapIter<Self, F>
    where
        F: Fn(Self::Item) -> SI + Sync + Send,
        SI: IntoIterator<Item: Send>,
    {
        Transformed::new(self, FlatMapping(f))
    }

    /// Flattens items that can be iterated in parallel: yields the items of the items.
    ///
    /// ```
    /// use sumac::prelude::*;
    ///
    /// let rows = [vec![1, 2], vec![3]];
    /// assert_eq!(rows.par_iter().flatten().copied().sum::<i32>(), 6);
    /// ```
    fn flatten(self) -> Flatten<Self>
    where
        Self::Item: IntoParallelIterator,
    {
        Flatten { base: self }
    }

    /// Flattens items that are iterated sequentially: yields the items of the items.
    ///
    /// ```
    /// use sumac::prelude::*;
    ///
    /// let rows = [vec![1, 2], vec![3]];
    /// assert_eq!(rows.par_iter().flatten_iter().copied().sum::<i32>(), 6);
    /// ```
    fn flatten_iter(self) -> FlattenIter<Self>
    where
        Self::Item: IntoIterator<Item: Send>,
    {
        Transformed::new(self, Flattening)
    }

    /// Folds each run (consecutive items on one thread) into one item, beginning with the value of
    /// `identity`. Their number depends on the schedule; on one thread there is one, except with
    /// [`with_max_len`](super::IndexedParallelIterator::with_max_len) or if a consumer searches for
    /// any item.
    ///
    /// ```
    /// use sumac::prelude::*;
    ///
    /// let sums = (1..101).into_par_iter().fold(|| 0, |sum, n| sum + n);
    /// assert_eq!(sums.sum::<i32>(), 5050);
    /// ```
    fn fold<T, ID, F>(self, identity: ID, op: F) -> Fold<Self, ID, F>
    where
        F: Fn(T, Self::Item) -> T + Sync + Send,
        ID: Fn() -> T + Sync + Send,
        T: Send,
    {
        FoldPieces {
            base: self,
            init: Given(identity),
            op,
        }
    }

    /// Folds each run into one item, beginning with a clone of `init`.
    ///
    /// ```
    /// use sumac::prelude::*;
    ///
    /// let sums = (1..101).into_par_iter().fold_with(0, |sum, n| sum + n);
    /// assert_eq!(sums.sum::<i32>(), 5050);
    /// ```
    fn fold_with<F, T>(self, init: T, op: F) -> FoldWith<Self, T, F>
    where
        F: Fn(T, Self::Item) -> T + Sync + Send,
        T: Send + Clone,
    {
        FoldPieces {
            base: self,
            init: Original::new(init),
            op,
        }
    }

    /// Folds each run into one item, and ends the run at the first failure of `op`, which then is
    /// the item.
    ///
    /// ```
    /// use sumac::prelude::*;
    ///
    /// let sums = |n: u8| (1..n).into_par_iter().try_fold(|| 0, |sum: u8, n| sum.checked_add(n));
    /// assert_eq!(sums(5).while_some().sum::<u8>(), 10);
    /// assert!(sums(99).map(|sum| u8::from(sum.is_none())).sum::<u8>() > 0);
    /// ```
    fn try_fold<T, R, ID, F>(self, identity: ID, op: F) -> TryFold<Self, R, ID, F>
    where
        F: Fn(T, Self::Item) -> R + Sync + Send,
        ID: Fn() -> T + Sync + Send,
        R: Try<Output = T> + Send,
    {
        TryFoldRuns::new(self, Given(identity), op)
    }

    /// Does as [`try_fold`](ParallelIterator::try_fold), beginning with a clone of `init`.
    ///
    /// ```
    /// use sumac::prelude::*;
    ///
    /// let sums = (1..5_u8).into_par_iter().try_fold_with(0, |sum: u8, n| sum.checked_add(n));
    /// assert_eq!(sums.while_some().sum::<u8>(), 10);
    /// ```
    fn try_fold_with<F, T, R>(self, init: T, op: F) -> TryFoldWith<Self, R, F>
    where
        F: Fn(T, Self::Item) -> R + Sync + Send,
        R: Try<Output = T> + Send,
        T: Clone + Send,
    {
        TryFoldRuns::new(self, Original::new(init), op)
    }

    /// Yields the items, and then those of `other`. Idle threads may work on `other` at the same
    /// time.
    ///
    /// ```
    /// use sumac::prelude::*;
    ///
    /// let all: Vec<_> = (0..2).into_par_iter().chain(7..9).collect();
    /// assert_eq!(all, [0, 1, 7, 8]);
    /// ```
    fn chain<C>(self, other: C) -> Chain<Self, C::Iter>
    where
        C: IntoParallelIterator<Item = Self::Item>,
    {
        Chain {
            a: self,
            b: other.into_par_iter(),
        }
    }

    /// Unwraps the items until one is `None`; then all threads stop. Items on the right of it may
    /// have been passed on already.
    ///
    /// ```
    /// use sumac::prelude::*;
    ///
    /// let all = [Some(1), Some(2)].par_iter().copied().while_some();
    /// assert_eq!(all.collect::<Vec<i32>>(), [1, 2]);
    /// ```
    fn while_some<T>(self) -> WhileSome<Self>
    where
        Self: ParallelIterator<Item = Option<T>>,
        T: Send,
    {
        Transformed::new(self, Unwrapping::default())
    }

    /// Yields the same items; but after a panic, other threads stop before their next item instead
    /// of their next block. Below adaptors that rely on lengths (`chunks`, `intersperse`, and many
    /// that go backward), they still stop before the next block.
    ///
    /// ```
    /// use sumac::prelude::*;
    ///
    /// assert_eq!((0..5).into_par_iter().panic_fuse().sum::<i32>(), 10);
    /// ```
    fn panic_fuse(self) -> PanicFuse<Self> {
        PanicFuse::new(self)
    }

    /// Yields the items, with a clone of `separator` between each two.
    ///
    /// ```
    /// use sumac::prelude::*;
    ///
    /// let spaced: Vec<_> = (1..4).into_par_iter().intersperse(0).collect();
    /// assert_eq!(spaced, [1, 0, 2, 0, 3]);
    /// ```
    fn intersperse(self, separator: Self::Item) -> Intersperse<Self>
    where
        Self::Item: Clone,
    {
        Intersperse::new(self, separator)
    }

    /// Yields any `n` of the items (or all, if there are fewer): those that threads reach first.
    ///
    /// ```
    /// use sumac::prelude::*;
    ///
    /// let some: Vec<_> = (0..1000).into_par_iter().filter(|n| n % 2 == 0).take_any(5).collect();
    /// assert_eq!(some.len(), 5);
    /// ```
    fn take_any(self, n: usize) -> TakeAny<Self> {
        Transformed::new(self, Taking(Budget::new(n)))
    }

    /// Skips any `n` of the items: those that threads reach first.
    ///
    /// ```
    /// use sumac::prelude::*;
    ///
    /// let some: Vec<_> = (0..1000).into_par_iter().filter(|n| n % 2 == 0).skip_any(5).collect();
    /// assert_eq!(some.len(), 495);
    /// ```
    fn skip_any(self, n: usize) -> SkipAny<Self> {
        Transformed::new(self, Skipping(Budget::new(n)))
    }

    /// Yields items until `predicate` does not hold for one that a thread reaches; then all threads
    /// stop.
    ///
    /// ```
    /// use sumac::prelude::*;
    ///
    /// let small: Vec<_> = (0..1000).into_par_iter().take_any_while(|&n| n < 50).collect();
    /// assert!(small.len() <= 50);
    /// ```
    fn take_any_while<P>(self, predicate: P) -> TakeAnyWhile<Self, P>
    where
        P: Fn(&Self::Item) -> bool + Sync + Send,
    {
        Transformed::new(self, Taking(While::new(predicate)))
    }

    /// Skips items until `predicate` does not hold for one that a thread reaches; then yields all.
    ///
    /// ```
    /// use sumac::prelude::*;
    ///
    /// let large: Vec<_> = (0..1000).into_par_iter().skip_any_while(|&n| n < 50).collect();
    /// assert!(large.len() >= 950);
    /// ```
    fn skip_any_while<P>(self, predicate: P) -> SkipAnyWhile<Self, P>
    where
        P: Fn(&Self::Item) -> bool + Sync + Send,
    {
        Transformed::new(self, Skipping(While::new(predicate)))
    }

    /// Stops when `token` is cancelled. Each thread still completes its current block, which is one
    /// item if items are expensive. The result is that of the items so far: if
    /// [`is_cancelled`](CancelToken::is_cancelled) returns false afterwards, of all.
    ///
    /// ```
    /// use sumac::{CancelToken, prelude::*};
    ///
    /// let token = CancelToken::new();
    /// let found =
    ///     (0..1_000_000).into_par_iter().until_cancelled(&token).filter(|&n| n == 7)
    ///         .inspect(|_| token.cancel());
    /// assert_eq!(found.collect::<Vec<_>>(), [7]);
    /// ```
    fn until_cancelled(self, token: &CancelToken) -> UntilCancelled<Self> {
        Transformed::new(self, Cancelling(token.clone()))
    }

    // Consumers.

    /// Calls `f` with each item.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// let mut v = [1, 2, 3];
    /// v.par_iter_mut().for_each(|x| *x *= 2);
    /// assert_eq!(v, [2, 4, 6]);
    /// ```
    fn for_each<F: Fn(Self::Item) + Sync + Send>(self, f: F) {
        self.drive(&consume::for_each::ForEach { f });
    }

    /// Calls `f` with each item and a state. `init` creates a state for each run (consecutive items
    /// on one thread).
    ///
    /// ```
    /// use sumac::prelude::*;
    /// let mut v = [0; 5];
    /// v.par_iter_mut().for_each_init(|| 1, |one, x| *x += *one);
    /// assert_eq!(v, [1; 5]);
    /// ```
    fn for_each_init<F, N, X>(self, init: N, f: F)
    where
        F: Fn(&mut X, Self::Item) + Sync + Send,
        N: Fn() -> X + Sync + Send,
    {
        self.map_init(init, f).for_each(drop);
    }

    /// Calls `f` with each item and a state, which is a clone of `init` for each run.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// use std::sync::mpsc;
    /// let (sender, receiver) = mpsc::channel();
    /// (0..5).into_par_iter().for_each_with(sender, |s, x| s.send(x).unwrap());
    /// assert_eq!(receiver.iter().sum::<i32>(), 10);
    /// ```
    fn for_each_with<F, X>(self, init: X, f: F)
    where
        F: Fn(&mut X, Self::Item) + Sync + Send,
        X: Send + Clone,
    {
        self.map_with(init, f).for_each(drop);
    }

    /// Calls `f` with each item until a call fails. If several calls fail, returns the leftmost
    /// failure that happened.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// let small = |x| if x < 100 { Ok(()) } else { Err(x) };
    /// assert_eq!((0..100).into_par_iter().try_for_each(small), Ok(()));
    /// assert!((0..200).into_par_iter().try_for_each(small).is_err());
    /// ```
    fn try_for_each<F, R>(self, f: F) -> R
    where
        F: Fn(Self::Item) -> R + Sync + Send,
        R: Try<Output = ()> + Send,
    {
        self.map(f).try_reduce(|| (), |(), ()| R::from_output(()))
    }

    /// Does as [`try_for_each`](Self::try_for_each), with a state that `init` creates for each run.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// let all = (0..9).into_par_iter().try_for_each_init(|| 9, |n, x| (x < *n).then_some(()));
    /// assert_eq!(all, Some(()));
    /// ```
    fn try_for_each_init<F, N, X, R>(self, init: N, f: F) -> R
    where
        F: Fn(&mut X, Self::Item) -> R + Sync + Send,
        N: Fn() -> X + Sync + Send,
        R: Try<Output = ()> + Send,
    {
        self.map_init(init, f).try_for_each(convert::identity)
    }

    /// Does as [`try_for_each`](Self::try_for_each), with a clone of `init` for each run.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// use std::sync::mpsc;
    /// let (sender, receiver) = mpsc::channel();
    /// (0..5).into_par_iter().try_for_each_with(sender, |s, x| s.send(x)).unwrap();
    /// assert_eq!(receiver.iter().sum::<i32>(), 10);
    /// ```
    fn try_for_each_with<F, X, R>(self, init: X, f: F) -> R
    where
        F: Fn(&mut X, Self::Item) -> R + Sync + Send,
        X: Send + Clone,
        R: Try<Output = ()> + Send,
    {
        self.map_with(init, f).try_for_each(convert::identity)
    }

    /// Returns the number of items.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// assert_eq!((0..100).into_par_iter().filter(|x| x % 9 == 0).count(), 12);
    /// ```
    fn count(self) -> usize {
        self.drive(&consume::reduce::Count)
    }

    /// Adds up the items. Sums of floating-point numbers depend on where the loop was split, except
    /// with [`deterministic`](super::IndexedParallelIterator::deterministic).
    ///
    /// ```
    /// use sumac::prelude::*;
    /// assert_eq!((0..100).into_par_iter().sum::<i32>(), 4950);
    /// ```
    fn sum<T>(self) -> T
    where
        T: Send + Sum<Self::Item> + Sum<T>,
    {
        self.drive(&consume::sum::Summing::new())
    }

    /// Multiplies the items. Products of floating-point numbers depend on where the loop was split,
    /// except with [`deterministic`](super::IndexedParallelIterator::deterministic).
    ///
    /// ```
    /// use sumac::prelude::*;
    /// assert_eq!((1..6).into_par_iter().product::<i32>(), 120);
    /// ```
    fn product<T>(self) -> T
    where
        T: Send + Product<Self::Item> + Product<T>,
    {
        self.drive(&consume::sum::Multiplying::new())
    }

    /// Combines the items with `op`, which must be associative but need not be commutative. Returns
    /// the value of `identity` if there are no items.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// let words = ["fork", "and", "join"];
    /// let text = words.par_iter().map(|w| w.to_string()).reduce(String::new, |a, b| a + &b);
    /// assert_eq!(text, "forkandjoin");
    /// ```
    fn reduce<F, N>(self, identity: N, op: F) -> Self::Item
    where
        F: Fn(Self::Item, Self::Item) -> Self::Item + Sync + Send,
        N: Fn() -> Self::Item + Sync + Send,
    {
        self.reduce_with(op).unwrap_or_else(identity)
    }

    /// Combines the items with `op`, which must be associative. Returns `None` if there are no
    /// items.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// assert_eq!([3, 1, 2].into_par_iter().reduce_with(|a, b| a.min(b)), Some(1));
    /// ```
    fn reduce_with<F>(self, op: F) -> Option<Self::Item>
    where
        F: Fn(Self::Item, Self::Item) -> Self::Item + Sync + Send,
    {
        self.drive(&consume::reduce::Reduce { op })
    }

    /// Combines the values in the items with `op`, until an item is, or `op` returns, `None` or an
    /// error.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// let sum = |v: &[u8]| v.par_iter().map(|&x| Some(x)).try_reduce(|| 0, u8::checked_add);
    /// assert_eq!(sum(&[1, 2, 3]), Some(6));
    /// assert_eq!(sum(&[100; 3]), None);
    /// ```
    fn try_reduce<T, F, N>(self, identity: N, op: F) -> Self::Item
    where
        F: Fn(T, T) -> Self::Item + Sync + Send,
        N: Fn() -> T + Sync + Send,
        Self::Item: Try<Output = T>,
    {
        let total = self.try_reduce_with(op);
        total.unwrap_or_else(|| Self::Item::from_output(identity()))
    }

    /// Does as [`try_reduce`](Self::try_reduce), without an identity. Returns `None` if there are
    /// no items.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// let sum = |v: &[u8]| v.par_iter().map(|&x| Some(x)).try_reduce_with(u8::checked_add);
    /// assert_eq!(sum(&[1, 2]), Some(Some(3)));
    /// assert_eq!(sum(&[]), None);
    /// ```
    fn try_reduce_with<T, F>(self, op: F) -> Option<Self::Item>
    where
        F: Fn(T, T) -> Self::Item + Sync + Send,
        Self::Item: Try<Output = T>,
    {
        self.drive(&consume::try_reduce::TryReduce::new(op))
    }

    /// Returns the smallest item, the first of equal ones.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// assert_eq!([2, 4, 1].par_iter().min(), Some(&1));
    /// ```
    fn min(self) -> Option<Self::Item>
    where
        Self::Item: Ord,
    {
        self.min_by(Self::Item::cmp)
    }

    /// Returns the smallest item by the order `compare`, the first of equal ones.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// assert_eq!([2.0, 4.0, 1.0].par_iter().min_by(|a: &&f64, b| a.total_cmp(b)), Some(&1.0));
    /// ```
    fn min_by<F>(self, compare: F) -> Option<Self::Item>
    where
        F: Fn(&Self::Item, &Self::Item) -> Ordering + Sync + Send,
    {
        self.reduce_with(|a, b| if compare(&a, &b).is_gt() { b } else { a })
    }

    /// Returns the item with the smallest key, the first of equal ones. `key` is called once per
    /// item.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// assert_eq!([2_i32, -4, 1].par_iter().min_by_key(|x| x.abs()), Some(&1));
    /// ```
    fn min_by_key<K, F>(self, key: F) -> Option<Self::Item>
    where
        K: Ord + Send,
        F: Fn(&Self::Item) -> K + Sync + Send,
    {
        let keyed = self.map(|item| (key(&item), item));
        let best = keyed.reduce_with(|a, b| if a.0 > b.0 { b } else { a });
        best.map(|(_, item)| item)
    }

    /// Returns the largest item, the last of equal ones.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// assert_eq!([2, 4, 1].par_iter().max(), Some(&4));
    /// ```
    fn max(self) -> Option<Self::Item>
    where
        Self::Item: Ord,
    {
        self.max_by(Self::Item::cmp)
    }

    /// Returns the largest item by the order `compare`, the last of equal ones.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// assert_eq!([2.0, 4.0, 1.0].par_iter().max_by(|a: &&f64, b| a.total_cmp(b)), Some(&4.0));
    /// ```
    fn max_by<F>(self, compare: F) -> Option<Self::Item>
    where
        F: Fn(&Self::Item, &Self::Item) -> Ordering + Sync + Send,
    {
        self.reduce_with(|a, b| if compare(&a, &b).is_gt() { a } else { b })
    }

    /// Returns the item with the largest key, the last of equal ones. `key` is called once per
    /// item.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// assert_eq!([2_i32, -4, 1].par_iter().max_by_key(|x| x.abs()), Some(&-4));
    /// ```
    fn max_by_key<K, F>(self, key: F) -> Option<Self::Item>
    where
        K: Ord + Send,
        F: Fn(&Self::Item) -> K + Sync + Send,
    {
        let keyed = self.map(|item| (key(&item), item));
        let best = keyed.reduce_with(|a, b| if a.0 > b.0 { a } else { b });
        best.map(|(_, item)| item)
    }

    /// Returns any item for which `predicate` holds. The loop stops once one is found.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// assert!((0..100).into_par_iter().find_any(|x| x % 10 == 5).is_some());
    /// ```
    fn find_any<P>(self, predicate: P) -> Option<Self::Item>
    where
        P: Fn(&Self::Item) -> bool + Sync + Send,
    {
        self.find_map_any(|item| predicate(&item).then_some(item))
    }

    /// Returns any `Some` that `f` returns. The loop stops once there is one.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// assert_eq!(["a", "7", "b"].par_iter().find_map_any(|s| s.parse().ok()), Some(7));
    /// ```
    fn find_map_any<F, R>(self, f: F) -> Option<R>
    where
        F: Fn(Self::Item) -> Option<R> + Sync + Send,
        R: Send,
    {
        self.drive(&Find::<find::Any, _>::new(f))
    }

    /// Returns the first item for which `predicate` holds. Once an item is found, only parts on its
    /// left go on.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// assert_eq!((0..100).into_par_iter().find_first(|x| x % 10 == 5), Some(5));
    /// ```
    fn find_first<P>(self, predicate: P) -> Option<Self::Item>
    where
        P: Fn(&Self::Item) -> bool + Sync + Send,
    {
        self.find_map_first(|item| predicate(&item).then_some(item))
    }

    /// Returns the `Some` that `f` returns for the first possible item.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// assert_eq!(["a", "7", "8"].par_iter().find_map_first(|s| s.parse().ok()), Some(7));
    /// ```
    fn find_map_first<F, R>(self, f: F) -> Option<R>
    where
        F: Fn(Self::Item) -> Option<R> + Sync + Send,
        R: Send,
    {
        self.drive(&Find::<find::First, _>::new(f))
    }

    /// Returns the last item for which `predicate` holds. Once an item is found, only parts on its
    /// right go on.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// assert_eq!((0..100).into_par_iter().find_last(|x| x % 10 == 5), Some(95));
    /// ```
    fn find_last<P>(self, predicate: P) -> Option<Self::Item>
    where
        P: Fn(&Self::Item) -> bool + Sync + Send,
    {
        self.find_map_last(|item| predicate(&item).then_some(item))
    }

    /// Returns the `Some` that `f` returns for the last possible item.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// assert_eq!(["a", "7", "8"].par_iter().find_map_last(|s| s.parse().ok()), Some(8));
    /// ```
    fn find_map_last<F, R>(self, f: F) -> Option<R>
    where
        F: Fn(Self::Item) -> Option<R> + Sync + Send,
        R: Send,
    {
        self.drive(&Find::<find::Last, _>::new(f))
    }

    /// Returns whether `predicate` holds for any item. The loop stops once it does.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// assert!((0..100).into_par_iter().any(|x| x == 50));
    /// ```
    fn any<P>(self, predicate: P) -> bool
    where
        P: Fn(Self::Item) -> bool + Sync + Send,
    {
        self.find_map_any(|item| predicate(item).then_some(()))
            .is_some()
    }

    /// Returns whether `predicate` holds for all items. The loop stops once it does not.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// assert!((0..100).into_par_iter().all(|x| x < 100));
    /// ```
    fn all<P>(self, predicate: P) -> bool
    where
        P: Fn(Self::Item) -> bool + Sync + Send,
    {
        !self.any(|item| !predicate(item))
    }

    /// Collects all items, in order if the collection is ordered.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// let squares: Vec<i32> = (0..4).into_par_iter().map(|x| x * x).collect();
    /// assert_eq!(squares, [0, 1, 4, 9]);
    /// let all: Option<Vec<i32>> = [Some(1), None].into_par_iter().collect();
    /// assert_eq!(all, None);
    /// ```
    fn collect<C: FromParallelIterator<Self::Item>>(self) -> C {
        C::from_par_iter(self)
    }

    /// Collects the left and the right halves of pairs.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// let (a, b): (Vec<_>, Vec<_>) = [(1, 'x'), (2, 'y')].into_par_iter().unzip();
    /// assert_eq!((a, b), (vec![1, 2], vec!['x', 'y']));
    /// ```
    fn unzip<A, B, X, Y>(self) -> (X, Y)
    where
        Self: ParallelIterator<Item = (A, B)>,
        X: Default + Send + ParallelExtend<A>,
        Y: Default + Send + ParallelExtend<B>,
        A: Send,
        B: Send,
    {
        let mut both = (X::default(), Y::default());
        both.par_extend(self);
        both
    }

    /// Collects the items for which `predicate` holds, and the others.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// let (even, odd): (Vec<_>, Vec<_>) = (0..6).into_par_iter().partition(|x| x % 2 == 0);
    /// assert_eq!((even, odd), (vec![0, 2, 4], vec![1, 3, 5]));
    /// ```
    fn partition<A, B, P>(self, predicate: P) -> (A, B)
    where
        A: Default + Send + ParallelExtend<Self::Item>,
        B: Default + Send + ParallelExtend<Self::Item>,
        P: Fn(&Self::Item) -> bool + Sync + Send,
    {
        self.partition_map(|item| {
            if predicate(&item) {
                Either::Left(item)
            } else {
                Either::Right(item)
            }
        })
    }

    /// Maps each item with `predicate`, and collects the `Left` and the `Right` values.
    ///
    /// ```
    /// use sumac::{iter::Either, prelude::*};
    ///
    /// let parse = |word: &&str| match word.parse::<i32>() {
    ///     Ok(number) => Either::Left(number),
    ///     Err(_) => Either::Right(word.len()),
    /// };
    /// let both: (Vec<_>, Vec<_>) = ["1", "two", "3"].par_iter().partition_map(parse);
    /// assert_eq!(both, (vec![1, 3], vec![3]));
    /// ```
    fn partition_map<A, B, P, L, R>(self, predicate: P) -> (A, B)
    where
        A: Default + Send + ParallelExtend<L>,
        B: Default + Send + ParallelExtend<R>,
        P: Fn(Self::Item) -> Either<L, R> + Sync + Send,
        L: Send,
        R: Send,
    {
        let mut both = (A::default(), B::default());
        both.par_extend(self.map(predicate));
        both
    }

    /// Collects all items, in order, into a list of vectors. Their number depends on the schedule.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// let list = (0..9).into_par_iter().filter(|x| x % 2 == 0).collect_vec_list();
    /// assert_eq!(list.into_iter().flatten().collect::<Vec<_>>(), [0, 2, 4, 6, 8]);
    /// ```
    fn collect_vec_list(self) -> LinkedList<Vec<Self::Item>> {
        let lists = consume::collect::into_lists(self);
        lists.into_iter().filter(|list| !list.is_empty()).collect()
    }
}

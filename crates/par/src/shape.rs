//! The internal structure of all loops, and how to add to it.
//!
//! ```text
//!   v.par_iter().zip(w).map(f).filter(p).sum()
//!   └── producer ─────────┘ └── sinks ────────┘
//! ```
//!
//! * A **producer** is the rest of a loop: it has a number of *positions*, can be split at one, and
//!   can be turned into a sequential iterator. Sources and the indexed adaptors (`zip`,
//!   `enumerate`, `rev`, `chunks`, …) are producers.
//! * A **sink** consumes items: it creates an *accumulator* for each *run* (consecutive items on
//!   one thread), takes items, turns accumulators into *outputs*, and merges the outputs of
//!   neighbours. Consumers (`sum`, `collect`, `find_any`, …) are sinks.
//! * The **kernel** (kernel/mod.rs) runs producers into sinks, a block of a microsecond or two at a
//!   time, and splits the rest when an idle thread asks. Nothing else in this crate knows about
//!   threads.
//!
//! An adaptor turns a sink into a sink: [`filter`](crate::iter::ParallelIterator::filter) pushes
//! `items.filter(p)` where it was given `items`. So *an adaptor is a function from sequential
//! iterators to sequential iterators*, and each block is one chain of std iterators and vectorises
//! like one. Only adaptors that need positions (and `map`, so that `zip` works after it) are
//! producers as well.
//!
//! # A new adaptor
//!
//! If it applies an adaptor of std to the items of a run, it is a *transform* of ten lines
//! (`adapt/transform.rs`; `filter.rs` is the model). If it turns each item into one, it is an
//! *action* (`adapt/each.rs`, `map.rs`). If it keeps the number of items otherwise, it needs
//! `exact_len` and a producer (`adapt/enumerate.rs`). Where possible, the rest of a source or an
//! adaptor has the same type: a `Zip` of two producers is a producer.
//!
//! # Invariants
//!
//! * **Exact positions.** If `exact_len` is `Some(n)`, `drive` gives the sink runs that start at
//!   the positions it names, of items at consecutive positions, each position below `n` at most
//!   once (all, unless the sink is full or something panics). Only this crate can promise that: no
//!   other crate can name `Seal` or `Producer`, and so override `exact_len`, implement
//!   [`IndexedParallelIterator`](crate::iter::IndexedParallelIterator), or create a producer
//!   (producer.rs).
//! * **Allotted once.** Before a run is given items it is [allotted](Sink::allot) their positions,
//!   and no position is allotted twice. This does not depend on producers: the kernel divides the
//!   numbers from 0 on by itself, `chain` (adapt/at.rs) divides those of its sink between its two
//!   parts, `intersperse` maps each to two. `collect` relies on it to write into uninitialised
//!   memory; a wrong length makes it panic.
//! * **Order.** `merge(left, right)` is called with outputs of adjacent runs, the first before the
//!   second. So merging need not be commutative. A sink may ask for another [`Order`]: then its
//!   runs need not be of consecutive items.
//! * **Monotone.** Positions never decrease from left to right, also where they are not exact (they
//!   may then repeat).
//!
//! ```compile_fail
//! use sumac_par::shape::{Producer, Seal};
//! ```

pub(crate) use crate::producer::{Producer, Seal};

/// The order in which a sink wants its items. Loops over producers keep to it. (They ask for it in
/// `const` blocks: then of an `if` only the branch that a sink needs is compiled.)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// From left to right.
    Forward,
    /// Blocks from right to left, each of them from left to right. Runs start at the position
    /// behind their last item.
    ///
    /// For a search for the last item: a run that found one [has its last](Sink::has_last), which
    /// ends such a loop. Loops of some sources, and of some adaptors in between, still go from left
    /// to right.
    Backward,
    /// Any. A long run tries other places of the rest, and outputs are merged in any order.
    Any,
}

/// A consumer of items, or an adaptor in front of one.
pub trait Sink<T>: Sync {
    /// The accumulator of a run; stays on one thread.
    type Acc;
    /// The result of a run.
    type Output: Send;

    /// The order of the items.
    const ORDER: Order = Order::Forward;

    /// Whether its result depends on where runs end, or where they are [cut](Sink::cut).
    const PIECES: bool = false;

    /// Creates the accumulator of a run that starts at `position`.
    fn begin(&self, position: usize) -> Self::Acc;

    /// Allots the next `positions` positions to the run. If positions are exact, the items of the
    /// next [`push_all`](Sink::push_all) belong to them. Called by the kernel, if the order is
    /// forward; adaptors of iterators with exact positions pass it on.
    #[inline]
    fn allot(&self, _: &mut Self::Acc, _positions: usize) {}

    /// Takes items. It may leave some if it [is full](Sink::is_full) afterwards.
    fn push_all<I: Iterator<Item = T>>(&self, acc: &mut Self::Acc, items: I);

    /// Treats the next items as if they were in another run, if runs are [pieces](Sink::PIECES).
    fn cut(&self, _: &mut Self::Acc) {}

    /// Ends a run.
    fn finish(&self, acc: Self::Acc) -> Self::Output;

    /// Merges the outputs of neighbours.
    fn merge(&self, left: Self::Output, right: Self::Output) -> Self::Output;

    /// Returns whether the rest of this run is not needed. (Other runs decide for themselves.)
    fn is_full(&self, _: &Self::Acc) -> bool {
        false
    }

    /// Returns whether items on the left of this run's items are not needed. Called between blocks
    /// of a loop that goes [backward](Order::Backward).
    fn has_last(&self, _: &Self::Acc) -> bool {
        false
    }
}

/// The methods of a [`ParallelIterator`](crate::iter::ParallelIterator) that are the same for all
/// indexed sources and adaptors.
macro_rules! drive_indexed {
    () => {
        fn drive<S: $crate::shape::Sink<Self::Item>>(mut self, sink: &S) -> S::Output {
            $crate::kernel::drive(
                $crate::iter::IndexedParallelIterator::producer(&mut self, $crate::shape::Seal(())),
                sink,
            )
        }

        fn exact_len(&self, _: $crate::shape::Seal) -> Option<usize> {
            Some($crate::iter::IndexedParallelIterator::len(self))
        }

        $crate::shape::push_few!(
            |items| $crate::iter::IndexedParallelIterator::len(items),
            |mut items| {
                $crate::iter::IndexedParallelIterator::producer(&mut items, $crate::shape::Seal(()))
            }
        );
    };
}
pub(crate) use drive_indexed;

/// An indexed source that is its own producer:
/// `indexed_source! { [params with bounds] Source => Item, |source| moved
/// }`, where `moved` is moved out of `source`, a reference.
macro_rules! indexed_source {
    ([$($bounds:tt)*] $Source:ty => $Item:ty, |$source:ident| $moved:expr) => {
        impl<$($bounds)*> $crate::iter::ParallelIterator for $Source {
            type Item = $Item;

            $crate::shape::drive_indexed!();
        }

        impl<$($bounds)*> $crate::iter::IndexedParallelIterator for $Source {
            type Producer<'p>
                = Self
            where
                Self: 'p;

            fn len(&self) -> usize {
                $crate::shape::Producer::len(self)
            }

            fn producer(&mut self, _: $crate::shape::Seal) -> Self {
                let $source = self;
                $moved
            }
        }
    };
}
pub(crate) use indexed_source;

/// Pushes the items of a [`ParallelIterator`](crate::iter::ParallelIterator) with a producer from
/// an outer loop if they are few.
macro_rules! push_few {
    (|$items:ident| $len:expr, |$all:pat_param| $producer:expr) => {
        #[inline]
        fn push_few<S, Few>(
            self,
            sink: &S,
            run: &mut Option<S::Acc>,
            position: usize,
            few: Few,
            _: $crate::shape::Seal,
        ) -> Option<Self>
        where
            S: $crate::shape::Sink<Self::Item>,
            Few: FnOnce(usize) -> bool,
        {
            let $items = &self;
            if !few($len) {
                return Some(self);
            }
            let acc = run.get_or_insert_with(|| sink.begin(position));
            let $all = self;
            let producer = $producer;
            let state = $crate::shape::Producer::state(&producer);
            sink.push_all(acc, $crate::shape::Producer::iter(producer, &state));
            None
        }
    };
}
pub(crate) use push_few;

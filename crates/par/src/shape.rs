//! The one internal shape: how a loop is put together, and how to add to it.
//!
//! ```text
//!   v.par_iter().zip(w).map(f).filter(p).sum()
//!   └── producer ─────────┘ └── sinks ────────┘
//! ```
//!
//! * A **producer** is what is left of a loop: something with a number of *positions* that can be
//!   split at one, and turned into a sequential iterator. Sources and the indexed adaptors (`zip`,
//!   `enumerate`, `rev`, `chunks`, …) are producers.
//! * A **sink** is where items go: it makes an *accumulator* for each *run* (consecutive items that
//!   one thread works on), takes items, turns accumulators into *outputs*, and merges the outputs
//!   of neighbours. Consumers (`sum`, `collect`, `find_any`, …) are sinks.
//! * The **kernel** (kernel/mod.rs) runs producers into sinks, a block of a microsecond or two at a
//!   time, and splits what is left when an idle thread asks. Nothing else in this crate knows about
//!   threads.
//!
//! An adaptor turns a sink into a sink: [`filter`](crate::iter::ParallelIterator::filter) pushes
//! `items.filter(p)` where it was given `items`. So *an adaptor is a function from sequential
//! iterators to sequential iterators*, the block is one std iterator chain in the end, and
//! vectorises like one. Only what needs positions (and `map`, so that one can `zip` after it) is a
//! producer as well.
//!
//! # A new adaptor
//!
//! If it is one of std's on the items of a run, a *transform* (`adapt/transform.rs`; `filter.rs` is
//! the model), ten lines. If it makes one item of each: an *action* (`adapt/each.rs`, `map.rs`). If
//! it keeps the number of items otherwise: `exact_len`, and a producer (`adapt/enumerate.rs`).
//! What is left of a source or an adaptor is, where that can be, one of the same type: a `Zip` of
//! two producers is a producer.
//!
//! # Invariants
//!
//! * **Exact positions.** If `exact_len` is `Some(n)`, `drive` gives the sink runs that begin at
//!   the positions it names, of items that belong to consecutive positions, each position below `n`
//!   at most once (all, unless the sink is full or something panics). Only this crate can promise
//!   that: no other crate can name `Seal` or `Producer`, hence override `exact_len`, implement
//!   [`IndexedParallelIterator`](crate::iter::IndexedParallelIterator), or have a producer made
//!   (producer.rs).
//! * **Allotted once.** Before a run is given items it is [allotted](Sink::allot) their positions,
//!   and no position is allotted twice. This does not depend on what producers say or do: the
//!   kernel divides the numbers from 0 on by itself, `chain` (adapt/at.rs) divides those of its
//!   sink between its two parts, `intersperse` maps each to two. `collect` writes into
//!   uninitialised memory relying on it; a wrong length makes it panic.
//! * **Order.** `merge(left, right)` is called with outputs of runs of which the first comes before
//!   the second, and nothing that was pushed lies between. So merging need not be commutative. A
//!   sink may ask for another [`Order`]: then its runs need not be of consecutive items.
//! * **Monotone.** Positions never decrease from left to right, also where they are not exact (they
//!   may then repeat).
//!
//! ```compile_fail
//! use sumac_par::shape::{Producer, Seal};
//! ```

pub(crate) use crate::producer::{Producer, Seal};

/// The order in which a sink wants its items; loops over what can be divided anywhere keep to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// From left to right.
    Forward,
    /// Blocks from right to left, each of them from left to right. Runs begin at the position
    /// behind their last item.
    ///
    /// A search for the last: a run that has come to anything [has its last](Sink::has_last), which
    /// ends such a loop. Others go from left to right all the same: those of some sources, and
    /// where an adaptor in between wants that.
    Backward,
    /// Any. A run that goes on for long tries other places of what is left, and outputs are merged
    /// in no order.
    Any,
}

/// Where items go.
pub trait Sink<T>: Sync {
    /// What a run collects in; stays on one thread.
    type Acc;
    /// What a run comes to.
    type Output: Send;

    /// The order of the items.
    const ORDER: Order = Order::Forward;

    /// Whether it makes something of each run, or part of one that is [cut off](Sink::cut).
    const PIECES: bool = false;

    /// An accumulator for a run that begins at `position`.
    fn begin(&self, position: usize) -> Self::Acc;

    /// Says that the run has so many positions more: those behind the ones that it has so far.
    /// Where positions are exact, the items of the next [`push_all`](Sink::push_all) belong to
    /// them. Called by the kernel, if the order is forward; adaptors of iterators with exact
    /// positions pass it on.
    #[inline]
    fn allot(&self, _: &mut Self::Acc, _positions: usize) {}

    /// Takes items. It may leave some if it [is full](Sink::is_full) then.
    fn push_all<I: Iterator<Item = T>>(&self, acc: &mut Self::Acc, items: I);

    /// Says that what comes next is to be as if in another run, where runs are
    /// [pieces](Sink::PIECES).
    fn cut(&self, _: &mut Self::Acc) {}

    /// Ends a run.
    fn finish(&self, acc: Self::Acc) -> Self::Output;

    /// Puts the outputs of neighbours together.
    fn merge(&self, left: Self::Output, right: Self::Output) -> Self::Output;

    /// Whether the rest of this run is not needed any more. (What lies behind other runs is up to
    /// those.)
    fn is_full(&self, _: &Self::Acc) -> bool {
        false
    }

    /// Whether what lies on the left of this run's items is not needed any more. Asked between
    /// blocks of a loop that goes [backward](Order::Backward).
    fn has_last(&self, _: &Self::Acc) -> bool {
        false
    }
}

/// The methods of a [`ParallelIterator`](crate::iter::ParallelIterator) that an indexed source or
/// adaptor has in common with all others.
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

/// An indexed source; what is left of it is a smaller one:
/// `indexed_source! { [params with bounds] Source => Item, |source| moved }`, where `moved` is what
/// `source`, a reference, had in it.
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

/// Has the items of a [`ParallelIterator`](crate::iter::ParallelIterator) with a producer pushed by
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

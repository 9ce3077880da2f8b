//! The counters of a batched structure: sizes of batches, and waits.

use crate::protocol::gate::Waited;
use std::{
    array, iter,
    ops::RangeInclusive,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

/// One for each power of two.
const CLASSES: usize = 64;

/// Written by the leader alone, so that no atomic read-modify-write is needed.
#[derive(Debug)]
pub(crate) struct Counters {
    /// Batches of one.
    singles: AtomicU64,
    larger: Box<Larger>,
}

#[derive(Debug)]
struct Larger {
    largest: AtomicU64,
    batches: [AtomicU64; CLASSES],
    operations: [AtomicU64; CLASSES],
    waited_turns: AtomicU64,
    waited_nanos: AtomicU64,
    longest_nanos: AtomicU64,
}

#[inline]
fn add(counter: &AtomicU64, n: u64) {
    counter.store(counter.load(Ordering::Relaxed) + n, Ordering::Relaxed);
}

fn raise(counter: &AtomicU64, to: u64) {
    if to > counter.load(Ordering::Relaxed) {
        counter.store(to, Ordering::Relaxed);
    }
}

impl Counters {
    pub(crate) fn new() -> Self {
        Counters {
            singles: AtomicU64::new(0),
            larger: Box::new(Larger {
                largest: AtomicU64::new(0),
                batches: array::from_fn(|_| AtomicU64::new(0)),
                operations: array::from_fn(|_| AtomicU64::new(0)),
                waited_turns: AtomicU64::new(0),
                waited_nanos: AtomicU64::new(0),
                longest_nanos: AtomicU64::new(0),
            }),
        }
    }

    /// Counts a batch of one.
    #[inline]
    pub(crate) fn count_single(&self) {
        add(&self.singles, 1);
    }

    /// Counts a batch of `size`.
    pub(crate) fn count_batch(&self, size: usize) {
        match size.checked_ilog2() {
            None => {}
            Some(0) => self.count_single(),
            Some(class) => {
                add(&self.larger.batches[class as usize], 1);
                add(&self.larger.operations[class as usize], size as u64);
                raise(&self.larger.largest, size as u64);
            }
        }
    }

    /// Counts how long the oldest operation of a batch has waited for its start.
    pub(crate) fn count_wait(&self, waited: Waited) {
        raise(&self.larger.waited_turns, waited.turns + 1);
        raise(&self.larger.longest_nanos, waited.nanos);
        add(&self.larger.waited_nanos, waited.nanos);
    }

    pub(crate) fn read(&self) -> BatchStats {
        let get = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let larger = &*self.larger;
        let singles = get(&self.singles);
        let class = |class: usize| SizeClass {
            sizes: 1 << class..=(1_u64 << class) + ((1_u64 << class) - 1),
            batches: get(&larger.batches[class]),
            operations: get(&larger.operations[class]),
        };
        let first = SizeClass {
            sizes: 1..=1,
            batches: singles,
            operations: singles,
        };
        let sizes: Vec<_> = iter::once(first)
            .chain((1..CLASSES).map(class))
            .filter(|class| class.batches > 0)
            .collect();
        BatchStats {
            batches: sizes.iter().map(|class| class.batches).sum(),
            operations: sizes.iter().map(|class| class.operations).sum(),
            largest: get(&larger.largest).max(singles.min(1)),
            sizes,
            longest_wait_turns: get(&larger.waited_turns),
            longest_wait: Duration::from_nanos(get(&larger.longest_nanos)),
            total_wait: Duration::from_nanos(get(&larger.waited_nanos)),
        }
    }
}

/// The counters of a batched structure, see [`Batched::stats`](crate::Batched::stats). Reads that
/// ran beside each other, outside of batches, are not counted.
///
/// ```
/// use sumac::batch::{Add, Batched, Counter};
///
/// let counter = Batched::new(Counter::new(0));
/// counter.apply(Add(1));
/// counter.apply_all(vec![Add(1); 10]);
/// let stats = counter.stats();
/// assert_eq!((stats.batches, stats.operations, stats.largest), (2, 11, 10));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BatchStats {
    /// The number of batches. An operation without contention is a batch of one.
    pub batches: u64,
    /// The number of operations in all batches.
    pub operations: u64,
    /// The size of the largest batch.
    pub largest: u64,
    /// The numbers of batches by size, in powers of two.
    pub sizes: Vec<SizeClass>,
    /// The greatest number of turns, each a batch or an exclusive access, that an operation waited
    /// for. At most two.
    pub longest_wait_turns: u64,
    /// The longest time from an operation's arrival to the start of its batch, to within a factor
    /// of two.
    pub longest_wait: Duration,
    /// The sum of these times over the oldest operation of each batch.
    pub total_wait: Duration,
}

/// Batches of about the same size.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SizeClass {
    /// The range of sizes.
    pub sizes: RangeInclusive<u64>,
    /// The number of batches.
    pub batches: u64,
    /// The number of operations in them.
    pub operations: u64,
}

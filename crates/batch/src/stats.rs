//! What a batched structure counts: sizes of batches, and waits.

use crate::gate::Waited;
use std::{
    array,
    ops::RangeInclusive,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

/// One for each power of two.
const CLASSES: usize = 64;

/// Written by the leader alone, so that no atomic read-modify-write is needed.
#[derive(Debug)]
pub(crate) struct Counters {
    operations: AtomicU64,
    largest: AtomicU64,
    batches: [AtomicU64; CLASSES],
    in_batches: [AtomicU64; CLASSES],
    waited_turns: AtomicU64,
    waited_nanos: AtomicU64,
    longest_nanos: AtomicU64,
}

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
            operations: AtomicU64::new(0),
            largest: AtomicU64::new(0),
            batches: array::from_fn(|_| AtomicU64::new(0)),
            in_batches: array::from_fn(|_| AtomicU64::new(0)),
            waited_turns: AtomicU64::new(0),
            waited_nanos: AtomicU64::new(0),
            longest_nanos: AtomicU64::new(0),
        }
    }

    /// A batch of `size` has been carried out.
    #[inline]
    pub(crate) fn count_batch(&self, size: usize) {
        let Some(class) = size.checked_ilog2() else {
            return;
        };
        let size = size as u64;
        add(&self.operations, size);
        add(&self.batches[class as usize], 1);
        add(&self.in_batches[class as usize], size);
        raise(&self.largest, size);
    }

    /// The oldest operation of a batch has waited this long for its beginning.
    pub(crate) fn count_wait(&self, waited: Waited) {
        raise(&self.waited_turns, waited.turns + 1);
        raise(&self.longest_nanos, waited.nanos);
        add(&self.waited_nanos, waited.nanos);
    }

    pub(crate) fn read(&self) -> BatchStats {
        let get = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let sizes = (0..CLASSES)
            .filter(|&class| get(&self.batches[class]) > 0)
            .map(|class| SizeClass {
                sizes: 1 << class..=(1_u64 << class) + ((1_u64 << class) - 1),
                batches: get(&self.batches[class]),
                operations: get(&self.in_batches[class]),
            })
            .collect::<Vec<_>>();
        BatchStats {
            batches: sizes.iter().map(|class| class.batches).sum(),
            operations: get(&self.operations),
            largest: get(&self.largest),
            sizes,
            longest_wait_turns: get(&self.waited_turns),
            longest_wait: Duration::from_nanos(get(&self.longest_nanos)),
            total_wait: Duration::from_nanos(get(&self.waited_nanos)),
        }
    }
}

/// What a batched structure has counted so far, see [`Batched::stats`](crate::Batched::stats).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BatchStats {
    /// How many batches it has carried out. An operation that met nobody is a batch of one.
    pub batches: u64,
    /// And operations, in all of them.
    pub operations: u64,
    /// The size of the largest batch.
    pub largest: u64,
    /// How many batches of which sizes there were, by powers of two.
    pub sizes: Vec<SizeClass>,
    /// For how many turns of others an operation waited at the most, each a batch or an exclusive access. At most two.
    pub longest_wait_turns: u64,
    /// The longest time from an operation's arrival to the beginning of its batch; good to within a factor of two.
    pub longest_wait: Duration,
    /// The same of the oldest operation of each batch, added up.
    pub total_wait: Duration,
}

/// Batches of about the same size.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SizeClass {
    /// Their sizes.
    pub sizes: RangeInclusive<u64>,
    /// How many there were.
    pub batches: u64,
    /// The operations in them.
    pub operations: u64,
}

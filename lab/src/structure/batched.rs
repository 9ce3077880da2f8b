//! The contenders that are batched: sumac's counter and maps.

use std::future::Future;

use sumac::batch::{
    Add, BatchStats, Batched, BatchedStructure, Counter, FastCounter, Get, Insert, Operation,
    SkipList, Tree,
};

use super::counter::SharedCounter;
use super::hash::HashMap;
use super::map::{Owned, Shared, in_order, owned};
use super::work::{Op, Work};

impl SharedCounter for Batched<Counter> {
    const NAME: &'static str = "batched counter";

    fn zero() -> Self {
        Batched::new(Counter::new(0))
    }

    fn add(&self) -> i64 {
        self.apply(Add(1))
    }

    fn submit(&self) -> impl Future<Output = i64> + Send {
        Batched::submit(self, Add(1))
    }

    fn value(&self) -> i64 {
        self.with_mut(|counter| counter.value())
    }

    fn stats(&self) -> Option<BatchStats> {
        Some(Batched::stats(self))
    }
}

/// The batched counter with an atomic in front; only its calls that wait are offered.
impl SharedCounter for FastCounter {
    const NAME: &'static str = "batched, fast path";

    fn zero() -> Self {
        FastCounter::new(0)
    }

    fn add(&self) -> i64 {
        FastCounter::add(self, 1)
    }

    fn value(&self) -> i64 {
        self.get()
    }
}

owned!(SkipList<u64, u64>, "skip list", in_order);
owned!(Tree<u64, u64>, "tree", in_order);

/// A structure of sumac's, with the operations that the lab has for it.
pub(crate) trait InBatches: Owned + BatchedStructure {
    /// Inserts.
    type Insert: Operation<Self>;
    /// Searches.
    type Search: Operation<Self>;

    /// Inserts.
    fn insert(key: u64, value: u64) -> Self::Insert;

    /// Searches.
    fn search(key: u64) -> Self::Search;

    /// The value that was there before an insertion with this answer.
    fn before(key: u64, answer: Answer<Self, Self::Insert>) -> Option<u64>;

    /// The value that was found by a search with this answer.
    fn found(key: u64, answer: Answer<Self, Self::Search>) -> Option<u64>;

    /// An operation of the structure's own type.
    fn op(op: Op) -> Self::Op {
        match op.insert {
            Some(value) => Self::insert(op.key, value).into_op(),
            None => Self::search(op.key).into_op(),
        }
    }

    /// The value that such an answer tells.
    fn value(op: Op, answer: Self::Answer) -> Option<u64> {
        match op.insert {
            Some(_) => Self::before(op.key, Self::Insert::answer(answer)),
            None => Self::found(op.key, Self::Search::answer(answer)),
        }
    }
}

/// An operation's answer.
pub(super) type Answer<M, O> = <O as Operation<M>>::Answer;

/// `InBatches` for a map.
macro_rules! map_in_batches {
    ($map:ty) => {
        impl InBatches for $map {
            type Insert = Insert<u64, u64>;
            type Search = Get<u64>;

            fn insert(key: u64, value: u64) -> Insert<u64, u64> {
                Insert(key, value)
            }

            fn search(key: u64) -> Get<u64> {
                Get(key)
            }

            fn before(_key: u64, value: Option<u64>) -> Option<u64> {
                value
            }

            fn found(_key: u64, value: Option<u64>) -> Option<u64> {
                value
            }
        }
    };
}

map_in_batches!(SkipList<u64, u64>);
map_in_batches!(Tree<u64, u64>);
map_in_batches!(HashMap);

impl<M: InBatches + 'static> Shared for Batched<M> {
    const NAME: &'static str = M::NAME;
    type Owned = M;

    fn of(map: M) -> Self {
        Batched::new(map)
    }

    fn into_owned(self) -> M {
        self.into_inner().expect("no batch panics")
    }

    fn stats(&self) -> Option<BatchStats> {
        Some(Batched::stats(self))
    }

    fn act(&self, op: Op, number: usize, work: &Work) {
        let answer = match op.insert {
            Some(value) => M::before(op.key, self.apply(M::insert(op.key, value))),
            None => M::found(op.key, self.apply(M::search(op.key))),
        };
        work.answer(number, answer);
    }

    async fn submit(&self, op: Op, number: usize, work: &Work) {
        let answer = match op.insert {
            Some(value) => {
                let answer = Batched::submit(self, M::insert(op.key, value)).await;
                M::before(op.key, answer)
            }
            None => M::found(op.key, Batched::submit(self, M::search(op.key)).await),
        };
        work.answer(number, answer);
    }
}

//! The contenders that are batched: sumac's counter and maps.

use std::future::Future;

use sumac::batch::{
    Add, BatchStats, Batched, BatchedStructure, Counter, FastCounter, Get, Insert, Operation,
    Plain, SkipList, Tree,
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
    /// An operation.
    fn op(op: Op) -> Self::Op;

    /// The value that is its answer.
    fn value(op: Op, answer: Self::Answer) -> Option<u64>;
}

/// `InBatches` for a map.
macro_rules! map_in_batches {
    ($map:ty) => {
        impl InBatches for $map {
            fn op(op: Op) -> Self::Op {
                match op.insert {
                    Some(value) => Operation::<Self>::into_op(Insert(op.key, value)),
                    None => Operation::<Self>::into_op(Get(op.key)),
                }
            }

            fn value(op: Op, answer: Self::Answer) -> Option<u64> {
                match op.insert {
                    Some(_) => <Insert<u64, u64> as Operation<Self>>::answer(answer),
                    None => <Get<u64> as Operation<Self>>::answer(answer),
                }
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
        let answer = self.apply(Plain(M::op(op)));
        work.answer(number, M::value(op, answer));
    }

    async fn submit(&self, op: Op, number: usize, work: &Work) {
        let answer = Batched::submit(self, Plain(M::op(op))).await;
        work.answer(number, M::value(op, answer));
    }
}

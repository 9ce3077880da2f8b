//! The contenders that are batched: sumac's counter and ordered maps.

use std::future::Future;

use sumac::batch::{
    Add, BatchStats, Batched, Counter, FastCounter, Get, Insert, OrderedMap, SkipList, Tree,
};

use super::counter::SharedCounter;
use super::map::{Owned, Shared, Stock, owned};
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

owned!(SkipList, "skip list", skip_list);
owned!(Tree, "tree", tree);

/// A map of sumac's, with the operations that the lab has for it.
impl<M> Shared for Batched<M>
where
    M: Owned + OrderedMap<Key = u64, Value = u64> + 'static,
{
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
            Some(value) => self.apply(Insert(op.key, value)),
            None => self.apply(Get(op.key)),
        };
        work.answer(number, answer);
    }

    async fn submit(&self, op: Op, number: usize, work: &Work) {
        let answer = match op.insert {
            Some(value) => Batched::submit(self, Insert(op.key, value)).await,
            None => Batched::submit(self, Get(op.key)).await,
        };
        work.answer(number, answer);
    }
}

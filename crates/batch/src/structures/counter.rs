//! A counter. Its batches are prefix sums: the sums of blocks of requests, then the sum before each
//! block, then the answers in each block.
//!
//! That reads the requests twice, at 0.8 ns each; one pass takes 0.5 ns each. So two threads would
//! gain nothing, and many only with batches that take longer than waking them.

use crate::{BatchedStructure, Operation, Request};
use sumac_core::{Scope, current_num_threads};
use sumac_par::prelude::*;

/// The number of requests in a block. Several blocks fit into a cache, and their sums are few.
const BLOCK: usize = if cfg!(miri) { 1 << 2 } else { 1 << 9 };

/// Smaller batches are answered in one pass, in some microseconds,
const LEAST: usize = if cfg!(miri) { 1 << 3 } else { 1 << 14 };
/// and so are those in pools of fewer threads.
const THREADS: usize = 3;

/// A counter to which many tasks add.
///
/// A batch has the same result as its operations one by one, in their order of arrival. Additions
/// wrap around.
///
/// An atomic integer is faster for counting alone: this counter is the smallest example of a
/// batched structure, and a part of larger ones.
///
/// # Examples
///
/// ```
/// use sumac::batch::{Counter, CounterOp, run_alone};
///
/// let mut counter = Counter::new(0);
/// let ops = vec![CounterOp::Add(3), CounterOp::Add(4), CounterOp::Get];
/// assert_eq!(run_alone(&mut counter, ops), [0, 3, 7]);
/// assert_eq!(counter.value(), 7);
/// ```
///
/// # Cost
/// A batch of m operations takes O(m) work, half a nanosecond each; from 16,384 operations and
/// three threads on it runs in parallel, with O(log m) span and a word of memory per 512
/// operations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counter {
    value: i64,
}

impl Counter {
    /// Creates a counter with an initial value.
    ///
    /// ```
    /// use sumac::batch::{Batched, Counter, Read};
    ///
    /// assert_eq!(Batched::new(Counter::new(7)).apply(Read), 7);
    /// ```
    pub const fn new(value: i64) -> Self {
        Counter { value }
    }

    /// Returns the counter's value.
    ///
    /// ```
    /// assert_eq!(sumac::batch::Counter::new(7).value(), 7);
    /// ```
    pub const fn value(&self) -> i64 {
        self.value
    }
}

/// An operation on a [`Counter`]. The answer is the value before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CounterOp {
    /// See [`Add`].
    Add(i64),
    /// See [`Read`].
    Get,
}

impl CounterOp {
    #[inline]
    fn addend(self) -> i64 {
        match self {
            CounterOp::Add(addend) => addend,
            CounterOp::Get => 0,
        }
    }
}

/// Adds to a [`Counter`], wrapping around, and returns the value before the addition, as
/// `fetch_add` does.
///
/// ```
/// use sumac::batch::{Add, Batched, Counter};
///
/// let counter = Batched::new(Counter::new(10));
/// assert_eq!(counter.apply(Add(5)), 10);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Add(pub i64);

/// Returns the value of a [`Counter`].
///
/// ```
/// use sumac::batch::{Batched, Counter, Read};
///
/// assert_eq!(Batched::new(Counter::new(10)).apply(Read), 10);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Read;

impl Operation<Counter> for Add {
    type Answer = i64;

    #[inline]
    fn into_op(self) -> CounterOp {
        CounterOp::Add(self.0)
    }

    #[inline]
    fn answer(answer: i64) -> i64 {
        answer
    }
}

impl Operation<Counter> for Read {
    type Answer = i64;

    #[inline]
    fn into_op(self) -> CounterOp {
        CounterOp::Get
    }

    #[inline]
    fn answer(answer: i64) -> i64 {
        answer
    }
}

impl BatchedStructure for Counter {
    type Op = CounterOp;
    type Answer = i64;

    fn run(&mut self, _: &mut Scope<'_>, batch: &mut [Request<CounterOp, i64>]) {
        self.value = if batch.len() < LEAST || current_num_threads() < THREADS {
            in_one_go(self.value, batch)
        } else {
            in_blocks(self.value, batch)
        };
    }

    #[inline]
    fn run_one(&mut self, op: CounterOp) -> Result<i64, CounterOp> {
        let before = self.value;
        self.value = before.wrapping_add(op.addend());
        Ok(before)
    }
}

/// Answers requests, beginning with `value`. Returns the new value.
fn in_one_go(mut value: i64, requests: &mut [Request<CounterOp, i64>]) -> i64 {
    for request in requests {
        let addend = request.take_op().addend();
        request.answer(value);
        value = value.wrapping_add(addend);
    }
    value
}

/// Does the same, in parallel.
fn in_blocks(value: i64, requests: &mut [Request<CounterOp, i64>]) -> i64 {
    let mut before: Vec<i64> = requests
        .par_chunks(BLOCK)
        .map(|block| {
            let addends = block.iter().map(|request| request.op().addend());
            addends.fold(0, i64::wrapping_add)
        })
        .collect();
    let value = before.par_exclusive_scan(value, |a, b| a.wrapping_add(*b));
    let blocks = requests.par_chunks_mut(BLOCK).zip(&before);
    blocks.for_each(|(block, &before)| {
        in_one_go(before, block);
    });
    value
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run_alone;
    use proptest::{collection::vec, prelude::*};
    use sumac_test_support::{cases, pool, sized};

    fn ops(len: usize) -> Vec<CounterOp> {
        let op = |i: usize| match i % 5 {
            0 => CounterOp::Get,
            1 => CounterOp::Add(i64::MAX / 3),
            _ => CounterOp::Add(i as i64 - 1_000),
        };
        (0..len).map(op).collect()
    }

    fn check(start: i64, ops: Vec<CounterOp>) {
        let mut counter = Counter::new(start);
        let answers = run_alone(&mut counter, ops.clone());
        let mut value = start;
        for (op, answer) in ops.iter().zip(&answers) {
            assert_eq!(*answer, value);
            value = value.wrapping_add(op.addend());
        }
        assert_eq!((answers.len(), counter.value()), (ops.len(), value));
    }

    #[test]
    fn as_if_one_by_one_in_batches_of_all_sizes() {
        for threads in sized(1, THREADS)..=3 {
            pool(threads).install(|| {
                for near in [1, BLOCK, LEAST, LEAST + BLOCK] {
                    for len in [near - 1, near, near + 1] {
                        check(i64::MAX - 7, ops(len));
                    }
                }
            });
        }
    }

    #[test]
    fn typed_operations() {
        assert_eq!(Add(5).into_op(), CounterOp::Add(5));
        assert_eq!(Read.into_op(), CounterOp::Get);
        assert_eq!(<Add as Operation<Counter>>::answer(3), 3);
        assert_eq!(<Read as Operation<Counter>>::answer(4), 4);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases(256)) })]

        #[test]
        fn one_by_one_and_in_blocks_are_the_same(
            start in any::<i64>(),
            addends in vec(any::<Option<i64>>(), 0..sized(100, 20)),
        ) {
            let op = |addend: &Option<i64>| addend.map_or(CounterOp::Get, CounterOp::Add);
            let requests = || addends.iter().enumerate().map(|(i, addend)| Request::new(op(addend), i));
            let (mut a, mut b): (Vec<_>, Vec<_>) = (requests().collect(), requests().collect());
            prop_assert_eq!(in_one_go(start, &mut a), in_blocks(start, &mut b));
            for (a, b) in a.iter_mut().zip(&mut b) {
                prop_assert_eq!(a.take_answer(), b.take_answer());
            }
        }
    }
}

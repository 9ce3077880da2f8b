//! The priority queue against std's `BinaryHeap`, in batches on pools of one to three threads.

use super::*;
use crate::{Len, Operation, run_alone};
use proptest::{collection::vec, prelude::*};
use std::{
    cell::Cell,
    cmp::Ordering,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
};
use sumac_test_support::{OnlyOrd, cases, on_pools, pool, sized};

/// What is pushed; the queue uses only its order.
type Item = OnlyOrd<u16>;

/// Runs a batch and checks it against the heap, which it changes likewise.
fn batch(
    queue: &mut PriorityQueue<Item>,
    heap: &mut BinaryHeap<u16>,
    ops: &[PriorityQueueOp<Item>],
) {
    let (greatest, len) = (heap.peek().copied(), heap.len());
    heap.extend(ops.iter().filter_map(|op| match op {
        PriorityQueueOp::Push(item) => Some(item.0),
        _ => None,
    }));
    let expected = ops.iter().map(|op| match op {
        PriorityQueueOp::Push(_) => PriorityQueueAnswer::Pushed,
        PriorityQueueOp::Pop => PriorityQueueAnswer::Item(heap.pop()),
        PriorityQueueOp::Peek(_) => PriorityQueueAnswer::Item(greatest),
        PriorityQueueOp::Len => PriorityQueueAnswer::Len(len),
    });
    let expected: Vec<_> = expected.collect();
    let answers = run_alone(queue, ops.to_vec()).into_iter();
    let answers = answers.map(|answer| match answer {
        PriorityQueueAnswer::Pushed => PriorityQueueAnswer::Pushed,
        PriorityQueueAnswer::Item(item) => PriorityQueueAnswer::Item(item.map(|item| item.0)),
        PriorityQueueAnswer::Len(len) => PriorityQueueAnswer::Len(len),
    });
    assert_eq!(answers.collect::<Vec<_>>(), expected);
    check(queue);
    assert_eq!(queue.len(), heap.len());
    assert_eq!(queue.peek().map(|item| &item.0), heap.peek());
}

fn check<T: Ord + Send>(queue: &PriorityQueue<T>) {
    queue.runs.check();
    assert!(queue.young.len() < YOUNG);
}

/// As many operations, of which some are pops, the others mostly pushes.
fn ops(len: usize, pops: u32) -> impl Strategy<Value = Vec<PriorityQueueOp<Item>>> {
    let op = prop_oneof![
        10 * (10 - pops) => (0..500_u16).prop_map(OnlyOrd).prop_map(PriorityQueueOp::Push),
        10 * pops => Just(PriorityQueueOp::Pop),
        2 => Just(PriorityQueueOp::Peek(Item::clone)),
        1 => Just(PriorityQueueOp::Len),
    ];
    vec(op, len)
}

/// Less than `YOUNG`.
const FEW: usize = sized(10, 4);

/// Batches of all sizes and mixtures.
fn batches() -> impl Strategy<Value = Vec<Vec<PriorityQueueOp<Item>>>> {
    let len = prop_oneof![Just(1), 2..FEW, FEW..YOUNG, YOUNG..3 * TOGETHER];
    vec(
        (len, 1..10_u32).prop_flat_map(|(len, pops)| ops(len, pops)),
        1..sized(12, 4),
    )
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases(20)) })]

    #[test]
    fn batches_are_as_if_peeks_then_pushes_then_pops(batches in batches()) {
        on_pools(|| {
            let (mut queue, mut heap) = (PriorityQueue::new(), BinaryHeap::new());
            for ops in &batches {
                batch(&mut queue, &mut heap, ops);
            }
            let sorted = queue.into_sorted_vec().into_iter().map(|item| item.0);
            assert!(sorted.eq(heap.into_sorted_vec()));
        });
    }

    #[test]
    fn one_by_one(items in vec(proptest::option::of(0..100_u8), 0..sized(2_000, 50))) {
        let (mut queue, mut heap) = (PriorityQueue::new(), BinaryHeap::new());
        for item in items {
            match item {
                Some(item) => {
                    queue.push(OnlyOrd(item));
                    heap.push(item);
                }
                None => prop_assert_eq!(queue.pop().map(|item| item.0), heap.pop()),
            }
            prop_assert_eq!(queue.len(), heap.len());
            prop_assert_eq!(queue.peek().map(|item| &item.0), heap.peek());
        }
        check(&queue);
    }
}

#[test]
fn growing_and_shrinking_again_and_again() {
    const N: usize = sized(20_000, 50);
    let mut queue = PriorityQueue::new();
    let mut heap = BinaryHeap::new();
    let mut random = 1_u32;
    let mut next = || {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        random >> 8
    };
    for round in 1..5 {
        for _ in 0..N {
            let item = next();
            queue.push(item);
            heap.push(item);
        }
        check(&queue);
        for _ in 0..N - N / 10 * round {
            assert_eq!(queue.pop(), heap.pop());
        }
        check(&queue);
    }
    while let Some(item) = heap.pop() {
        assert_eq!(queue.pop(), Some(item));
        queue.runs.check();
    }
    assert!(queue.is_empty() && queue.pop().is_none());
}

/// What a caller gets who is alone with the queue.
fn apply<O: Operation<PriorityQueue<i32>>>(
    queue: &mut PriorityQueue<i32>,
    operation: O,
) -> O::Answer {
    let mut answers = run_alone(queue, vec![operation.into_op()]);
    O::answer(answers.remove(0))
}

#[test]
fn typed_operations() {
    let mut queue = PriorityQueue::from_iter([1, 2]);
    apply(&mut queue, Push(3));
    assert_eq!(apply(&mut queue, Peek), Some(3));
    assert_eq!(apply(&mut queue, Pop), Some(3));
    assert_eq!(apply(&mut queue, Len), 2);
}

#[test]
fn built_from_many() {
    on_pools(|| {
        const N: i32 = sized(10_000, 60);
        let items = || (0..N).map(|i| i * 7_919 % N);
        let mut queue = PriorityQueue::from(items().collect::<Vec<_>>());
        assert_eq!(queue.pop(), Some(N - 1));
        queue.extend([N - 1]);
        queue.extend(items());
        check(&queue);
        assert_eq!(
            format!("{queue:?}"),
            format!("PriorityQueue {{ young: 1, runs: [{}] }}", 2 * N - 1)
        );
        let twice: Vec<_> = (0..2 * N).map(|i| i / 2).collect();
        assert_eq!(queue.into_sorted_vec(), twice);
        assert!(PriorityQueue::<i32>::default().into_sorted_vec().is_empty());
    });
}

/// What counts how many of it there are, and panics when that many comparisons have been made in
/// its thread.
struct Counted(u32, Arc<AtomicUsize>);

thread_local! {
    static COMPARISONS: Cell<usize> = const { Cell::new(usize::MAX) };
}

impl Counted {
    fn new(key: u32, count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Relaxed);
        Counted(key, count.clone())
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.1.fetch_sub(1, Relaxed);
    }
}

impl Ord for Counted {
    fn cmp(&self, other: &Self) -> Ordering {
        let left = COMPARISONS.get();
        COMPARISONS.set(left.wrapping_sub(1));
        assert_ne!(left, 0, "enough comparisons");
        self.0.cmp(&other.0)
    }
}

impl PartialOrd for Counted {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Counted {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Counted {}

#[test]
fn a_panicking_order_leaves_a_queue_and_leaks_nothing() {
    const ROUNDS: usize = sized(40, 5);
    let pool = pool(2);
    let count = Arc::new(AtomicUsize::new(0));
    let mut panics = 0;
    for patience in (0..ROUNDS).map(|n| n * n * sized(30, 100)) {
        let items = |n: usize| {
            let key = |i: usize| (i as u32).wrapping_mul(2_654_435_761) % 1_000;
            (0..n)
                .map(|i| Counted::new(key(i), &count))
                .collect::<Vec<_>>()
        };
        let mut queue = PriorityQueue::from(items(5 * YOUNG));
        queue.extend(items(2 * YOUNG));
        let pushes = items(3 * YOUNG).into_iter().map(PriorityQueueOp::Push);
        let pops = (0..2 * TOGETHER).map(|_| PriorityQueueOp::Pop);
        let ops: Vec<_> = pushes.chain(pops).collect();
        let result = pool.install(|| {
            COMPARISONS.set(patience);
            let result = catch_unwind(AssertUnwindSafe(|| run_alone(&mut queue, ops)));
            COMPARISONS.set(usize::MAX);
            result
        });
        panics += usize::from(result.is_err());
        drop(result);
        assert_eq!(count.load(Relaxed), queue.len());
        check(&queue);
        queue.push(Counted::new(2_000, &count));
        assert_eq!(queue.pop().map(|item| item.0), Some(2_000));
        let rest = queue.into_sorted_vec();
        assert!(rest.is_sorted());
        drop(rest);
        assert_eq!(count.load(Relaxed), 0);
    }
    assert!((ROUNDS / 4..ROUNDS).contains(&panics), "{panics}");
}

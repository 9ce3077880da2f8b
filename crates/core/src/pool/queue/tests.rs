//! Queues keep their order, and forget what is spent.

use super::*;
use std::sync::atomic::AtomicBool;

/// An entry with a number.
struct Entry(usize, AtomicBool);

impl Queued for Entry {
    fn run(self: Arc<Self>, _: &Thread, _: &Member, _: Outside) {}

    fn cancel(&self) {}

    fn is_spent(&self) -> bool {
        self.1.load(Ordering::Relaxed)
    }
}

fn entries(count: usize) -> Vec<Arc<Entry>> {
    let new = |i| Arc::new(Entry(i, AtomicBool::new(false)));
    (0..count).map(new).collect()
}

/// Queues every other one in order.
fn push_all(queue: &TaskQueue, entries: &[Arc<Entry>]) {
    for entry in entries {
        let push = [TaskQueue::push_in_order, TaskQueue::push][entry.0 % 2];
        push(queue, Arc::<Entry>::clone(entry));
    }
}

fn address<T: ?Sized>(entry: &Arc<T>) -> *const () {
    Arc::as_ptr(entry).cast()
}

#[test]
fn a_sweep_keeps_the_order_and_drops_what_is_spent() {
    for newest_first in [false, true] {
        let queue = TaskQueue::new(newest_first, WeakPool::default());
        let entries = entries(SWEEP_AT + 1);
        let (last, swept) = entries.split_last().expect("some");
        push_all(&queue, swept);
        for entry in swept.iter().filter(|entry| entry.0 % 3 != 1) {
            entry.1.store(true, Ordering::Relaxed);
        }
        queue.push(Arc::<Entry>::clone(last));
        // The first may have been noticed.
        let stays = |entry: &Arc<Entry>| entry.0 == 0 || !entry.is_spent();
        let kept = entries.iter().filter(|&entry| stays(entry));
        let expected: Vec<_> = kept.map(address).collect();
        assert_eq!(queue.len(), expected.len());
        let is_kept = |e: &Arc<Entry>| Arc::strong_count(e) == 1 + usize::from(stays(e));
        assert!(entries.iter().all(is_kept));
        let popped = std::iter::from_fn(|| queue.pop());
        assert_eq!(popped.map(|e| address(&e)).collect::<Vec<_>>(), expected);
    }
}

#[test]
fn what_leaves_out_of_turn_leaves_with_its_place() {
    let (queue, entries) = (TaskQueue::new(true, WeakPool::default()), entries(8));
    push_all(&queue, &entries);
    assert!(queue.remove(address(&entries[4])));
    let second = |task: &dyn Queued| ptr::addr_eq(task, address(&entries[2]));
    assert!(queue.take(usize::MAX, &second).is_some());
    entries[3].1.store(true, Ordering::Relaxed);
    assert_eq!(lock(&queue.tasks).sweep().len(), 1);
    let next: Vec<_> = (0..2).map_while(|_| queue.pop_next()).collect();
    let rest: Vec<_> = std::iter::from_fn(|| queue.pop()).collect();
    let popped = next.iter().chain(&rest).map(address);
    let expected = [7, 0, 6, 1, 5].map(|i| address(&entries[i]));
    assert_eq!(popped.collect::<Vec<_>>(), expected);
}

#[test]
fn so_many_of_the_newest_are_looked_at() {
    let entries = entries(8);
    for (older, entry) in entries.iter().enumerate() {
        for newest_first in [false, true] {
            let queue = TaskQueue::new(newest_first, WeakPool::default());
            push_all(&queue, &entries);
            let is_it = |task: &dyn Queued| ptr::addr_eq(task, address(entry));
            assert!(queue.take(7 - older, &is_it).is_none());
            let taken = queue.take(8 - older, &is_it);
            assert_eq!(taken.map(|e| address(&e)), Some(address(entry)));
        }
    }
}

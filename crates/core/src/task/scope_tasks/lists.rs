//! The tasks of a scope that no thread has started: a list for each worker that spawns some in a
//! task, and one for its owner and for threads that are no workers.
//!
//! A thread takes the newest of its own list, or else the oldest of another, which is mostly the
//! largest, as threads do with jobs. Only the owner takes the newest of its list, to which threads
//! that are no workers add theirs. With one list for all, threads that both spawn would run and
//! free what the other has just allocated, and wait for each other's allocator. In a scope with an
//! order there is one list, whose oldest comes first.

use super::GUEST;
use std::{collections::VecDeque, iter, mem};

/// The order in which tasks are taken.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// Any that suits.
    Any,
    /// The oldest first.
    Fifo,
}

pub(super) struct TaskLists<T> {
    order: Order,
    /// The owner's index among the workers, or `GUEST`.
    owner: usize,
    of_owner: VecDeque<T>,
    /// By the index of the worker.
    of_workers: Vec<VecDeque<T>>,
    len: usize,
}

impl<T> TaskLists<T> {
    pub(super) fn new(order: Order, owner: usize) -> Self {
        TaskLists {
            order,
            owner,
            of_owner: VecDeque::new(),
            of_workers: Vec::new(),
            len: 0,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        self.of_workers.iter().flatten().chain(&self.of_owner)
    }

    /// Returns whether the worker of this index, or a `GUEST`, has the owner's list.
    fn has_owners(&self, worker: usize) -> bool {
        worker == self.owner || worker == GUEST || self.order == Order::Fifo
    }

    /// Adds a task that the worker has spawned.
    #[inline(always)]
    pub(super) fn push(&mut self, worker: usize, task: T) {
        self.len += 1;
        let list = match self.has_owners(worker) {
            true => &mut self.of_owner,
            false => self.of_worker(worker),
        };
        list.push_back(task);
    }

    fn of_worker(&mut self, worker: usize) -> &mut VecDeque<T> {
        if worker >= self.of_workers.len() {
            self.of_workers.resize_with(worker + 1, VecDeque::new);
        }
        &mut self.of_workers[worker]
    }

    /// Takes a task for the worker.
    #[inline(always)]
    pub(super) fn take(&mut self, worker: usize) -> Option<T> {
        if self.is_empty() {
            return None;
        }
        self.len -= 1;
        let own = match self.has_owners(worker) {
            true => Some(&mut self.of_owner),
            false => self.of_workers.get_mut(worker),
        };
        match own.filter(|own| !own.is_empty()) {
            None => self.take_oldest(worker),
            Some(own) if self.order == Order::Any => own.pop_back(),
            Some(own) => own.pop_front(),
        }
    }

    /// Takes the oldest task of the first list, of the owner or a worker after this one.
    fn take_oldest(&mut self, worker: usize) -> Option<T> {
        let first = worker.min(self.of_workers.len());
        let (before, from) = self.of_workers.split_at_mut(first);
        let workers = from.iter_mut().chain(before);
        let mut lists = iter::once(&mut self.of_owner).chain(workers);
        lists.find(|list| !list.is_empty())?.pop_front()
    }

    /// Takes all tasks.
    pub(super) fn take_all(&mut self) -> impl Iterator<Item = T> + use<T> {
        let all = mem::replace(self, TaskLists::new(self.order, self.owner));
        all.of_owner
            .into_iter()
            .chain(all.of_workers.into_iter().flatten())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lists(order: Order, owner: usize) -> TaskLists<u32> {
        let mut lists = TaskLists::new(order, owner);
        for (worker, task) in [(GUEST, 0), (2, 1), (0, 2), (2, 3), (GUEST, 4), (0, 5)] {
            lists.push(worker, task);
        }
        lists
    }

    #[test]
    fn a_thread_takes_its_newest_task_then_the_oldest_of_others() {
        for (owner, worker, expected) in [
            (GUEST, GUEST, [4, 0, 2, 5, 1, 3]),
            (GUEST, 0, [5, 2, 0, 4, 1, 3]),
            (GUEST, 1, [0, 4, 1, 3, 2, 5]),
            (GUEST, 2, [3, 1, 0, 4, 2, 5]),
            (GUEST, 7, [0, 4, 2, 5, 1, 3]),
            (2, 2, [4, 3, 1, 0, 2, 5]),
            (2, 0, [5, 2, 0, 1, 3, 4]),
        ] {
            let mut lists = lists(Order::Any, owner);
            let taken: Vec<_> = iter::from_fn(|| lists.take(worker)).collect();
            assert_eq!(taken, expected, "of worker {worker}");
            assert!(lists.is_empty());
        }
    }

    #[test]
    fn in_a_scope_with_an_order_all_take_the_oldest() {
        for worker in [GUEST, 0, 1, 7] {
            let mut lists = lists(Order::Fifo, 1);
            let taken: Vec<_> = iter::from_fn(|| lists.take(worker)).collect();
            assert_eq!(taken, [0, 1, 2, 3, 4, 5], "of worker {worker}");
        }
    }

    #[test]
    fn all_tasks_are_taken_at_once() {
        let mut lists = lists(Order::Any, 1);
        assert_eq!(lists.iter().count(), lists.len());
        assert_eq!(lists.take_all().count(), 6);
        assert!(lists.is_empty() && lists.take(0).is_none());
    }
}

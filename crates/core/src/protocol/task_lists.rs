//! The tasks of a scope that no thread has started: a list for each worker that spawns some in a
//! task, one for its owner, and one for threads that are no workers.
//!
//! A thread takes the newest of its own list, or else the oldest of another, which is mostly the
//! largest, as threads do with jobs. With one list for all, threads that both spawn would wait for
//! each other's lock, run and free what the other has just allocated, and wait for each other's
//! allocator. In a scope with an order there is one list, whose oldest comes first. The lock of a
//! list is biased towards the thread whose list it is (biased_lock.rs), and a thread that takes
//! from another list moves some tasks to its own, so that it comes less often. Between the two
//! lists they are in none, so it adds them as it would new ones.
//!
//! The pool's queues hold the scope, once at a time, instead of its tasks. **While there are tasks
//! the scope is queued**, or a thread is about to queue it; and an owner that runs tasks does not
//! sleep:
//!
//! ```text
//!   a thread that adds a task             one that has taken the scope out of a queue
//!   A1  adds it; was the list empty?      Q1  queued := false
//!   A2  yes: fence                        Q2  fence
//!   A3  not queued? queued := true,       Q3  is any list not empty? takes a task
//!       queues the scope                  Q4  is any still not empty, and the scope not queued?
//!   A4  the owner sleeps? wakes it            queued := true, queues it
//!
//!                                         the owner, which has found no task
//!                                         S1  says that it sleeps
//!                                         S2  fence
//!                                         S3  are all lists empty? sleeps
//! ```
//!
//! Let a list be not empty from some A1 on. If the fence of that A2 comes before one of Q2 or S2,
//! Q3 or S3 finds the list so, and Q4 again, as long as it is. Else A3 sees Q1, and A4 sees S1. So
//! who adds a further task to the list need not look. Q4 needs no fence: what it has to find has
//! come before Q2, or is seen to by its A3. The owner itself need not look whether it sleeps.
//!
//! Only the thread that has taken the scope's entry out of the queue makes `queued` false. So there
//! is one entry at a time.

use super::{
    biased_lock::BiasedLock,
    primitive::{AtomicBool, AtomicUsize, Ordering, fence},
};
use std::{collections::VecDeque, iter, mem, ops::Deref, sync::OnceLock};

/// The order in which tasks are taken.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// Any that suits.
    Any,
    /// The oldest first.
    Fifo,
}

/// The number of tasks that a thread moves to its own list at most.
const MOVED: usize = 7;

/// Who looks for a task looks at all lists, so there are not more for more workers than these.
const MOST_LISTS: usize = 64;

pub(crate) struct TaskLists<T> {
    order: Order,
    /// The owner's index among the workers, or that of no worker.
    owner: usize,
    of_owner: List<T>,
    /// By the index of the worker, once one of them is needed. Others, and those of which there are
    /// many, share them.
    of_workers: OnceLock<Box<[Apart<List<T>>]>>,
    cancelled: AtomicBool,
    /// Whether the scope is in a queue of the pool.
    queued: AtomicBool,
    /// Whether the owner sleeps until there are tasks, or the scope is over.
    owner_sleeps: AtomicBool,
}

struct List<T> {
    /// Written under the lock.
    len: AtomicUsize,
    tasks: BiasedLock<VecDeque<T>>,
}

/// In cache lines of its own.
#[repr(align(64))]
struct Apart<L>(L);

impl<L> Deref for Apart<L> {
    type Target = L;

    fn deref(&self) -> &L {
        &self.0
    }
}

/// What a thread does after it has added a task: A3 and A4.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Added {
    pub(crate) queue: bool,
    pub(crate) wake: bool,
}

impl<T> List<T> {
    fn new(lock: fn(VecDeque<T>) -> BiasedLock<VecDeque<T>>) -> Self {
        List {
            len: AtomicUsize::new(0),
            tasks: lock(VecDeque::new()),
        }
    }

    fn is_empty(&self) -> bool {
        self.len.load(Ordering::Relaxed) == 0
    }

    /// Calls `change` with the tasks, under the lock.
    #[inline(always)]
    fn change<R>(&self, change: impl FnOnce(&mut VecDeque<T>) -> R) -> R {
        self.tasks.with(|tasks| {
            let result = change(tasks);
            self.len.store(tasks.len(), Ordering::Relaxed);
            result
        })
    }

    #[inline(always)]
    fn take(&self, take: impl FnOnce(&mut VecDeque<T>) -> Option<T>) -> Option<T> {
        if self.is_empty() {
            return None;
        }
        self.change(take)
    }
}

impl<T> TaskLists<T> {
    pub(crate) fn new(order: Order, owner: usize) -> Self {
        TaskLists {
            order,
            owner,
            of_owner: List::new(BiasedLock::new),
            of_workers: OnceLock::new(),
            cancelled: AtomicBool::new(false),
            queued: AtomicBool::new(false),
            owner_sleeps: AtomicBool::new(false),
        }
    }

    fn all(&self) -> impl Iterator<Item = &List<T>> {
        let workers = self.of_workers.get().into_iter().flatten();
        iter::once(&self.of_owner).chain(workers.map(Deref::deref))
    }

    /// Returns the number of tasks. A hint.
    pub(crate) fn len(&self) -> usize {
        let lens = self.all().map(|list| list.len.load(Ordering::Relaxed));
        lens.sum()
    }

    /// Returns whether there are no tasks: for a thread that has seen the end of all that may have
    /// added some. For others it is a hint.
    pub(crate) fn is_empty(&self) -> bool {
        self.all().all(List::is_empty)
    }

    /// Returns the list of this worker, or `None` if there is none yet.
    #[inline(always)]
    fn list_of(&self, worker: usize) -> Option<&List<T>> {
        if worker == self.owner || self.order == Order::Fifo {
            return Some(&self.of_owner);
        }
        let lists = self.of_workers.get()?;
        Some(&lists[worker.checked_rem(lists.len())?])
    }

    /// Makes the lists of so many workers, and one for other threads.
    #[cold]
    #[inline(never)]
    fn make_lists(&self, workers: usize) {
        let workers = 0..=workers.min(MOST_LISTS);
        let lists = || {
            workers
                .map(|_| Apart(List::new(BiasedLock::unowned)))
                .collect()
        };
        self.of_workers.get_or_init(lists);
    }

    /// Adds a task that the worker, of a pool with so many of them, has spawned. Returns the task
    /// if the scope is cancelled.
    #[inline(always)]
    pub(crate) fn push(
        &self,
        worker: usize,
        workers: impl FnOnce() -> usize,
        task: T,
    ) -> Result<Added, T> {
        let is_first = self.own_list(worker, workers).change(|tasks| {
            if self.is_cancelled() {
                return Err(task);
            }
            tasks.push_back(task);
            Ok(tasks.len() == 1)
        })?;
        Ok(self.added(worker, is_first))
    }

    /// Returns the list of this worker, which is made if necessary.
    #[inline(always)]
    fn own_list(&self, worker: usize, workers: impl FnOnce() -> usize) -> &List<T> {
        if self.list_of(worker).is_none() {
            self.make_lists(workers());
        }
        self.list_of(worker).unwrap_or(&self.of_owner)
    }

    /// A2 to A4, after a worker has added to its list, which was empty if it `is_first`.
    #[inline(always)]
    fn added(&self, worker: usize, is_first: bool) -> Added {
        let mut queue = is_first && self.must_queue();
        // The owner itself needs no A2 if A3 has already made `queued` true.
        if is_first && (!queue || worker != self.owner) {
            fence(Ordering::SeqCst);
            queue |= self.must_queue();
        }
        let wake = is_first && self.owner_sleeps.load(Ordering::Relaxed);
        Added { queue, wake }
    }

    /// A3 and Q4: returns true if the scope is not queued, and the caller must queue it.
    fn must_queue(&self) -> bool {
        let (queued, order) = (&self.queued, Ordering::Relaxed);
        !queued.load(order) && queued.compare_exchange(false, true, order, order).is_ok()
    }

    /// Q1 to Q3, of the thread that has the scope's entry. Returns whether there are tasks.
    pub(crate) fn unqueue(&self) -> bool {
        self.queued.store(false, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        !self.is_empty()
    }

    /// Q4. Returns true if the caller must queue the scope.
    pub(crate) fn requeues(&self) -> bool {
        !self.is_queued() && !self.is_empty() && self.must_queue()
    }

    /// Returns whether the scope is queued. A hint.
    pub(crate) fn is_queued(&self) -> bool {
        self.queued.load(Ordering::Relaxed)
    }

    /// S1 to S3 of the owner, which sleeps by `park` unless it `goes_on`, as it does if there is a
    /// task.
    pub(crate) fn sleep(&self, goes_on: impl FnOnce() -> bool, park: impl FnOnce()) {
        self.owner_sleeps.store(true, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        if !goes_on() {
            park();
        }
        self.owner_sleeps.store(false, Ordering::Relaxed);
    }

    /// Takes a task for the worker, of a pool with so many of them. If that has added others to the
    /// worker's list, returns that, too.
    #[inline(always)]
    pub(crate) fn take(
        &self,
        worker: usize,
        workers: impl FnOnce() -> usize,
    ) -> Option<(T, Option<Added>)> {
        let newest = |tasks: &mut VecDeque<T>| match self.order {
            Order::Any => tasks.pop_back(),
            Order::Fifo => tasks.pop_front(),
        };
        let own = self.list_of(worker).and_then(|own| own.take(newest));
        match own {
            Some(task) => Some((task, None)),
            None => self.take_some(worker, workers),
        }
    }

    /// Takes the oldest task of another list, and moves the next ones to the worker's own.
    #[inline(never)]
    fn take_some(
        &self,
        worker: usize,
        workers: impl FnOnce() -> usize,
    ) -> Option<(T, Option<Added>)> {
        let mut moved = [const { None }; MOVED];
        let task = self.take_of_others(worker, |tasks| {
            let task = tasks.pop_front();
            // In a scope with an order all lists are one.
            let most = match self.order {
                Order::Any => tasks.len() / 2,
                Order::Fifo => 0,
            };
            moved
                .iter_mut()
                .take(most)
                .for_each(|next| *next = tasks.pop_front());
            task
        })?;
        if moved[0].is_none() {
            return Some((task, None));
        }
        let is_first = self.own_list(worker, workers).change(|own| {
            let was_empty = own.is_empty();
            // The oldest is the next that the worker takes.
            own.extend(moved.into_iter().rev().flatten());
            was_empty
        });
        Some((task, Some(self.added(worker, is_first))))
    }

    /// Takes the oldest task of the first list, of the owner or a worker after this one.
    pub(crate) fn take_oldest(&self, worker: usize) -> Option<T> {
        self.take_of_others(worker, VecDeque::pop_front)
    }

    /// Takes from the first list, of the owner or a worker after this one.
    fn take_of_others(
        &self,
        worker: usize,
        mut take: impl FnMut(&mut VecDeque<T>) -> Option<T>,
    ) -> Option<T> {
        let all = self.of_workers.get().map_or(&[][..], |lists| lists);
        let (before, from) = all.split_at(worker.min(all.len()));
        let workers = from.iter().chain(before).map(Deref::deref);
        let mut lists = iter::once(&self.of_owner).chain(workers);
        lists.find_map(|list| list.take(&mut take))
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// Takes all tasks; those that are added later are returned.
    pub(crate) fn cancel(&self) -> Vec<T> {
        self.cancelled.store(true, Ordering::Relaxed);
        // So no list comes later, and who locks one after us sees that the scope is cancelled.
        self.of_workers.get_or_init(Box::default);
        let mut all = Vec::new();
        self.all()
            .for_each(|list| all.extend(list.change(mem::take)));
        all
    }

    /// Returns the lists that seem to have tasks. (A thread that only looks shall own no lock.)
    fn looked_at(&self) -> impl Iterator<Item = &List<T>> {
        self.all().filter(|list| !list.is_empty())
    }

    /// Calls `f`, under a lock, while there is a task that no thread takes. Returns `None` if there
    /// is none.
    pub(crate) fn while_some<R>(&self, f: impl FnOnce() -> R) -> Option<R> {
        let mut f = Some(f);
        let mut if_some = |tasks: &mut VecDeque<T>| (!tasks.is_empty()).then(|| f.take()).flatten();
        self.looked_at()
            .find_map(|list| list.tasks.with(|tasks| if_some(tasks).map(|f| f())))
    }

    /// Calls `f` for each task, under a lock.
    pub(crate) fn for_each(&self, mut f: impl FnMut(&T)) {
        self.looked_at()
            .for_each(|list| list.tasks.with(|tasks| tasks.iter().for_each(&mut f)));
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// The index of threads that are no workers.
    const GUEST: usize = usize::MAX;

    fn lists(order: Order, owner: usize) -> TaskLists<u32> {
        let lists = TaskLists::new(order, owner);
        for (worker, task) in [(GUEST, 0), (2, 1), (0, 2), (2, 3), (GUEST, 4), (0, 5)] {
            assert!(lists.push(worker, || 8, task).is_ok());
        }
        lists
    }

    fn take<T>(lists: &TaskLists<T>, worker: usize) -> Option<T> {
        lists.take(worker, || 8).map(|(task, _)| task)
    }

    /// It moves 1, 2 and 3 to its own list when it takes 0, then 5 when it takes 4.
    #[test]
    fn a_thread_moves_tasks_to_its_own_list() {
        let lists = TaskLists::new(Order::Any, GUEST);
        for task in 0..8 {
            assert!(lists.push(GUEST, || 8, task).is_ok());
        }
        let lens = || {
            [GUEST, 0].map(|worker| {
                lists
                    .list_of(worker)
                    .map_or(0, |list| list.tasks.with(|tasks| tasks.len()))
            })
        };
        assert_eq!(take(&lists, 0), Some(0));
        assert_eq!(lens(), [4, 3]);
        let taken: Vec<_> = iter::from_fn(|| take(&lists, 0)).collect();
        assert_eq!(taken, [1, 2, 3, 4, 5, 6, 7]);
        let lists = TaskLists::new(Order::Any, GUEST);
        for task in 0..100 {
            assert!(lists.push(GUEST, || 8, task).is_ok());
        }
        let (task, added) = lists.take(0, || 8).expect("a task");
        assert_eq!(task, 0);
        assert!(added.is_some() && lists.len() == 99);
        assert_eq!(take(&lists, 1), Some(8), "the oldest of the owner");
    }

    #[test]
    fn a_thread_takes_its_newest_task_then_the_oldest_of_others() {
        for (owner, worker, expected) in [
            (GUEST, GUEST, [4, 0, 2, 5, 1, 3]),
            (GUEST, 0, [5, 2, 0, 4, 1, 3]),
            (GUEST, 1, [0, 4, 1, 3, 2, 5]),
            (GUEST, 2, [3, 1, 0, 4, 2, 5]),
            (GUEST, 7, [0, 4, 2, 5, 1, 3]),
            (2, 2, [3, 1, 0, 4, 2, 5]),
            (2, 0, [5, 2, 1, 3, 0, 4]),
            (2, GUEST, [4, 0, 1, 3, 2, 5]),
        ] {
            let lists = lists(Order::Any, owner);
            let taken: Vec<_> = iter::from_fn(|| take(&lists, worker)).collect();
            assert_eq!(taken, expected, "of worker {worker}");
            assert!(lists.is_empty());
        }
    }

    #[test]
    fn in_a_scope_with_an_order_all_take_the_oldest() {
        for worker in [GUEST, 0, 1, 7] {
            let lists = lists(Order::Fifo, 1);
            let taken: Vec<_> = iter::from_fn(|| take(&lists, worker)).collect();
            assert_eq!(taken, [0, 1, 2, 3, 4, 5], "of worker {worker}");
        }
    }

    #[test]
    fn a_cancelled_scope_keeps_no_tasks() {
        let lists = lists(Order::Any, 1);
        let mut tasks = lists.cancel();
        tasks.sort_unstable();
        assert_eq!(tasks, [0, 1, 2, 3, 4, 5]);
        assert!(lists.is_empty() && take(&lists, 0).is_none());
        for worker in [1, 2, 7, GUEST] {
            assert_eq!(lists.push(worker, || 8, 6), Err(6), "of worker {worker}");
        }
        assert!(lists.is_empty());
    }

    #[test]
    fn the_first_task_of_a_list_is_announced() {
        let lists = TaskLists::new(Order::Any, 0);
        let push = |worker| lists.push(worker, || 8, ()).map(|added| added.queue);
        assert_eq!(push(0), Ok(true));
        assert_eq!((push(0), push(1)), (Ok(false), Ok(false)), "it is queued");
        assert!(lists.unqueue() && take(&lists, 1).is_some());
        assert!(lists.requeues() && !lists.requeues());
        assert!(take(&lists, 1).is_some() && take(&lists, 1).is_some());
        assert!(!lists.unqueue() && !lists.requeues(), "there is no task");
        assert_eq!((push(1), push(1)), (Ok(true), Ok(false)));
    }
}

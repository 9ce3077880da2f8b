//! A member's queue of tasks: units of work that are not on a thread's stack.
//!
//! The seated thread adds new tasks, mostly at the back; idle threads take them at the front. So
//! does the seated thread, but in a pool that runs the newest first it takes its own at the back
//! (find.rs). Tasks are coarse compared with joins, so a lock suffices. The length beside it is a
//! hint, so that idle threads look without locking; it is written under the lock, and read after a
//! fence where it matters (dormancy.rs: a push is a publication). The deque is std's: this
//! crate depends on nothing else, and of lock-free queues no entry in the middle can be taken.
//!
//! A task that was joined or cancelled elsewhere leaves a *spent* entry behind. A push that finds
//! the queue twice as long as the last sweep left it first removes the spent entries, so:
//! * **Bounded.** A queue has at most `SWEEP_AT` entries, or twice as many as there were unspent
//!   ones at the last sweep. The cost of a push is constant, since a sweep of *n* entries follows
//!   *n* / 2 pushes.
//! * **No drop under the lock.** Entries are dropped after the lock has been released. The last
//!   reference to an entry may run a user's destructor.

use crate::{
    join::{lineage::Lineage, member::Member, run::Outside, thread::Thread},
    protocol::primitive::{AtomicUsize, Mutex, Ordering, lock},
};
use std::{collections::VecDeque, sync::Arc};

/// An entry of a queue.
pub(crate) trait Queued: Send + Sync {
    /// Runs on a thread that sits on `me`: one that does nothing else, or one inside other work
    /// ([`Outside::MayGive`]), if a yield calls this and needs the thread back soon. Does nothing
    /// if another thread was first.
    fn run(self: Arc<Self>, thread: &Thread, me: &Member, outside: Outside);

    /// Called when the pool has ended and `run` will not be called.
    fn cancel(&self);

    /// Returns true if `run` would do nothing: then the queue drops this entry. Called under the
    /// queue's lock, so it runs no user code, and takes no lock under which a queue is used.
    fn is_spent(&self) -> bool;

    /// Returns whether it descends from `lineage`, as far as it is known now. Called under its
    /// queue's lock, as `is_spent` is.
    fn is_part_of(&self, _lineage: &Lineage) -> bool {
        false
    }

    /// Returns whether a thread that waits for it runs it, if no other thread does.
    fn has_owner(&self) -> bool {
        false
    }

    /// Returns whether an outside thread polls only for its end. Before that thread sleeps it ends
    /// the leader's nap, also one that began before this call (nap.rs).
    fn caller_looks(&self) -> bool {
        false
    }
}

/// The number of entries at the back that `remove` searches.
const REACH: usize = 8;

/// The length at which a queue is swept for the first time.
const SWEEP_AT: usize = if cfg!(miri) { 32 } else { 256 };

#[derive(Default)]
pub(crate) struct TaskQueue {
    len: AtomicUsize,
    tasks: Mutex<Tasks>,
}

pub(super) struct Tasks {
    pub(super) entries: VecDeque<Arc<dyn Queued>>,
    /// The length at which to sweep.
    sweep_at: usize,
}

impl Default for Tasks {
    fn default() -> Self {
        Tasks {
            entries: VecDeque::new(),
            sweep_at: SWEEP_AT,
        }
    }
}

impl Tasks {
    /// Removes the spent entries if there are many entries; the caller drops them without the lock.
    pub(super) fn make_room(&mut self) -> Vec<Arc<dyn Queued>> {
        if self.entries.len() < self.sweep_at {
            return Vec::new();
        }
        self.sweep()
    }

    /// Removes the spent entries.
    fn sweep(&mut self) -> Vec<Arc<dyn Queued>> {
        let mut spent = Vec::new();
        for _ in 0..self.entries.len() {
            match self.entries.pop_front() {
                Some(task) if task.is_spent() => spent.push(task),
                task => self.entries.extend(task),
            }
        }
        self.sweep_at = SWEEP_AT.max(2 * self.entries.len());
        spent
    }
}

impl TaskQueue {
    /// Returns whether nothing is queued. A hint.
    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of entries. A hint.
    pub(crate) fn len(&self) -> usize {
        self.len.load(Ordering::Relaxed)
    }

    pub(crate) fn push(&self, task: Arc<dyn Queued>) {
        self.put(|tasks| tasks.push_back(task));
    }

    /// Adds a task in front of the oldest.
    pub(crate) fn push_oldest(&self, task: Arc<dyn Queued>) {
        self.put(|tasks| tasks.push_front(task));
    }

    fn put(&self, put: impl FnOnce(&mut VecDeque<Arc<dyn Queued>>)) {
        let mut tasks = lock(&self.tasks);
        let spent = tasks.make_room();
        put(&mut tasks.entries);
        self.len.store(tasks.entries.len(), Ordering::Relaxed);
        drop(tasks);
        drop(spent);
    }

    /// Takes the oldest task.
    pub(crate) fn pop(&self) -> Option<Arc<dyn Queued>> {
        self.get(VecDeque::pop_front)
    }

    /// Takes the newest task.
    pub(crate) fn pop_newest(&self) -> Option<Arc<dyn Queued>> {
        self.get(VecDeque::pop_back)
    }

    fn get(
        &self,
        get: impl FnOnce(&mut VecDeque<Arc<dyn Queued>>) -> Option<Arc<dyn Queued>>,
    ) -> Option<Arc<dyn Queued>> {
        if self.is_empty() {
            return None;
        }
        let mut tasks = lock(&self.tasks);
        let task = get(&mut tasks.entries);
        if tasks.entries.is_empty() {
            tasks.sweep_at = SWEEP_AT;
        }
        self.len.store(tasks.entries.len(), Ordering::Relaxed);
        task
    }

    /// Takes the oldest task that is `wanted`.
    pub(crate) fn take(&self, wanted: impl Fn(&dyn Queued) -> bool) -> Option<Arc<dyn Queued>> {
        if self.is_empty() {
            return None;
        }
        let mut tasks = lock(&self.tasks);
        let at = tasks.entries.iter().position(|task| wanted(&**task))?;
        let task = tasks.entries.remove(at);
        self.len.store(tasks.entries.len(), Ordering::Relaxed);
        task
    }

    /// Removes `task` if it is one of the newest; others stay until a sweep, or until they are
    /// taken and do nothing.
    pub(crate) fn remove(&self, task: *const ()) -> bool {
        if self.is_empty() {
            return false;
        }
        let mut tasks = lock(&self.tasks);
        let entries = &mut tasks.entries;
        let is_it = |queued: &Arc<dyn Queued>| Arc::as_ptr(queued).cast::<()>() == task;
        let removed = if entries.back().is_some_and(is_it) {
            entries.pop_back()
        } else {
            let newest = entries.len().saturating_sub(REACH);
            let at = entries.range(newest..).rposition(is_it);
            at.and_then(|at| entries.remove(newest + at))
        };
        self.len.store(entries.len(), Ordering::Relaxed);
        drop(tasks);
        removed.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Activity, ActivityState, PoolRef, Promise, ThreadPool, ThreadPoolBuilder, driven,
        pool::shared::Shared, scope, spawn,
    };
    use std::sync::{atomic::AtomicBool, mpsc};

    const TASKS: usize = if cfg!(miri) { 150 } else { 20_000 };

    /// Calls `f` in a pool whose only worker is in a long task, and tells how many entries its
    /// queues then have.
    fn left_behind_a_busy_worker(f: impl FnOnce(&ThreadPool) + Send) -> usize {
        let pool = ThreadPoolBuilder::new().num_threads(2).build();
        let pool = pool.expect("a pool");
        let (begun, has_begun) = mpsc::channel();
        let (end, ended) = mpsc::channel::<()>();
        let held = pool.spawn(move || {
            begun.send(()).expect("the test waits");
            let _ = ended.recv();
        });
        has_begun.recv().expect("the worker begins");
        pool.install(|| f(&pool));
        let left = pool
            .shared()
            .members
            .iter()
            .map(|m| m.queues.tasks.len())
            .sum();
        drop(end);
        held.join();
        left
    }

    /// Fewer than were swept, plus those that came since.
    const FEW: usize = 2 * SWEEP_AT;

    #[test]
    fn joined_tasks_are_forgotten() {
        let left = left_behind_a_busy_worker(|_| {
            let mut promises = Vec::new();
            for _ in 0..TASKS {
                promises.push(spawn(|| ()));
                if promises.len() == 100 {
                    promises.drain(..).for_each(Promise::join);
                }
            }
        });
        assert!(left <= FEW, "{left} entries of {TASKS}");
    }

    #[test]
    fn cancelled_tasks_are_forgotten() {
        let left = left_behind_a_busy_worker(|_| {
            for _ in 0..TASKS {
                assert!(spawn(|| ()).cancel());
            }
        });
        assert!(left <= FEW, "{left} entries of {TASKS}");
    }

    #[test]
    fn tasks_that_others_join_are_forgotten() {
        let left = left_behind_a_busy_worker(|pool| {
            let (send, receive) = mpsc::sync_channel(100);
            std::thread::scope(|threads| {
                threads.spawn(move || {
                    pool.install(move || receive.iter().for_each(Promise::join));
                });
                for _ in 0..TASKS {
                    send.send(spawn(|| ())).expect("the other joins them");
                }
                drop(send);
            });
        });
        assert!(left <= FEW, "{left} entries of {TASKS}");
    }

    #[test]
    fn tickets_of_scopes_are_forgotten() {
        let left = left_behind_a_busy_worker(|_| {
            for _ in 0..TASKS / 20 {
                // The tasks keep the ticket out of the reach of `remove`, and are taken out
                // themselves.
                let promises = scope(|s| {
                    s.spawn(|_| ());
                    (0..20).map(|_| spawn(|| ())).collect::<Vec<_>>()
                });
                promises.into_iter().rev().for_each(Promise::join);
            }
        });
        assert!(left <= FEW, "{left} entries of {TASKS}");
    }

    /// Due once for each call.
    struct Step(AtomicBool, ActivityState);

    impl Step {
        fn due() -> Arc<Self> {
            Arc::new(Step(AtomicBool::new(true), ActivityState::default()))
        }
    }

    impl Activity for Step {
        fn state(&self) -> &ActivityState {
            &self.1
        }

        fn advance(&self) -> bool {
            self.0.swap(false, Ordering::Relaxed)
        }

        fn cancel(&self) -> bool {
            false
        }

        fn abandon(&self) {}

        fn is_due(&self) -> bool {
            self.0.load(Ordering::Relaxed)
        }
    }

    #[test]
    fn steps_that_a_waiter_takes_are_forgotten() {
        let left = left_behind_a_busy_worker(|pool| {
            let pool = PoolRef::of(pool);
            for _ in 0..TASKS {
                let step = Step::due();
                let (resolver, promise) = driven(&pool, Arc::clone(&step));
                pool.queue(Arc::clone(&step));
                assert!(step.advance());
                resolver.resolve(());
                promise.join();
            }
        });
        assert!(left <= FEW, "{left} entries of {TASKS}");
    }

    fn steps<const N: usize>() -> [Arc<Step>; N] {
        [(); N].map(|()| Step::due())
    }

    fn addresses<const N: usize>(steps: &[Arc<Step>; N]) -> Vec<usize> {
        steps.iter().map(|step| Arc::as_ptr(step).addr()).collect()
    }

    /// Takes all tasks, each member's oldest first.
    fn popped(pool: &Shared) -> Vec<usize> {
        let pop = || pool.members.iter().find_map(|m| m.queues.tasks.pop());
        let popped = std::iter::from_fn(pop);
        popped.map(|step| Arc::as_ptr(&step).addr()).collect()
    }

    #[test]
    fn the_first_and_the_last() {
        left_behind_a_busy_worker(|pool| {
            let at = PoolRef::of(pool);
            let steps = steps::<4>();
            let [first, second, third, last] = steps.each_ref().map(Arc::clone);
            at.queue(third);
            at.queue_first(second);
            at.queue_last(last);
            at.queue_first(first);
            assert_eq!(popped(pool.shared()), addresses(&steps));
        });
    }

    /// A broadcast is answered after the tasks that were queued before it.
    #[test]
    fn the_first_comes_behind_others_where_a_call_waits() {
        let pool = ThreadPoolBuilder::new().num_threads(2).build();
        let pool = pool.expect("a pool");
        let steps = steps::<2>();
        let [before, after] = steps.each_ref().map(Arc::clone);
        let (at, shared) = (PoolRef::of(&pool), Arc::clone(pool.shared()));
        let (send, receive) = mpsc::channel();
        pool.spawn(move || {
            at.queue(before);
            crate::spawn_broadcast(|_| ());
            at.queue_first(after);
            send.send(popped(&shared)).expect("the test waits");
        });
        // Another thread may have taken some meanwhile.
        let [before, after] = steps.each_ref().map(|step| Arc::as_ptr(step).addr());
        assert_ne!(receive.recv().expect("a task"), [after, before]);
    }

    /// An entry with a number.
    struct Entry(usize, AtomicBool);

    impl Queued for Entry {
        fn run(self: Arc<Self>, _: &Thread, _: &Member, _: Outside) {}

        fn cancel(&self) {}

        fn is_spent(&self) -> bool {
            self.1.load(Ordering::Relaxed)
        }
    }

    #[test]
    fn a_sweep_keeps_the_order_and_drops_what_is_spent() {
        let queue = TaskQueue::default();
        let new = |i| Arc::new(Entry(i, AtomicBool::new(false)));
        let entries: Vec<_> = (0..SWEEP_AT).map(new).collect();
        for entry in &entries {
            queue.push(Arc::<Entry>::clone(entry));
        }
        for entry in entries.iter().filter(|entry| entry.0 % 3 > 0) {
            entry.1.store(true, Ordering::Relaxed);
        }
        let unspent = entries.iter().filter(|entry| !entry.is_spent());
        let mut expected: Vec<_> = unspent.map(|entry| Arc::as_ptr(entry).cast()).collect();
        let last = new(SWEEP_AT);
        expected.push(Arc::as_ptr(&last).cast::<()>());
        queue.push(last);
        assert_eq!(queue.len(), expected.len());
        assert!(
            entries
                .iter()
                .all(|e| Arc::strong_count(e) == 2 - usize::from(e.is_spent()))
        );
        let popped = std::iter::from_fn(|| queue.pop());
        assert_eq!(
            popped.map(|e| Arc::as_ptr(&e).cast()).collect::<Vec<_>>(),
            expected
        );
    }
}

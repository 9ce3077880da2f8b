//! Queues forget tasks that have ended elsewhere, and keep the order of steps.

use super::{Activity, ActivityState, PoolRef, Promise, driven, scope, spawn, spawn_broadcast};
use crate::pool::{
    builder::ThreadPoolBuilder, queue::SWEEP_AT, shared::Shared, thread_pool::ThreadPool,
};
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
    mpsc,
};

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
            // Or the reserve runs it, where so many take more than a second.
            spawn(|| ()).cancel();
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
fn scopes_that_are_over_are_forgotten() {
    let left = left_behind_a_busy_worker(|_| {
        for _ in 0..TASKS / 20 {
            // The tasks keep the scope out of the reach of `remove`, and are taken out
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
            // Or the reserve has taken it, as above.
            step.advance();
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
        spawn_broadcast(|_| ());
        at.queue_first(after);
        send.send(popped(&shared)).expect("the test waits");
    });
    // Another thread may have taken some meanwhile.
    let [before, after] = steps.each_ref().map(|step| Arc::as_ptr(step).addr());
    assert_ne!(receive.recv().expect("a task"), [after, before]);
}

//! Pools that become smaller and larger, and whose threads end and start anew.

use super::{
    Tally, end, explore, liveness::Step, loiter, pool, random, refuse_threads, spawn, sum,
};
use crate::{
    Callers, PoolRef, ThreadPool, ThreadPoolBuilder, blocking,
    protocol::{
        parker::Parker,
        primitive::{AtomicBool, Ordering},
    },
};
use std::sync::Arc;

/// A pool that may have three threads.
fn three() -> ThreadPool {
    let builder = ThreadPoolBuilder::new().num_threads(1 + random(3) as usize);
    let builder = match random(2) {
        0 => builder,
        _ => builder.start_when_needed(),
    };
    let callers = [Callers::TakePart, Callers::Wait][random(2) as usize];
    let builder = builder.callers(callers).max_threads(3);
    builder.build().expect("a pool")
}

/// Some joins, tasks and a broadcast, on a pool that changes meanwhile.
fn work(pool: &Arc<ThreadPool>, tally: &Tally, from: usize) {
    let task = {
        let tally = tally.clone();
        pool.spawn(move || blocking(|| tally.run(from)))
    };
    let range = from + 1..from + 4;
    assert_eq!(
        pool.install(|| sum(tally, range.start, range.end)),
        range.sum()
    );
    loiter();
    let called = pool.broadcast(|call| call.index());
    assert!(called.is_sorted() && !called.is_empty(), "{called:?}");
    let detached = tally.clone();
    drop(pool.spawn(move || detached.run(from + 4)));
    assert_eq!(task.join(), from);
}

/// A task for which no thread waits in the pool.
fn runs_alone(pool: &ThreadPool, tally: &Tally, nth: usize) {
    let (tally, ran) = (
        tally.clone(),
        Arc::new((AtomicBool::new(false), Parker::new())),
    );
    let its = Arc::clone(&ran);
    let task = pool.spawn(move || {
        tally.run(nth);
        its.0.store(true, Ordering::Release);
        its.1.unpark();
    });
    drop(task);
    while !ran.0.load(Ordering::Acquire) {
        ran.1.park(None);
    }
}

/// All of that goes on while another thread changes the pool by `change`.
fn while_it_changes(pool: ThreadPool, change: impl Fn(&ThreadPool) + Send + 'static) {
    let (pool, tally) = (Arc::new(pool), Tally::new(10));
    let other = Arc::clone(&pool);
    let other = spawn(move || {
        change(&other);
        drop(other);
    });
    work(&pool, &tally, 0);
    work(&pool, &tally, 5);
    other.join();
    let pool = Arc::into_inner(pool).expect("the only one");
    pool.shutdown();
    tally.all();
    let tally = Tally::new(2);
    if pool.spawn_error().is_some() {
        // There may be no thread for such a task.
        return end(pool);
    }
    runs_alone(&pool, &tally, 0);
    pool.shutdown();
    pool.resize(1 + random(3) as usize).expect("at most three");
    runs_alone(&pool, &tally, 1);
    tally.all();
    end(pool);
}

fn sizes() {
    while_it_changes(three(), |pool| {
        for _ in 0..3 {
            let size = 1 + random(3) as usize;
            pool.resize(size).expect("a size that it can have");
            loiter();
        }
    });
}

fn shutdowns() {
    while_it_changes(three(), |pool| {
        pool.shutdown();
        loiter();
        pool.shutdown();
    });
}

fn both() {
    while_it_changes(three(), |pool| {
        pool.resize(1 + random(2) as usize).expect("smaller");
        pool.shutdown();
        pool.resize(3).expect("as at first");
    });
}

/// The system refuses threads that are to start anew. (Callers that wait need one.)
fn some_are_refused() {
    let builder = ThreadPoolBuilder::new().num_threads(3);
    let pool = builder.start_when_needed().build().expect("a pool");
    while_it_changes(pool, |pool| {
        pool.resize(1 + random(2) as usize).expect("smaller");
        loiter();
        refuse_threads();
        pool.resize(3).expect("as at first");
    });
}

/// A thread joins an activity, and advances it itself if there is no worker any more.
fn the_last_worker_ends() {
    let builder = ThreadPoolBuilder::new().num_threads(2).use_current_thread();
    let pool = builder.callers(Callers::Wait).build().expect("a pool");
    let (step, promise) = Step::pending(&PoolRef::of(&pool));
    let joins = spawn(move || promise.join());
    loiter();
    pool.resize(1).expect("one");
    loiter();
    step.wake(&PoolRef::of(&pool));
    assert_eq!(joins.join(), 7);
    end(pool);
}

/// A pool is dropped while its threads end since it is smaller.
fn an_end_while_it_shrinks() {
    let pool = pool(2 + random(2) as usize);
    let tally = Tally::new(2);
    for nth in 0..2 {
        let tally = tally.clone();
        drop(pool.spawn(move || tally.run(nth)));
    }
    pool.resize(1 + random(2) as usize).expect("smaller");
    loiter();
    pool.wait_until_stopped();
    tally.all();
}

#[test]
fn pools_are_resized() {
    explore(sizes);
}

#[test]
fn pools_are_shut_down() {
    explore(shutdowns);
}

#[test]
fn pools_are_resized_and_shut_down() {
    explore(both);
}

#[test]
fn pools_are_resized_in_vain() {
    explore(some_are_refused);
}

#[test]
fn the_last_worker_ends_while_a_thread_waits() {
    explore(the_last_worker_ends);
}

#[test]
fn pools_that_shrink_end() {
    explore(an_end_while_it_shrinks);
}

//! Pools whose threads the system refuses, when they are to start anew.

use super::{Tally, end, explore, liveness::Step, loiter, random, refuse_threads, spawn};
use crate::{
    Callers, PoolRef, ThreadPool, ThreadPoolBuilder, current_num_threads, current_thread_index,
};
use std::sync::Arc;

/// Two threads each `call` a pool, three times, with their numbers, while its threads end and may
/// be refused, and its size changes or not.
fn while_refused(callers: Callers, resizes: bool, call: fn(&ThreadPool, &Tally, usize)) {
    let builder = ThreadPoolBuilder::new().num_threads(1 + random(3) as usize);
    let builder = match random(2) {
        0 => builder,
        _ => builder.start_when_needed(),
    };
    let pool = builder.callers(callers).max_threads(3).build();
    let (pool, tally) = (Arc::new(pool.expect("a pool")), Tally::new(6));
    let users = [0, 3].map(|from| {
        let (pool, tally) = (Arc::clone(&pool), tally.clone());
        spawn(move || {
            for nth in from..from + 3 {
                call(&pool, &tally, nth);
                loiter();
            }
        })
    });
    refuse_threads();
    for _ in 0..3 {
        pool.shutdown();
        if resizes && random(2) == 0 {
            pool.resize(1 + random(3) as usize).expect("at most three");
        }
        loiter();
    }
    users.into_iter().for_each(|user| user.join());
    tally.all();
    end(Arc::into_inner(pool).expect("the only one"));
}

/// A thread that waits for a pool has its task run, by itself if all threads are refused.
fn joins() {
    while_refused(Callers::Wait, true, |pool, tally, nth| {
        let tally = tally.clone();
        let task = pool.spawn(move || tally.run(nth));
        loiter();
        assert_eq!(task.join(), nth);
    });
}

fn scopes() {
    while_refused(Callers::Wait, true, |pool, tally, nth| {
        pool.in_place_scope(|scope| {
            scope.spawn(|_| _ = tally.run(nth));
            loiter();
        });
    });
}

fn calls() {
    while_refused(Callers::Wait, true, |pool, tally, nth| {
        assert_eq!(pool.install(|| tally.run(nth)), nth);
    });
}

/// A thread that waits advances what it waits for, if all threads are refused.
fn activities() {
    let builder = ThreadPoolBuilder::new().num_threads(1 + random(3) as usize);
    let pool = builder.callers(Callers::Wait).build().expect("a pool");
    let (step, promise) = Step::pending(&PoolRef::of(&pool));
    let joins = spawn(move || promise.join());
    refuse_threads();
    pool.shutdown();
    loiter();
    step.wake(&PoolRef::of(&pool));
    assert_eq!(joins.join(), 7);
    end(pool);
}

/// A thread that there is stays in its pool, whichever others are refused.
fn threads() {
    while_refused(Callers::Wait, false, |pool, tally, nth| {
        pool.install(|| {
            loiter();
            let index = current_thread_index().expect("inside");
            assert!(index < current_num_threads(), "a thread is turned off");
            tally.run(nth);
        });
    });
}

/// Calls that are given back end before their scope does.
fn broadcasts() {
    let callers = [Callers::TakePart, Callers::Wait][random(2) as usize];
    while_refused(callers, true, |pool, tally, nth| {
        let (lent, called) = (Arc::new(()), Tally::new(4));
        pool.in_place_scope(|scope| {
            let (its, called) = (Arc::clone(&lent), called.clone());
            scope.spawn_broadcast(move |_, call| {
                assert!(call.index() < call.num_threads() && Arc::strong_count(&its) > 1);
                called.run(call.index());
            });
            if random(4) == 0 {
                scope.cancel();
            }
        });
        assert_eq!(Arc::strong_count(&lent), 1, "a call outlives its scope");
        tally.run(nth);
    });
}

#[test]
fn joins_are_refused() {
    explore(joins);
}

#[test]
fn scopes_are_refused() {
    explore(scopes);
}

#[test]
fn calls_are_refused() {
    explore(calls);
}

#[test]
fn activities_are_refused() {
    explore(activities);
}

#[test]
fn some_threads_are_refused() {
    explore(threads);
}

#[test]
fn broadcasts_are_refused() {
    explore(broadcasts);
}

//! Tasks: of scopes, with promises, with wakers; pools that are dropped while they run.

use super::{
    ASLEEP, Tally, any_pool, apart, caught, end, explore, left_out, loiter, panics, random, sum,
    throw,
};
use crate::{
    Promise, TaskScope, ThreadPool,
    protocol::{parker::Parker, primitive::yield_now},
    spawn,
};
use std::{
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

/// Tasks of a scope that spawn tasks, which join.
fn tasks_of_a_scope() {
    fn grow<'t>(scope: &TaskScope<'t>, tally: &'t Tally, from: usize, to: usize) {
        if to - from < 3 {
            sum(tally, from, to);
            return;
        }
        let middle = from + (to - from) / 2;
        scope.spawn(move |scope| grow(scope, tally, from, middle));
        scope.spawn(move |scope| grow(scope, tally, middle, to));
    }
    let pool = any_pool(3);
    let tally = Tally::new(9);
    pool.task_scope(|scope| grow(scope, &tally, 0, 9));
    tally.all();
    end(pool);
}

/// One of a scope's tasks panics: the scope ends when all have ended, and panics then.
fn panic_in_a_scope() {
    let pool = any_pool(2);
    let tally = Tally::new(5);
    let bad = random(5) as usize;
    panics(bad, || {
        pool.task_scope(|scope| {
            for nth in 0..5 {
                let tally = &tally;
                scope.spawn(move |_| {
                    tally.run(nth);
                    if nth == bad {
                        throw(nth);
                    }
                });
            }
        });
    });
    tally.all();
    end(pool);
}

/// A task whose parts are tasks, and joins.
fn part(tally: &Tally, from: usize, to: usize) -> usize {
    if to - from < 3 {
        return sum(tally, from, to);
    }
    let (mine, middle) = (tally.clone(), from + (to - from) / 2);
    let half = spawn(move || part(&mine, from, middle));
    let other = part(tally, middle, to);
    half.join() + other
}

fn promise(pool: &ThreadPool, tally: &Tally, from: usize, to: usize) -> Promise<usize> {
    let tally = tally.clone();
    pool.spawn(move || part(&tally, from, to))
}

fn promises_that_are_joined() {
    let pool = any_pool(3);
    let tally = Tally::new(10);
    let (a, b) = (promise(&pool, &tally, 0, 5), promise(&pool, &tally, 5, 10));
    loiter();
    assert_eq!(a.join() + b.join(), 45);
    tally.all();
    end(pool);
}

/// Of two promises one is joined by a task, while its own task spawns another and panics.
fn panics_in_tasks() {
    let pool = any_pool(3);
    let tally = Tally::new(3);
    let (first, second, third) = (tally.clone(), tally.clone(), tally.clone());
    let bad = pool.spawn(move || {
        let inner = spawn(move || throw(second.run(1)));
        first.run(0);
        inner.join()
    });
    let joins = pool.spawn(move || {
        third.run(2);
        bad.join()
    });
    panics(1, || joins.join());
    tally.all();
    end(pool);
}

/// Waits for a promise as a future's executor does.
pub(super) fn wait<T>(promise: &mut Promise<T>) -> T {
    let parker = Arc::new(Parker::new());
    let waker = parker.waker();
    let mut context = Context::from_waker(&waker);
    loop {
        loiter();
        match Pin::new(&mut *promise).poll(&mut context) {
            Poll::Ready(value) => return value,
            Poll::Pending => parker.park(None),
        }
    }
}

/// Some thread of the pool runs each task: its caller does not.
fn promises_that_are_polled() {
    let pool = any_pool(2);
    let tally = Tally::new(8);
    for nth in 0..8 {
        let tally = tally.clone();
        assert_eq!(wait(&mut pool.spawn(move || tally.run(nth))), nth);
    }
    tally.all();
    end(pool);
}

/// A promise is polled, and then joined: the waker of the poll is nothing to the join.
fn a_poll_then_a_join() {
    let pool = any_pool(2);
    let tally = Tally::new(4);
    let mut promise = promise(&pool, &tally, 0, 4);
    let parker = Arc::new(Parker::new());
    let waker = parker.waker();
    loiter();
    let value = match Pin::new(&mut promise).poll(&mut Context::from_waker(&waker)) {
        Poll::Ready(value) => value,
        Poll::Pending => pool.install(|| promise.join()),
    };
    assert_eq!(value, 6);
    tally.all();
    end(pool);
}

/// The pool is dropped while tasks run and others are queued, and these join. Its memory stays:
/// otherwise a promise that is joined later runs its task in the global pool.
fn a_pool_that_is_dropped() {
    let pool = any_pool(3);
    let _memory = Arc::clone(pool.shared());
    let tally = Tally::new(9);
    let promises = [0, 3, 6].map(|from| {
        let tally = tally.clone();
        pool.spawn(move || sum(&tally, from, from + 3))
    });
    if random(2) == 0 {
        end(pool);
        assert_eq!(promises.map(Promise::join), [3, 12, 21]);
    } else {
        let waits = super::spawn(move || promises.map(Promise::join));
        end(pool);
        assert_eq!(waits.join(), [3, 12, 21]);
    }
    tally.all();
}

/// The same with tasks that have no parts, one of which spawns, and with promises that are dropped.
fn a_pool_that_goes() {
    let pool = any_pool(2);
    let tally = Tally::new(6);
    let (first, second) = (tally.clone(), tally.clone());
    drop(pool.spawn(move || {
        first.run(0);
        drop(spawn(move || second.run(1)));
    }));
    let promises = [2, 3, 4, 5].map(|nth| {
        let tally = tally.clone();
        pool.spawn(move || tally.run(nth))
    });
    loiter();
    drop(pool);
    assert_eq!(promises.map(Promise::join), [2, 3, 4, 5]);
    // Tasks that a thread of the pool has queued by its last look are run by its threads.
    while tally.count() < 6 {
        yield_now();
    }
}

#[test]
fn scopes() {
    explore(tasks_of_a_scope);
}

#[test]
fn scopes_panic() {
    explore(panic_in_a_scope);
}

#[test]
fn promises() {
    explore(promises_that_are_joined);
}

#[test]
fn tasks_panic() {
    explore(panics_in_tasks);
}

#[test]
fn promises_are_polled() {
    explore(promises_that_are_polled);
}

#[test]
fn promises_are_polled_and_joined() {
    explore(a_poll_then_a_join);
}

#[test]
fn pools_are_dropped() {
    explore(a_pool_that_is_dropped);
}

#[test]
fn pools_go() {
    explore(a_pool_that_goes);
}

#[test]
fn polls_catch_an_end_that_is_missed() {
    let fault = apart("protocol/stage.rs", "announce_wait", "fetch_or(");
    caught(fault, promises_that_are_polled, ASLEEP);
}

#[test]
fn polls_catch_an_unpark_that_is_lost() {
    let fault = left_out("protocol/parker.rs", "unpark_after", "notify_one(");
    caught(fault, promises_that_are_polled, ASLEEP);
}

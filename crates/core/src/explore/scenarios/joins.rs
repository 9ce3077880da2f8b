//! Joins that nest, and panic; callers that take part, and callers that wait.

use super::{
    TWICE, Tally, any_pool, apart, caught, end, explore, join, loiter, panics, pool, random, spawn,
    sum, throw, waited,
};
use crate::{Scope, ThreadPool, protocol::primitive::yield_now};
use std::sync::Arc;

fn tree_in(pool: ThreadPool) {
    let tally = Tally::new(10);
    assert_eq!(pool.install(|| sum(&tally, 0, 10)), 45);
    tally.all();
    end(pool);
}

fn tree() {
    tree_in(pool(3));
}

fn tree_of_a_caller_that_waits() {
    tree_in(waited(2));
}

/// Joins of a scope, which stay with their caller in any pool.
fn scoped() {
    fn sum(scope: &mut Scope<'_>, tally: &Tally, from: usize, to: usize) -> usize {
        if to - from == 1 {
            return tally.run(from);
        }
        let middle = from + (to - from) / 2;
        let (a, b) = scope.join(
            |scope| sum(scope, tally, from, middle),
            |scope| sum(scope, tally, middle, to),
        );
        a + b
    }
    let pool = super::any_pool(2);
    let tally = Tally::new(10);
    assert_eq!(sum(&mut pool.scope(), &tally, 0, 10), 45);
    tally.all();
    end(pool);
}

/// Two threads use a pool, and a third begins when one of them may have left.
fn callers_that_come_and_go() {
    let pool = Arc::new(super::any_pool(2));
    let tally = Tally::new(18);
    let call = |from| {
        let (pool, tally) = (Arc::clone(&pool), tally.clone());
        spawn(move || pool.install(|| sum(&tally, from, from + 6)))
    };
    let (first, second) = (call(0), call(6));
    let sums = first.join();
    let third = call(12);
    assert_eq!(sums + second.join() + third.join(), 17 * 18 / 2);
    tally.all();
}

/// One of the closures of a tree panics, and those beside it run at most once.
fn panic_in_a_tree() {
    fn sum(tally: &Tally, from: usize, to: usize, bad: usize) -> usize {
        if to - from == 1 {
            let nth = tally.run(from);
            return if nth == bad { throw(nth) } else { nth };
        }
        let middle = from + (to - from) / 2;
        let (a, b) = join(
            || sum(tally, from, middle, bad),
            || sum(tally, middle, to, bad),
        );
        a + b
    }
    let pool = super::any_pool(3);
    let tally = Tally::new(8);
    let bad = random(8) as usize;
    panics(bad, || pool.install(|| sum(&tally, 0, 8, bad)));
    // The thread and the pool still work.
    let after = Tally::new(4);
    assert_eq!(pool.install(|| super::sum(&after, 0, 4)), 6);
    after.all();
    end(pool);
}

/// A second half that lasts: its frame is still there if a thread runs it beside another.
fn a_long_second_half() {
    let pool = pool(2);
    let tally = Tally::new(5);
    let first = || {
        loiter();
        sum(&tally, 1, 5)
    };
    let second = || {
        tally.run(0);
        (0..1000).for_each(|_| yield_now());
    };
    pool.install(|| join(first, second));
    tally.all();
    end(pool);
}

/// First halves wait in yields for the second ones, and for those further out.
fn yields_for_halves() {
    fn halves(tally: &Tally, (from, to): (usize, usize)) {
        let first = || {
            if from + 1 < to {
                halves(tally, (from + 1, to));
            }
            while tally.count() + from < to {
                crate::yield_now();
            }
        };
        join(first, || tally.run(from));
    }
    let pool = any_pool(1);
    let tally = Tally::new(4);
    pool.install(|| join(|| halves(&tally, (0, 2)), || halves(&tally, (2, 4))));
    tally.all();
    end(pool);
}

#[test]
fn yields_run_halves() {
    explore(yields_for_halves);
}

#[test]
fn joins_nest() {
    explore(tree);
}

#[test]
fn joins_of_a_caller_that_waits() {
    explore(tree_of_a_caller_that_waits);
}

#[test]
fn joins_of_a_scope() {
    explore(scoped);
}

#[test]
fn callers_come_and_go() {
    explore(callers_that_come_and_go);
}

#[test]
fn joins_panic() {
    explore(panic_in_a_tree);
}

#[test]
fn joins_catch_a_second_half_that_runs_twice() {
    let fault = apart("protocol/slot.rs", "reclaim", ".compare_exchange(");
    caught(fault, a_long_second_half, TWICE);
}

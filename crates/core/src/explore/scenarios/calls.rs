//! Pools that call each other, and calls on all threads of a pool.

use super::{
    Tally, any_pool, end, explore, join, loiter, panics, random, refuse_threads, spawn, sum,
    tasks::wait, throw,
};
use crate::{Promise, ThreadPool};
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

/// In a job of one pool, work for the other.
fn across(one: &ThreadPool, other: &ThreadPool, tally: &Tally, from: usize) -> usize {
    one.install(|| {
        let (a, b) = join(
            || other.install(|| sum(tally, from, from + 3)),
            || sum(tally, from + 3, from + 6),
        );
        a + b
    })
}

fn pools_that_call_each_other() {
    let (one, other) = (Arc::new(any_pool(2)), Arc::new(any_pool(2)));
    let tally = Tally::new(12);
    let opposite = {
        let (one, other, tally) = (Arc::clone(&one), Arc::clone(&other), tally.clone());
        spawn(move || across(&other, &one, &tally, 6))
    };
    assert_eq!(across(&one, &other, &tally, 0) + opposite.join(), 66);
    tally.all();
}

/// A task of one pool waits for one of the other, which calls the first.
fn promises_across_pools() {
    let (one, other) = (Arc::new(any_pool(2)), Arc::new(any_pool(2)));
    let tally = Tally::new(9);
    let outer: Promise<usize> = {
        let (back, there, tally) = (Arc::clone(&one), Arc::clone(&other), tally.clone());
        one.spawn(move || {
            let inner = {
                let tally = tally.clone();
                there.spawn(move || back.install(|| sum(&tally, 0, 3)))
            };
            let (a, b) = join(|| sum(&tally, 3, 6), || sum(&tally, 6, 9));
            a + b + inner.join()
        })
    };
    assert_eq!(outer.join(), 36);
    tally.all();
}

/// The panic of a job comes back through two pools.
fn a_panic_through_two_pools() {
    let (one, other) = (any_pool(2), any_pool(2));
    let tally = Tally::new(3);
    let bad = random(2) as usize;
    let leaf = |nth| {
        let nth = tally.run(nth);
        if nth == bad { throw(nth) } else { nth }
    };
    panics(bad, || {
        one.install(|| other.install(|| join(|| leaf(0), || leaf(1))))
    });
    one.install(|| other.install(|| tally.run(2)));
    end(one);
    end(other);
}

/// A call on each thread of a pool, whose workers are busy with joins and tasks.
fn broadcasts() {
    let pool = any_pool(3);
    let tally = Tally::new(13);
    let task = {
        let tally = tally.clone();
        pool.spawn(move || sum(&tally, 0, 4))
    };
    let wide = |from| pool.broadcast(|call| tally.run(from + call.index()));
    assert_eq!(wide(4), [4, 5, 6]);
    let inside = pool.install(|| join(|| wide(7), || sum(&tally, 10, 13)));
    assert_eq!(inside, (vec![7, 8, 9], 33));
    assert_eq!(task.join(), 6);
    tally.all();
    end(pool);
}

/// Parts of a scope's broadcast wait for each other, while the owner waits for other calls, and a
/// task of the scope calls it.
fn calls_of_an_owner() {
    let pool = any_pool(2);
    let tally = Tally::new(6);
    let met = [0; 2].map(AtomicUsize::new);
    let meet = |met: &AtomicUsize, call: usize| {
        met.fetch_add(1, Ordering::Relaxed);
        while met.load(Ordering::Relaxed) < 2 {
            crate::yield_now();
        }
        tally.run(call);
    };
    let (meet, met) = (&meet, &met);
    pool.task_scope(|scope| {
        scope.spawn_broadcast(move |_, call| meet(&met[0], call.index()));
        scope.spawn(move |scope| {
            scope.spawn_broadcast(move |_, call| meet(&met[1], 2 + call.index()));
        });
        loiter();
        crate::broadcast(|call| tally.run(4 + call.index()));
    });
    tally.all();
    end(pool);
}

/// A detached call on all threads, and the pool is dropped.
fn broadcasts_that_are_spawned() {
    let pool = any_pool(2);
    let tally = Tally::new(2);
    let called = tally.clone();
    pool.spawn_broadcast(move |call| {
        called.run(call.index());
    });
    let bad = random(2) as usize;
    panics(bad, || {
        pool.broadcast(|call| {
            if call.index() == bad {
                throw(bad);
            }
        })
    });
    pool.wait_until_stopped();
    tally.all();
}

/// A task calls all threads of its pool, which is dropped meanwhile.
fn broadcasts_at_the_end() {
    let pool = any_pool(3);
    let tally = Tally::new(2);
    let called = tally.clone();
    let task = pool.spawn(move || {
        loiter();
        crate::broadcast(|call| {
            if call.index() < 2 {
                called.run(call.index());
            }
        });
    });
    drop(task);
    loiter();
    pool.wait_until_stopped();
    tally.all();
}

/// The system refuses some of a pool's threads, at any time: the pool works with the others.
fn threads_are_refused() {
    refuse_threads();
    let pool = any_pool(4);
    let tally = Tally::new(16);
    assert_eq!(pool.install(|| sum(&tally, 0, 6)), 15);
    let task = {
        let tally = tally.clone();
        pool.spawn(move || sum(&tally, 6, 10))
    };
    let called = pool.broadcast(|call| call.index());
    assert!(called.into_iter().eq(0..pool.current_num_threads()));
    pool.task_scope(|scope| {
        let tally = &tally;
        for (from, to) in [(10, 13), (13, 15)] {
            scope.spawn(move |_| {
                sum(tally, from, to);
            });
        }
    });
    assert_eq!(task.join(), 30);
    loiter();
    if pool.current_num_threads() > 1 {
        let tally = tally.clone();
        wait(&mut pool.spawn(move || tally.run(15)));
    } else {
        tally.run(15);
    }
    tally.all();
    end(pool);
}

/// Threads broadcast at once while some of the threads that they need are refused.
fn threads_are_refused_to_several() {
    let pool = Arc::new(any_pool(4));
    let broadcast = |pool: Arc<ThreadPool>| {
        loiter();
        let called = pool.broadcast(|call| (call.index(), call.num_threads()));
        let threads = pool.current_num_threads();
        assert!(
            called
                .into_iter()
                .eq((0..threads).map(|index| (index, threads)))
        );
    };
    let other = Arc::clone(&pool);
    let other = spawn(move || broadcast(other));
    refuse_threads();
    broadcast(pool);
    other.join();
}

#[test]
fn threads_may_be_refused() {
    explore(threads_are_refused);
}

#[test]
fn threads_may_be_refused_to_several() {
    explore(threads_are_refused_to_several);
}

#[test]
fn pools_call_each_other() {
    explore(pools_that_call_each_other);
}

#[test]
fn tasks_wait_across_pools() {
    explore(promises_across_pools);
}

#[test]
fn calls_panic() {
    explore(a_panic_through_two_pools);
}

#[test]
fn calls_on_all_threads() {
    explore(broadcasts);
}

#[test]
fn calls_reach_an_owner_that_waits() {
    explore(calls_of_an_owner);
}

#[test]
fn calls_on_all_threads_come_at_the_end() {
    explore(broadcasts_at_the_end);
}

#[test]
fn calls_on_all_threads_are_spawned() {
    explore(broadcasts_that_are_spawned);
}

//! Threads that block in `blocking`, while spares work in their place.

use super::{Tally, any_pool, end, explore, loiter, pass, random, spawn};
use crate::{
    Callers, OnStall, ThreadPool, ThreadPoolBuilder, blocking, join,
    protocol::{
        parker::Parker,
        primitive::{AtomicUsize, Ordering},
    },
    scope,
};
use std::{sync::Arc, time::Duration};

/// Where threads wait until so many have come.
#[derive(Clone)]
pub(super) struct Meeting(Arc<(AtomicUsize, Vec<Parker>)>);

impl Meeting {
    pub(super) fn of(count: usize) -> Self {
        let parkers = (0..count).map(|_| Parker::new()).collect();
        Meeting(Arc::new((AtomicUsize::new(0), parkers)))
    }

    pub(super) fn meet(&self) {
        let (come, parkers) = &*self.0;
        let nth = come.fetch_add(1, Ordering::SeqCst);
        if nth + 1 == parkers.len() {
            parkers.iter().for_each(Parker::unpark);
        }
        while come.load(Ordering::SeqCst) < parkers.len() {
            parkers[nth].park(None);
        }
    }
}

/// A pool with any number of threads, and fewer than there are blocked at once.
fn small_pool(spares: usize) -> ThreadPool {
    small(spares).build().expect("a pool")
}

fn small(spares: usize) -> ThreadPoolBuilder {
    let callers = [Callers::TakePart, Callers::Wait][random(2) as usize];
    let builder = ThreadPoolBuilder::new().num_threads(1 + random(2) as usize);
    builder.callers(callers).spares(spares)
}

/// Each of some tasks blocks until all have started. (While no caller takes part there is one
/// thread more.)
fn tasks_that_wait_for_each_other() {
    let pool = small_pool(3);
    let (tally, meeting) = (Tally::new(3), Meeting::of(3));
    let tasks = [0, 1, 2].map(|nth| {
        let (tally, meeting) = (tally.clone(), meeting.clone());
        pool.spawn(move || {
            blocking(|| meeting.meet());
            tally.run(nth)
        })
    });
    loiter();
    assert_eq!(tasks.map(|task| task.join()), [0, 1, 2]);
    tally.all();
    end(pool);
}

/// So do the leaves of a tree of joins. A blocked thread has offered what is left of it.
fn joins_that_wait_for_each_other() {
    fn halves(meeting: &Meeting, tally: &Tally, (from, to): (usize, usize)) {
        if to - from == 1 {
            blocking(|| meeting.meet());
            tally.run(from);
            return;
        }
        let middle = from + (to - from) / 2;
        join(
            || halves(meeting, tally, (from, middle)),
            || halves(meeting, tally, (middle, to)),
        );
    }
    let pool = small_pool(4);
    let (tally, meeting) = (Tally::new(4), Meeting::of(4));
    pool.install(|| halves(&meeting, &tally, (0, 4)));
    tally.all();
    end(pool);
}

/// Tasks block one after the other, so that spares rest, are called again, and end.
fn some_after_others() {
    let pool = Arc::new(small_pool(2));
    let tally = Tally::new(8);
    let spawners = [0, 4].map(|from| {
        let (pool, tally) = (Arc::clone(&pool), tally.clone());
        spawn(move || {
            for nth in [from, from + 2] {
                let meeting = Meeting::of(2);
                let tasks = [nth, nth + 1].map(|nth| {
                    let (tally, meeting) = (tally.clone(), meeting.clone());
                    pool.spawn(move || {
                        blocking(|| meeting.meet());
                        tally.run(nth);
                    })
                });
                loiter();
                tasks.into_iter().for_each(|task| task.join());
            }
        })
    });
    spawners.into_iter().for_each(|spawner| spawner.join());
    tally.all();
    end(Arc::into_inner(pool).expect("the only one"));
}

/// A pool ends while one of its threads is blocked, and has called a spare, or is going to.
fn a_pool_that_ends_while_one_is_blocked() {
    let pool = small_pool(2);
    let (tally, meeting) = (Tally::new(2), Meeting::of(2));
    for nth in 0..2 {
        let (tally, meeting) = (tally.clone(), meeting.clone());
        drop(pool.spawn(move || {
            loiter();
            blocking(|| meeting.meet());
            tally.run(nth);
        }));
    }
    loiter();
    pool.wait_until_stopped();
    tally.all();
}

/// So while tasks need others that they have spawned, when the workers may have ended.
fn a_pool_that_ends_while_tasks_need_others() {
    let pool = small_pool(3);
    let tally = Tally::new(2);
    for nth in 0..2 {
        let (tally, meeting) = (tally.clone(), Meeting::of(2));
        drop(pool.spawn(move || {
            loiter();
            let its = meeting.clone();
            drop(crate::spawn(move || its.meet()));
            blocking(|| meeting.meet());
            loiter();
            tally.run(nth);
        }));
    }
    loiter();
    pool.wait_until_stopped();
    tally.all();
}

/// A task that no thread joins is queued while a spare goes to rest.
fn a_task_after_a_blocking() {
    let pool = small_pool(1);
    let tally = Tally::new(3);
    let ran = Arc::new(Parker::new());
    pool.install(|| join(|| blocking(|| tally.run(0)), || blocking(|| tally.run(1))));
    loiter();
    let (its, unparks) = (tally.clone(), Arc::clone(&ran));
    drop(pool.spawn(move || {
        its.run(2);
        unparks.unpark();
    }));
    while tally.count() < 3 {
        ran.park(None);
    }
    end(pool);
}

/// Each of some tasks waits until all have started, and does not say so; the pool adds threads when
/// it stalls.
fn tasks_that_stall() {
    let builder = small(3).stall_handler(Duration::from_millis(4), |_| OnStall::AddThread);
    let pool = builder.build().expect("a pool");
    let (tally, meeting) = (Tally::new(3), Meeting::of(3));
    let tasks = [0, 1, 2].map(|nth| {
        let (tally, meeting) = (tally.clone(), meeting.clone());
        pool.spawn(move || {
            meeting.meet();
            tally.run(nth)
        })
    });
    if random(2) == 0 {
        // The pool ends, and its watch goes on until its tasks have ended.
        end(pool);
        loiter();
        assert_eq!(tasks.map(|task| task.join()), [0, 1, 2]);
    } else {
        loiter();
        assert_eq!(tasks.map(|task| task.join()), [0, 1, 2]);
        end(pool);
    }
    tally.all();
}

/// The first half of a join waits for the second, without a word, inside of another join, after
/// joins that no other thread has asked for.
fn halves_that_meet() {
    let pool = small(random(2) as usize)
        .num_threads(2)
        .build()
        .expect("a pool");
    let tally = Tally::new(8);
    let halves = |tally: &Tally, from: usize| {
        let meeting = Meeting::of(2);
        let half = |nth| {
            meeting.meet();
            tally.run(nth);
        };
        join(|| half(from), || half(from + 1));
    };
    let task = {
        let tally = tally.clone();
        pool.spawn(move || {
            for _ in 0..random(4) {
                join(loiter, || ());
            }
            halves(&tally, 0);
            join(|| halves(&tally, 2), loiter);
        })
    };
    task.join();
    pool.install(|| {
        join(loiter, loiter);
        halves(&tally, 4);
    });
    pool.install(|| join(loiter, || halves(&tally, 6)));
    tally.all();
    end(pool);
}

/// Halves that take long without a fork, and then end, with others inside that have ended.
fn halves_that_are_silent() {
    fn sum(tally: &Tally, (from, to): (usize, usize)) -> usize {
        if to - from == 1 {
            loiter();
            return tally.run(from);
        }
        let middle = from + (to - from) / 2;
        let first = || {
            let first = sum(tally, (from, middle));
            loiter();
            first
        };
        let (first, second) = join(first, || sum(tally, (middle, to)));
        first + second
    }
    let pool = any_pool(3);
    for _ in 0..2 {
        let tally = Tally::new(6);
        assert_eq!(pool.install(|| sum(&tally, (0, 6))), 15);
        tally.all();
    }
    end(pool);
}

#[test]
fn a_silent_thread_may_go_on() {
    explore(halves_that_are_silent);
}

#[test]
fn a_half_may_wait_for_the_other() {
    explore(halves_that_meet);
}

/// A thread waits for its scope, a task of which waits on another thread for a queued task, without
/// a word.
fn a_task_behind_threads_that_wait() {
    let spares = random(2) as usize;
    let pool = small(spares).num_threads(2).build().expect("a pool");
    let (tally, meetings) = (Tally::new(2), [2, 2].map(Meeting::of));
    let outer = tally.clone();
    drop(pool.spawn(move || {
        scope(|s| {
            let [begin, meeting] = &meetings;
            s.spawn(|_| {
                begin.meet();
                meeting.meet();
                outer.run(0);
            });
            begin.meet();
            let (inner, meeting) = (outer.clone(), meeting.clone());
            drop(crate::spawn(move || {
                meeting.meet();
                inner.run(1);
            }));
        });
    }));
    loiter();
    let shared = Arc::clone(pool.shared());
    pool.wait_until_stopped();
    tally.all();
    assert_eq!(shared.spares.blocked(), 0, "no thread waits any more");
}

#[test]
fn a_thread_that_waits_leaves_no_task_behind() {
    explore(a_task_behind_threads_that_wait);
}

/// One thread waits for a job on another one, which waits, without a word, for the half of a join
/// on a third. That waits, too, for this half, which is no part of what the first waits for.
fn a_half_behind_threads_that_wait() {
    let pool = small(random(2) as usize).num_threads(3 + random(2) as usize);
    let pool = pool.build().expect("a pool");
    let tally = Tally::new(2);
    let [start, begin, taken, waits, halves, end_job] = [2, 3, 2, 2, 2, 2].map(Meeting::of);
    let half = |nth| {
        halves.meet();
        tally.run(nth);
    };
    let silent = || {
        begin.meet();
        waits.meet();
        join(|| half(0), || half(1));
        end_job.meet();
    };
    let first = || {
        taken.meet();
        waits.meet();
    };
    let job = || {
        taken.meet();
        end_job.meet();
    };
    let waiter = || {
        begin.meet();
        join(first, job);
    };
    let outermost = || {
        start.meet();
        begin.meet();
    };
    let outer = || {
        start.meet();
        join(silent, waiter);
    };
    pool.install(|| join(outermost, outer));
    tally.all();
    end(pool);
}

#[test]
fn a_thread_that_waits_leaves_no_half_behind() {
    explore(a_half_behind_threads_that_wait);
}

/// A thread waits for its scope inside of a join's half, and a task of the scope waits for the
/// other half.
fn a_half_outside_of_a_wait() {
    let pool = small(random(2) as usize).num_threads(2);
    let pool = pool.build().expect("a pool");
    let (tally, [halves, begun, held]) = (Tally::new(2), [2, 2, 2].map(Meeting::of));
    let (begin, hold) = (begun.clone(), held.clone());
    drop(pool.spawn(move || {
        begin.meet();
        hold.meet();
    }));
    let half = |nth| {
        halves.meet();
        tally.run(nth);
    };
    let waits = || {
        scope(|s| {
            s.spawn(|_| half(0));
            held.meet();
        });
    };
    pool.install(|| {
        // The other thread asks no more, and this one has met what it was asked for.
        begun.meet();
        (0..random(4)).for_each(|_| _ = join(loiter, || ()));
        join(waits, || half(1))
    });
    tally.all();
    end(pool);
}

#[test]
fn a_thread_that_waits_offers_what_is_outside() {
    explore(a_half_outside_of_a_wait);
}

/// A first half waits in yields for the second, which the other thread of the pool waits for.
fn yields_in_a_stuck_pool() {
    let pool = small(random(2) as usize).num_threads(2);
    let pool = pool.build().expect("a pool");
    let (tally, [begun, held]) = (Tally::new(2), [2, 2].map(Meeting::of));
    let blocks = || {
        begun.meet();
        held.meet();
        tally.run(1);
    };
    let first = || {
        while tally.count() == 0 {
            crate::yield_now();
            pass(1_000_000);
        }
    };
    let second = || {
        tally.run(0);
        held.meet();
    };
    let yields = || {
        begun.meet();
        join(first, second)
    };
    pool.install(|| join(yields, blocks));
    tally.all();
    end(pool);
}

#[test]
fn yields_run_halves_of_a_stuck_pool() {
    explore(yields_in_a_stuck_pool);
}

#[test]
fn a_pool_that_stalls_may_add_threads() {
    explore(tasks_that_stall);
}

#[test]
fn tasks_that_block_may_wait_for_each_other() {
    explore(tasks_that_wait_for_each_other);
}

#[test]
fn joins_that_block_may_wait_for_each_other() {
    explore(joins_that_wait_for_each_other);
}

#[test]
fn spares_come_and_go() {
    explore(some_after_others);
}

#[test]
fn a_pool_may_end_while_a_thread_is_blocked() {
    explore(a_pool_that_ends_while_one_is_blocked);
}

#[test]
fn a_pool_may_end_while_tasks_need_others() {
    explore(a_pool_that_ends_while_tasks_need_others);
}

#[test]
fn a_spare_that_rests_leaves_no_task_behind() {
    explore(a_task_after_a_blocking);
}

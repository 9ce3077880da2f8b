//! No more work than there are permits, and none is kept or lost.

use super::{AtWork, Share, builder, tree};
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::SeqCst},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};
use sumac::{Callers, Permits, ThreadPool, ThreadPoolBuilder, prelude::*};
use sumac_test_support::{LONG, caught, held, spin, throw, wait_until, within, work};

/// Several pools of more threads than there are permits: their callers work, and one worker for
/// each permit.
#[test]
fn no_more_work_than_there_are_permits() {
    within(LONG, "work", || {
        let share = Share::of(2);
        let pools: Vec<_> = (0..3)
            .map(|_| builder(5, &share).build().expect("a pool"))
            .collect();
        let at_work = AtWork::default();
        thread::scope(|threads| {
            for pool in &pools {
                threads.spawn(|| {
                    let stole = || pool.stats().steals > 0;
                    let mut rounds = 0;
                    while rounds < 20 || (rounds < 1000 && !stole()) {
                        pool.install(|| tree(7, &|| at_work.during(work)));
                        rounds += 1;
                    }
                });
            }
        });
        assert!(share.taken.load(SeqCst) > 0, "no worker has ever helped");
        assert!(share.most.load(SeqCst) <= 2);
        assert!(at_work.most() <= 3 + 2, "{} at work", at_work.most());
        share.is_given_back();
    });
}

/// Where callers wait, the pool's own permit counts, too, and the right of the thread that waits.
#[test]
fn no_more_tasks_than_there_are_permits() {
    within(LONG, "tasks", || {
        let share = Share::of(1);
        let builder = builder(5, &share).callers(Callers::Wait);
        let pool = builder.build().expect("a pool");
        let at_work = Arc::new(AtWork::default());
        for _ in 0..20 {
            let tasks = (0..50).map(|_| {
                let at_work = Arc::clone(&at_work);
                pool.spawn(move || at_work.during(work))
            });
            let tasks: Vec<_> = tasks.collect();
            tasks.into_iter().for_each(|task| task.join());
        }
        assert!(at_work.most() <= 3, "{} at work", at_work.most());
        share.is_given_back();
    });
}

/// Workers have used permits, and are idle; the pool is still there.
#[test]
fn idle_pools_hold_none() {
    within(LONG, "idle", || {
        let share = Share::of(8);
        let pool = builder(4, &share).build().expect("a pool");
        for _ in 0..3 {
            let before = share.taken.load(SeqCst);
            assert!(wait_until(LONG, || {
                pool.install(|| tree(8, &work));
                share.taken.load(SeqCst) > before
            }));
            share.is_given_back();
        }
        // Nor does it look for one.
        let sleeps = || {
            let looks = || (pool.stats().parks, share.taken.load(SeqCst));
            let before = looks();
            thread::sleep(Duration::from_millis(50));
            looks() == before
        };
        assert!(wait_until(LONG, sleeps), "it wakes up");
    });
}

/// Calls that need no permit outlast the tasks that had all of them; the pool is still there.
#[test]
fn overdrafts_keep_none() {
    within(LONG, "overdrafts", || {
        let share = Share::of(1);
        let pool = builder(4, &share).callers(Callers::Wait).build();
        let pool = pool.expect("a pool");
        let tasks = [held(&pool), held(&pool)];
        let (begun, has_begun) = mpsc::channel();
        thread::scope(|threads| {
            let call = || {
                let (end, ended) = mpsc::channel::<()>();
                let begun = begun.clone();
                let (pool, waits) = (&pool, move || (begun.send(()), ended.recv()));
                threads.spawn(move || pool.install(waits).1.is_err());
                end
            };
            let ends = [call(), call()];
            assert_eq!(has_begun.iter().take(2).count(), 2);
            for (task, end) in tasks {
                drop(end);
                task.join();
            }
            // Their workers look for more, and find none.
            thread::sleep(Duration::from_millis(20));
            drop(ends);
        });
        share.is_given_back();
    });
}

/// Pauses of less than a millisecond lose no permit, although the worker parks.
#[test]
fn short_pauses_keep_permits() {
    within(LONG, "pauses", || {
        let share = Share::of(1);
        let pool = builder(2, &share).callers(Callers::Wait).build();
        let pool = pool.expect("a pool");
        // It has the pool's own permit.
        let (_, end) = held(&pool);
        let mut ended = None;
        let mut short = 0;
        while short < 100 {
            let (send, receive) = mpsc::channel();
            let share = Arc::clone(&share);
            drop(pool.spawn(move || {
                let now = Instant::now();
                send.send((now, share.taken.load(SeqCst)))
            }));
            let (begins, taken) = receive.recv().expect("it runs");
            if let Some((last, before)) = ended.replace((begins, taken)) {
                if begins - last < Duration::from_micros(900) {
                    short += 1;
                    assert_eq!(taken, before, "it has lost its permit");
                }
            }
            spin(Duration::from_micros(500));
        }
        drop(end);
    });
}

/// A thread that is blocked lends its permit; when it is back, the other begins nothing more.
#[test]
fn what_is_lent_is_given_back() {
    for tasks_take in [Duration::ZERO, Duration::from_micros(200)] {
        within(LONG, "lent", move || {
            let share = Share::of(0);
            let builder = builder(3, &share).callers(Callers::Wait);
            let pool = builder.build().expect("a pool");
            let begun = Arc::new(AtomicUsize::new(0));
            let beginnings = Arc::clone(&begun);
            let lender = pool.spawn(move || {
                let begins = || beginnings.load(SeqCst);
                sumac::blocking(|| assert!(wait_until(LONG, || begins() > 50)));
                // The other ends what it has begun.
                spin(Duration::from_millis(20));
                let before = begins();
                spin(Duration::from_millis(20));
                begins() - before
            });
            let endless = |pool: &ThreadPool| {
                let begun = Arc::clone(&begun);
                drop(pool.spawn(move || {
                    begun.fetch_add(1, SeqCst);
                    spin(tasks_take);
                }));
            };
            while !lender.is_finished() {
                (0..200).for_each(|_| endless(&pool));
                thread::sleep(Duration::from_millis(1));
            }
            let more = lender.join();
            assert!(more <= 1, "{more} tasks have begun beside the lender");
        });
    }
}

/// Work that a thread outside waits for needs no permit, but it is one thread's right: of a scope's
/// many tasks one worker runs some, another has the pool's own permit.
#[test]
fn one_waiter_lends_to_one_worker() {
    within(LONG, "a scope", || {
        let share = Share::of(0);
        let pool = builder(5, &share).callers(Callers::Wait).build();
        let pool = pool.expect("a pool");
        let at_work = AtWork::default();
        let nap = || at_work.during(|| thread::sleep(Duration::from_micros(300)));
        for _ in 0..5 {
            pool.in_place_scope(|scope| (0..30).for_each(|_| scope.spawn(|_| nap())));
        }
        assert!(at_work.most() <= 2, "{} at work", at_work.most());
        // And is not used up.
        (0..20).for_each(|_| pool.install(work));
    });
}

/// In a pool that has been dropped, spares stand in for workers that have ended; those lend none.
#[test]
fn workers_that_have_ended_lend_none() {
    within(LONG, "the end", || {
        let share = Share::of(0);
        let pool = builder(3, &share).callers(Callers::Wait).build();
        let pool = pool.expect("a pool");
        let (begun, has_begun) = mpsc::channel();
        let blocked = |then: fn() -> isize| {
            let (end, ended) = mpsc::channel::<()>();
            let begun = begun.clone();
            let task = pool.spawn(move || {
                sumac::blocking(|| {
                    begun.send(()).expect("the test waits");
                    ended.recv().is_err().then(then)
                })
            });
            has_begun.recv().expect("it begins");
            (task, end)
        };
        let on_workers = [(); 3].map(|()| blocked(|| 0));
        let (on_spare, end) = blocked(|| {
            let at_work = Arc::new(AtWork::default());
            let tasks = (0..20).map(|_| {
                let at_work = Arc::clone(&at_work);
                let work = || thread::sleep(Duration::from_millis(1));
                sumac::spawn(move || at_work.during(work))
            });
            let tasks: Vec<_> = tasks.collect();
            assert!(wait_until(LONG, || tasks
                .iter()
                .all(|task| task.is_finished())));
            at_work.most()
        });
        drop(pool);
        for (task, end) in on_workers {
            drop(end);
            task.join();
        }
        // The workers end.
        thread::sleep(Duration::from_millis(20));
        drop(end);
        assert_eq!(on_spare.join(), Some(1), "at work");
    });
}

#[test]
fn pools_that_end_give_all_back() {
    within(LONG, "the end", || {
        let share = Share::of(4);
        let unused = || share.taken.load(SeqCst) == 0;
        for round in (0..).take_while(|&round| round < 50 || unused()) {
            let mut builder = builder(4, &share);
            if round % 2 == 0 {
                builder = builder.callers(Callers::Wait);
            }
            let pool = builder.build().expect("a pool");
            for _ in 0..8 {
                drop(pool.spawn(work));
            }
            pool.install(|| tree(5, &work));
            pool.wait_until_stopped();
            assert_eq!(share.held(), 0, "round {round}");
        }
    });
}

/// A permit that becomes free later is used.
#[test]
fn a_permit_that_comes_later_is_taken() {
    within(LONG, "later", || {
        let share = Share::of(0);
        let pool = builder(3, &share).build().expect("a pool");
        pool.install(|| tree(8, &work));
        assert_eq!(pool.stats().steals, 0);
        share.all.store(1, SeqCst);
        assert!(wait_until(LONG, || {
            pool.install(|| tree(8, &work));
            pool.stats().steals > 0
        }));
        share.is_given_back();
    });
}

/// A computation that has begun without a permit gets one.
#[test]
fn work_that_goes_on_gets_a_permit() {
    within(LONG, "goes on", || {
        let share = Share::of(0);
        let pool = builder(3, &share).build().expect("a pool");
        let leaves = AtomicUsize::new(0);
        pool.install(|| {
            (0..usize::MAX).into_par_iter().find_any(|_| {
                work();
                if leaves.fetch_add(1, SeqCst) == 1000 {
                    share.all.store(1, SeqCst);
                }
                share.taken.load(SeqCst) > 0
            })
        });
        share.is_given_back();
    });
}

#[test]
fn panics_lose_none() {
    within(LONG, "panics", || {
        let share = Share::of(2);
        let pool = builder(4, &share).build().expect("a pool");
        // On a busy machine no worker may come for long.
        let unused = || share.taken.load(SeqCst) == 0;
        for round in (0..).take_while(|&round| round < 20 || unused()) {
            let leaf = || {
                work();
                if round % 2 == 0 {
                    throw("leaf");
                }
            };
            let run = || pool.install(|| tree(6, &leaf));
            if round % 2 == 0 {
                caught(run);
            } else {
                run();
            }
            let task = pool.spawn(|| throw("task"));
            assert!(task.try_join().is_err());
        }
        share.is_given_back();
    });
}

/// The permits are users' code.
struct Throwing(AtomicUsize);

impl Permits for Throwing {
    fn try_take(&self) -> bool {
        match self.0.fetch_add(1, SeqCst) % 3 {
            0 => throw("no permit"),
            1 => false,
            _ => true,
        }
    }

    fn give_back(&self) {
        throw("not given back");
    }
}

impl Drop for Throwing {
    fn drop(&mut self) {
        throw("not dropped");
    }
}

#[test]
fn permits_that_panic_do_no_harm() {
    within(LONG, "permits that panic", || {
        for callers in [Callers::TakePart, Callers::Wait] {
            let builder = ThreadPoolBuilder::new().num_threads(3).callers(callers);
            let permits = Throwing(AtomicUsize::new(0));
            let pool = builder.permits(permits).build().expect("a pool");
            for _ in 0..20 {
                let (send, receive) = mpsc::channel();
                drop(pool.spawn(move || send.send(())));
                receive.recv().expect("the task runs");
                pool.install(|| tree(5, &work));
            }
            pool.wait_until_stopped();
        }
    });
}

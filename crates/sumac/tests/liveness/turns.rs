//! Others have their turn beside a scope, or a broadcast, that goes on for ever.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
    },
    thread,
    time::Instant,
};
use sumac::{
    Callers, TaskScope, ThreadPool, ThreadPoolBuilder, Yield, spawn, spawn_async_in, yield_local,
    yield_now,
};
use sumac_test_support::{LONG, pool, wait_until, waited, within};

type Make = (&'static str, fn(usize) -> ThreadPool);
const MAKE: [Make; 2] = [("take part", pool), ("wait", waited)];

/// What goes on until it is told to end, or gives up.
struct Endless {
    begun: AtomicUsize,
    end: AtomicBool,
    since: Instant,
}

impl Endless {
    fn new() -> Arc<Endless> {
        Arc::new(Endless {
            begun: AtomicUsize::new(0),
            end: AtomicBool::new(false),
            since: Instant::now(),
        })
    }

    fn goes_on(&self) -> bool {
        self.begun.fetch_add(1, SeqCst);
        !self.end.load(SeqCst) && self.since.elapsed() < LONG / 8
    }
}

fn chain<'s>(s: &TaskScope<'s>, endless: &'s Endless) {
    if endless.goes_on() {
        s.spawn(|s| chain(s, endless));
    }
}

fn renew(endless: &Arc<Endless>) {
    if endless.goes_on() {
        let next = Arc::clone(endless);
        let once = AtomicBool::new(false);
        sumac::spawn_broadcast(move |_| {
            if !once.swap(true, SeqCst) {
                renew(&next);
            }
        });
    }
}

/// A task, a future and a call from outside, each of which must begin while `endless` goes on.
fn others_begin(callers: &str, pool: &ThreadPool, endless: &Endless) {
    let threads = pool.current_num_threads();
    assert!(wait_until(LONG / 8, || endless.begun.load(SeqCst) > 1_000));
    let done = Arc::new([const { AtomicBool::new(false) }; 3]);
    let mine = || Arc::clone(&done);
    thread::scope(|outside| {
        let (task, future, call) = (mine(), mine(), mine());
        drop(pool.spawn(move || task[0].store(true, SeqCst)));
        drop(spawn_async_in(pool, async move {
            future[1].store(true, SeqCst)
        }));
        outside.spawn(move || pool.install(|| call[2].store(true, SeqCst)));
        wait_until(LONG / 12, || done.iter().all(|done| done.load(SeqCst)));
        let began = done.each_ref().map(|done| done.load(SeqCst));
        endless.end.store(true, SeqCst);
        assert_eq!(
            began, [true; 3],
            "of [a task, a future, a call] beside {threads} threads whose callers {callers} these began"
        );
    });
}

#[test]
fn tasks_begin_beside_a_scope_that_is_endless() {
    for (callers, make) in MAKE {
        for threads in [1, 2, 4] {
            within(LONG, "a scope", move || {
                let (pool, endless) = (make(threads), Endless::new());
                thread::scope(|outside| {
                    for _ in 0..threads {
                        // Who owns the scope is outside of the pool: all its threads only help.
                        outside.spawn(|| pool.in_place_scope(|s| chain(s, &endless)));
                    }
                    others_begin(callers, &pool, &endless);
                });
            });
        }
    }
}

#[test]
fn tasks_begin_beside_broadcasts_that_are_endless() {
    for (callers, make) in MAKE {
        for threads in [1, 2, 4] {
            within(LONG, "a broadcast", move || {
                let (pool, endless) = (make(threads), Endless::new());
                for _ in 0..threads {
                    let endless = Arc::clone(&endless);
                    pool.install(|| renew(&endless));
                }
                others_begin(callers, &pool, &endless);
            });
        }
    }
}

/// A task that spawns the next one, which is the newest of its thread, for ever.
fn again(endless: Arc<Endless>) {
    if endless.goes_on() {
        drop(spawn(move || again(endless)));
    }
}

#[test]
fn the_oldest_tasks_have_their_turn_where_the_newest_come_first() {
    type Yields = fn() -> Option<Yield>;
    let yields: [Option<Yields>; 3] = [None, Some(yield_now), Some(yield_local)];
    for callers in [Callers::TakePart, Callers::Wait] {
        for yields in yields {
            within(LONG, "the newest first", move || {
                let builder = ThreadPoolBuilder::new().num_threads(1).callers(callers);
                let pool = builder.newest_first(true).build().expect("a pool");
                let endless = Endless::new();
                let oldest = pool.spawn(move || {
                    let flag = Arc::clone(&endless);
                    let oldest = spawn(move || flag.end.store(true, SeqCst));
                    again(Arc::clone(&endless));
                    while let Some(yields) = yields.filter(|_| endless.goes_on()) {
                        yields();
                    }
                    (oldest, endless)
                });
                let (oldest, endless) = oldest.join();
                oldest.join();
                assert!(
                    endless.since.elapsed() < LONG / 8,
                    "it began when others gave up"
                );
            });
        }
    }
}

//! An offer, or a task, reaches an idle worker in time: on fresh, hot and idle pools, from the very
//! first join, and for coarse halves that contain no further join. The halves sleep or wait, so
//! these tests need threads rather than processors.

use std::{
    sync::{
        Arc, Barrier,
        atomic::{AtomicBool, AtomicU64, Ordering::SeqCst},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};

use sumac::{Callers, Promise, ThreadPool, ThreadPoolBuilder, spawn};
use sumac_test_support::{
    LONG, Style, alone, assert_soon, enter, held, median, pool, rounds, spin, wait_until, waited,
    within,
};

const PATIENCE: Duration = Duration::from_secs(20);

/// How long the second half of a join took to start on another thread.
fn latency(style: Style, pool: &ThreadPool) -> Option<Duration> {
    let started = AtomicBool::new(false);
    let begin = Instant::now();
    let (seen, at) = enter(style, pool, |cx| {
        cx.join(
            |_| wait_until(PATIENCE, || started.load(SeqCst)),
            |_| {
                started.store(true, SeqCst);
                begin.elapsed()
            },
        )
    });
    seen.then_some(at)
}

fn assert_all_taken(
    what: &'static str,
    trials: usize,
    mut trial: impl FnMut(Style) -> Option<Duration>,
) {
    assert_soon(what, Duration::from_millis(5), || {
        let latencies: Vec<_> = rounds(trials)
            .map(|round| {
                trial(Style::ALL[round % 2])
                    .unwrap_or_else(|| panic!("{what}: offer {round} not taken in {PATIENCE:?}"))
            })
            .collect();
        let (trials, most) = (latencies.len(), latencies.iter().max().copied());
        let median = median(latencies);
        println!("{what}: {trials} offers taken, median {median:?}, at most {most:?}");
        median
    });
}

#[test]
fn offers_of_a_hot_pool_are_taken() {
    let _alone = alone();
    within(LONG, "hot pool", || {
        let two = pool(2);
        assert_all_taken("hot pool", 2_000, |style| latency(style, &two));
    });
}

#[test]
fn offers_of_a_pool_at_every_stage_of_falling_asleep_are_taken() {
    let _alone = alone();
    within(LONG, "dozing pool", || {
        let two = pool(2);
        let pause = AtomicU64::new(0);
        assert_all_taken("dozing pool", 2_000, |style| {
            let pause = pause.fetch_add(7, SeqCst) % 600;
            thread::sleep(Duration::from_micros(pause));
            latency(style, &two)
        });
    });
}

#[test]
fn offers_of_an_idle_pool_are_taken() {
    let _alone = alone();
    within(LONG, "idle pool", || {
        let two = pool(2);
        assert_all_taken("idle pool", 100, |style| {
            thread::sleep(Duration::from_millis(25));
            latency(style, &two)
        });
    });
}

#[test]
fn first_offers_of_fresh_pools_are_taken() {
    let _alone = alone();
    within(LONG, "fresh pool", || {
        assert_all_taken("fresh pool", 500, |style| latency(style, &pool(2)));
    });
}

#[test]
fn first_offers_of_fresh_threads_are_taken() {
    let _alone = alone();
    within(LONG, "fresh thread", || {
        let two = pool(2);
        assert_all_taken("fresh thread", 500, |style| {
            thread::scope(|s| s.spawn(|| latency(style, &two)).join().expect("no panic"))
        });
    });
}

const NAP: Duration = Duration::from_millis(100);

/// That it takes less than `limit` to `run` on a pool.
fn assert_quick(
    what: &str,
    limit: Duration,
    make: impl Fn() -> ThreadPool,
    run: impl Fn(&ThreadPool),
) {
    assert_soon(what, limit, || {
        let pool = make();
        let begin = Instant::now();
        run(&pool);
        begin.elapsed()
    });
}

fn two_naps(style: Style, pool: &ThreadPool) {
    enter(style, pool, |cx| {
        cx.join(|_| thread::sleep(NAP), |_| thread::sleep(NAP))
    });
}

#[test]
fn two_coarse_halves_run_side_by_side() {
    let _alone = alone();
    within(LONG, "two naps", || {
        for style in Style::ALL {
            let limit = Duration::from_millis(150);
            let fresh = || pool(2);
            assert_quick("fresh pool", limit, fresh, |pool| two_naps(style, pool));
            let rested = || {
                let pool = pool(2);
                two_naps(style, &pool);
                thread::sleep(NAP);
                pool
            };
            assert_quick("rested pool", limit, rested, |pool| two_naps(style, pool));
        }
    });
}

#[test]
fn four_coarse_quarters_run_side_by_side() {
    let _alone = alone();
    within(LONG, "four naps", || {
        for style in Style::ALL {
            assert_quick(
                "four quarters",
                Duration::from_millis(170),
                || pool(4),
                |pool| {
                    enter(style, pool, |cx| {
                        cx.join(
                            |cx| cx.join(|_| thread::sleep(NAP), |_| thread::sleep(NAP)),
                            |cx| cx.join(|_| thread::sleep(NAP), |_| thread::sleep(NAP)),
                        )
                    });
                },
            );
        }
    });
}

const FIRST_HALF: Duration = Duration::from_micros(500);

/// How long a pool of two computes alone after tiny computations. After those a worker naps. It
/// asks for a job before each nap and hardly looks after it, so that it does not find an offer by
/// chance.
fn alone_after_tiny_computations() -> Duration {
    let naps = "nap=20000000,nap_max=20000000,spin_tiny=0".parse();
    let builder = ThreadPoolBuilder::new().num_threads(2);
    let builder = builder.tuning(naps.expect("a tuning"));
    let pool = builder.build().expect("a pool");
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_millis(30) {
        pool.join(|| (), || ());
    }
    let begin = Instant::now();
    let here = thread::current().id();
    while pool.join(|| spin(FIRST_HALF), || thread::current().id()).1 == here {}
    begin.elapsed()
}

#[test]
fn a_nap_ends_once_computations_have_become_long() {
    let _alone = alone();
    within(LONG, "naps", || {
        let limit = Duration::from_millis(150);
        assert_soon("help after tiny computations", limit, || {
            let times: Vec<_> = rounds(7).map(|_| alone_after_tiny_computations()).collect();
            println!("{times:?}");
            median(times)
        });
    });
}

/// The reserve runs one of two tasks at once, in a pool of two whose caller blocks, also if there
/// was no task for a while: after tasks that took their time it does not nap.
#[test]
fn the_reserve_comes_after_a_pause() {
    let _alone = alone();
    within(LONG, "two tasks that meet", || {
        // Naps that double from 50 µs on: that after 51 ms, say, takes as long.
        let builder = ThreadPoolBuilder::new().num_threads(2);
        let pool = builder.tuning("nap_max=1000000000".parse().expect("a tuning"));
        let pool = pool.build().expect("a pool");
        let late = rounds(10).filter(|_| {
            let meeting = Arc::new(Barrier::new(2));
            let begin = Instant::now();
            let tasks = [(); 2].map(|()| {
                let meeting = Arc::clone(&meeting);
                pool.spawn(move || {
                    meeting.wait();
                    let met = begin.elapsed();
                    spin(FIRST_HALF);
                    met
                })
            });
            let met = || tasks.iter().all(|task| task.is_finished());
            wait_until(LONG / 2, met);
            thread::sleep(Duration::from_millis(70));
            tasks.map(Promise::join)[0] > Duration::from_millis(20)
        });
        // The machine may stand still once.
        let late = late.count();
        assert!(late <= 1, "the reserve comes late {late} times");
    });
}

/// A thread that spawns a task and blocks until it has run does not wait for the end of a nap.
#[test]
fn a_task_ends_a_nap() {
    let _alone = alone();
    within(LONG, "a task after a tiny job", || {
        let naps = "nap=500000000,nap_max=500000000".parse();
        let builder = ThreadPoolBuilder::new().num_threads(2);
        let pool = builder.tuning(naps.expect("a tuning")).build();
        let pool = &pool.expect("a pool");
        let late = rounds(40).filter(|_| {
            // The half that is taken is tiny, so that its thief naps.
            let taken = AtomicBool::new(false);
            let wait = || wait_until(LONG / 2, || taken.load(SeqCst));
            assert!(pool.join(wait, || taken.store(true, SeqCst)).0);
            spin(Duration::from_micros(500));
            let (send, receive) = mpsc::channel();
            let begin = Instant::now();
            pool.spawn(move || send.send(()));
            receive.recv().expect("the task runs");
            begin.elapsed() > Duration::from_millis(250)
        });
        // The machine may stand still once.
        let late = late.count();
        assert!(late <= 1, "{late} tasks waited for the end of a nap");
    });
}

#[test]
fn tasks_are_begun_at_every_stage_of_falling_asleep() {
    let _alone = alone();
    within(LONG, "tasks", || {
        for threads in [1, 2, 3] {
            let pool = pool(threads);
            for (what, trials, pause) in [
                ("hot", 500, Duration::ZERO),
                ("dozing", 500, Duration::from_micros(200)),
                ("dormant", 40, Duration::from_millis(30)),
            ] {
                assert_all_taken(what, trials, |_| {
                    thread::sleep(pause);
                    let begin = Instant::now();
                    let (send, receive) = std::sync::mpsc::channel();
                    pool.spawn(move || send.send(begin.elapsed()));
                    receive.recv_timeout(PATIENCE).ok()
                });
            }
        }
    });
}

/// Their promises are dropped, and the pool's only worker is in a long task.
#[test]
fn many_tiny_tasks_beside_a_busy_worker() {
    let _alone = alone();
    assert_soon("tasks", Duration::from_millis(500), || {
        within(LONG, "tasks", || {
            let pool = pool(2);
            let (long, end) = held(&pool);
            let begin = Instant::now();
            static RUN: AtomicU64 = AtomicU64::new(0);
            RUN.store(0, SeqCst);
            for _ in 0..30_000 {
                drop(pool.spawn(|| RUN.fetch_add(1, SeqCst)));
            }
            assert!(wait_until(LONG, || RUN.load(SeqCst) == 30_000));
            let took = begin.elapsed();
            drop(end);
            assert_eq!(long.join(), 5);
            took
        })
    });
}

/// How long a call of all workers takes on average, while on all processors they look for more to
/// do: far longer than they usually would. Several pools, since one may be lucky with its places.
fn call_among_lookers() -> Duration {
    let processors = thread::available_parallelism().map_or(1, usize::from);
    let look = "spin=20000000".parse().expect("a tuning");
    let calls = |_| {
        let builder = ThreadPoolBuilder::new().num_threads(processors);
        let builder = builder.callers(Callers::Wait).tuning(look);
        let pool = builder.build().expect("a pool");
        let begin = Instant::now();
        (0..10).for_each(|_| drop(pool.broadcast(|_| ())));
        begin.elapsed() / 10
    };
    let times: Vec<_> = rounds(20).map(calls).collect();
    times.iter().sum::<Duration>().div_f64(times.len() as f64)
}

#[test]
fn workers_that_look_for_work_give_way_to_their_callers() {
    let _alone = alone();
    within(LONG, "callers", || {
        assert_soon("calls", Duration::from_millis(1), || {
            let mean = call_among_lookers();
            println!("{mean:?}");
            mean
        });
    });
}

/// Lets all of the pool's threads sleep, with the expectation that the next call is short.
fn asleep_after_a_short_call(pool: &ThreadPool) {
    pool.install(|| ());
    thread::sleep(Duration::from_millis(15));
}

/// The call that wakes the first worker needs another, whichever thread waits for it.
#[test]
fn a_call_that_finds_all_asleep_has_a_second_worker() {
    within(LONG, "all asleep", || {
        let (two, another, guests) = (waited(2), waited(1), pool(2));
        let call = || {
            two.install(|| {
                let (send, receive) = mpsc::channel();
                spawn(move || send.send(()));
                receive.recv().expect("the task runs");
            });
        };
        for _ in rounds(20) {
            asleep_after_a_short_call(&two);
            call();
            asleep_after_a_short_call(&two);
            another.install(call);
            asleep_after_a_short_call(&two);
            guests.install(call);
        }
    });
}

/// The worker goes on with what the call has left behind, whose caller looks no more.
#[test]
fn tasks_of_a_short_call_run_beside_each_other() {
    within(LONG, "left behind", || {
        let two = waited(2);
        for _ in rounds(40) {
            asleep_after_a_short_call(&two);
            let both = Arc::new(Barrier::new(2));
            let (send, receive) = mpsc::channel();
            two.install(|| {
                for _ in 0..2 {
                    let (both, send) = (Arc::clone(&both), send.clone());
                    spawn(move || {
                        both.wait();
                        send.send(())
                    });
                }
            });
            drop(send);
            assert_eq!(receive.iter().count(), 2);
        }
    });
}

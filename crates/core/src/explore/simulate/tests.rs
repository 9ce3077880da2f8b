use super::*;
use crate::{
    Callers, Scope, ThreadPoolBuilder,
    explore::primitive::{AtomicU64, Condvar, Mutex as Lock, Ordering, join, spawn},
};
use std::{thread::Builder, time::Duration};
use sumac_test_support::{LONG, within};

const MICRO: u64 = 1_000_000;

fn simulated<T: Send + 'static>(
    seed: u64,
    change: impl FnOnce(&mut Prices),
    main: impl FnOnce() -> T + Send + 'static,
) -> T {
    let mut prices = Prices::default();
    change(&mut prices);
    within(LONG, "a simulation", move || run(seed, 8, prices, main)).expect("it ends")
}

/// The sum of leaves of 20 µs, below a join for each.
fn leaves(count: u64, scope: &mut Scope<'_>) -> u64 {
    if count == 1 {
        work(20 * MICRO);
        return 1;
    }
    let (a, b) = scope.join(|s| leaves(count / 2, s), |s| leaves(count - count / 2, s));
    a + b
}

/// The nanoseconds that they take on so many workers, which are `hot` or have not been used.
fn time_of_leaves(seed: u64, workers: usize, hot: bool, change: impl FnOnce(&mut Prices)) -> u64 {
    simulated(seed, change, move || {
        let builder = ThreadPoolBuilder::new().num_threads(workers);
        let pool = builder.build().expect("a pool");
        if hot {
            leaves(1024, &mut pool.scope());
        } else {
            work(100_000 * MICRO);
        }
        let start = now();
        assert_eq!(leaves(1024, &mut pool.scope()), 1024);
        now() - start
    })
}

#[test]
fn naps_end_in_the_order_of_their_ends() {
    let ends = simulated(
        1,
        |_| (),
        || {
            let ends = Arc::new(Mutex::new(Vec::new()));
            let threads = [300, 100, 200].map(|micros| {
                let ends = Arc::clone(&ends);
                let nap = move || {
                    let (lock, never) = (Lock::new(()), Condvar::new());
                    let start = now();
                    let guard = lock.lock().expect("no panic");
                    drop(never.wait_timeout(guard, Duration::from_micros(micros)));
                    ends.lock().expect("no panic").push((micros, now() - start));
                };
                spawn(Builder::new(), nap).expect("a thread")
            });
            let _ = threads.map(|thread| join(thread).expect("no panic"));
            Arc::into_inner(ends).expect("all ended").into_inner()
        },
    );
    let ends = ends.expect("no panic");
    assert_eq!(
        ends.iter().map(|end| end.0).collect::<Vec<_>>(),
        [100, 200, 300]
    );
    for (micros, took) in ends {
        // The overshoot is 3.75 to 6.25 µs.
        let late = took - 1000 * micros;
        assert!(
            (3_750..7_000).contains(&late),
            "{micros} µs: {late} ns late"
        );
    }
}

#[test]
fn a_sleeper_goes_on_a_wake_up_later_and_its_waker_pays() {
    let (began, paid, woken) = simulated(
        1,
        |prices| prices.wake = 40 * MICRO,
        || {
            let place = Arc::new((Lock::new(false), Condvar::new()));
            let sleeper = Arc::clone(&place);
            let sleeper = spawn(Builder::new(), move || {
                let mut guard = sleeper.0.lock().expect("no panic");
                while !*guard {
                    guard = sleeper.1.wait(guard).expect("no panic");
                }
                now()
            });
            work(1000 * MICRO);
            *place.0.lock().expect("no panic") = true;
            let began = now();
            place.1.notify_one();
            let paid = now() - began;
            (
                began,
                paid,
                join(sleeper.expect("a thread")).expect("no panic"),
            )
        },
    );
    assert!((5_000..5_200).contains(&paid), "{paid}");
    let late = woken - began;
    assert!((30_000..51_000).contains(&late), "{late}");
}

#[test]
fn threads_go_on_in_the_order_of_their_clocks() {
    const QUANTUM: u64 = 50_000;
    let times = simulated(
        1,
        |prices| prices.quantum = QUANTUM,
        || {
            let times = Arc::new(Mutex::new(Vec::new()));
            let threads = [7_000, 11_000, 3_000].map(|step| {
                let times = Arc::clone(&times);
                let run = move || {
                    for _ in 0..1000 {
                        work(step);
                        times.lock().expect("no panic").push((step, now()));
                    }
                };
                spawn(Builder::new(), run).expect("a thread")
            });
            let _ = threads.map(|thread| join(thread).expect("no panic"));
            Arc::into_inner(times).expect("all ended").into_inner()
        },
    );
    let times = times.expect("no panic");
    let mut latest = 0;
    for &(_, at) in &times {
        assert!(at + QUANTUM / 1000 + 11 >= latest, "{at} after {latest}");
        latest = latest.max(at);
    }
    let switches = times.windows(2).filter(|two| two[0].0 != two[1].0).count();
    assert!(switches > 100, "{switches} switches");
}

#[test]
fn words_are_fetched_once_and_with_their_line() {
    let costs = simulated(
        1,
        |_| (),
        || {
            let words: Arc<[AtomicU64; 32]> = Arc::default();
            words
                .iter()
                .for_each(|word| word.store(1, Ordering::Relaxed));
            let theirs = Arc::clone(&words);
            let reader = spawn(Builder::new(), move || {
                let cost = |word: usize, access: fn(&AtomicU64)| {
                    let start = now();
                    (0..10).for_each(|_| access(&theirs[word]));
                    now() - start
                };
                let load = |word: &AtomicU64| assert!(word.load(Ordering::Relaxed) > 0);
                let change = |word: &AtomicU64| assert!(word.swap(2, Ordering::Relaxed) > 0);
                let store = |word: &AtomicU64| word.store(2, Ordering::Relaxed);
                let far = [cost(8, load), cost(16, change), cost(24, store)];
                [
                    cost(0, load),
                    cost(1, load),
                    cost(0, change),
                    far[0],
                    far[1],
                    far[2],
                ]
            });
            join(reader.expect("a thread")).expect("no panic")
        },
    );
    // Loads of 0.6 ns, changes of 6 and stores of 1, and what is fetched by all but the last.
    let expected = [106, 6, 160, 106, 160, 10];
    for (cost, expected) in costs.into_iter().zip(expected) {
        assert!((expected..expected + 2).contains(&cost), "{costs:?}");
    }
}

#[test]
fn one_seed_is_one_result_and_another_seed_another() {
    let time = |seed| time_of_leaves(seed, 8, false, |_| ());
    assert_eq!(time(1), time(1));
    assert!((2..6).any(|seed| time(seed) != time(1)));
}

#[test]
fn eight_workers_are_seven_times_as_fast_as_one() {
    let time = |workers| time_of_leaves(1, workers, true, |_| ()) as f64;
    let speed = time(1) / time(8);
    assert!((7.0..=8.0).contains(&speed), "{speed}");
}

/// Only one thread forks, at each end of a leaf.
#[test]
fn a_list_keeps_four_workers_busy() {
    fn list(leaves: u64, scope: &mut Scope<'_>) {
        if leaves > 0 {
            scope.join(|s| list(leaves - 1, s), |_| work(20 * MICRO));
        }
    }
    let change = |_: &mut Prices| ();
    let took = simulated(1, change, || {
        let builder = ThreadPoolBuilder::new().num_threads(4);
        let pool = builder.build().expect("a pool");
        list(256, &mut pool.scope());
        let start = now();
        list(256, &mut pool.scope());
        now() - start
    });
    let speed_up = (256 * 20_000) as f64 / took as f64;
    assert!(speed_up > 3.0, "{speed_up}");
}

#[test]
fn a_slower_wake_up_takes_longer() {
    let time = |wake| time_of_leaves(1, 8, false, |prices| prices.wake = wake * MICRO);
    let (usual, slow) = (time(30), time(300));
    // Workers wake one after another.
    assert!(slow > usual + 270_000, "{usual} {slow}");
}

#[test]
fn programs_that_panic_or_sleep_for_ever_are_errors() {
    let prices = Prices::default();
    let panicked = run(1, 1, prices, || panic::resume_unwind(Box::new(1)));
    assert_eq!(panicked, Err::<(), _>("the program panicked".into()));
    let asleep = run(1, 1, prices, || {
        let lock = Lock::new(());
        let guard = lock.lock().expect("no panic");
        drop(Condvar::new().wait(guard));
    });
    assert!(
        asleep
            .expect_err("no thread wakes it")
            .contains("all threads sleep")
    );
}

/// Threads seldom sleep where each task joins the one before.
#[test]
fn a_chain_of_tasks_does_not_run_in_lock_step() {
    const TASKS: u64 = 3_000;
    for callers in [Callers::TakePart, Callers::Wait] {
        for threads in [1, 2, 7] {
            let parks = simulated(
                1,
                |_| (),
                move || {
                    let builder = ThreadPoolBuilder::new().num_threads(threads);
                    let pool = builder.callers(callers).build().expect("a pool");
                    let mut last = pool.spawn(|| 0);
                    for _ in 0..TASKS {
                        let before = last;
                        last = pool.spawn(move || before.join() + 1);
                    }
                    // A join here would run the chain on this stack, from its end.
                    let end = Arc::new((Lock::new(0), Condvar::new()));
                    let here = Arc::clone(&end);
                    drop(pool.spawn(move || {
                        *here.0.lock().expect("no panic") = last.join();
                        here.1.notify_one();
                    }));
                    let mut sum = end.0.lock().expect("no panic");
                    while *sum == 0 {
                        sum = end.1.wait(sum).expect("no panic");
                    }
                    assert_eq!(*sum, TASKS);
                    pool.stats().parks
                },
            );
            println!("{threads} threads, callers {callers:?}: {parks} sleeps");
            assert!(parks < TASKS / 10, "{parks} sleeps of {threads} threads");
        }
    }
}

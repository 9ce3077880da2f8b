//! `profile` and `trace` with all that sumac has: what counts how, and that nothing hangs or is
//! lost.

use std::{collections::BTreeMap, hint, sync::Mutex, time::Duration};
use sumac::{
    ThreadPoolBuilder,
    batch::{Batched, Get, Insert, Tree},
    prelude::*,
    profile::{Profile, profile},
    spawn_async,
    trace::{Doing, Tracing},
};

/// Works, for so many times some hundred microseconds if no other program wants the processor.
fn spin(units: u64) {
    let end = (0..units * 100_000).fold(units, |x, i| hint::black_box(x.wrapping_mul(i | 1)));
    hint::black_box(end);
}

fn tree(height: u32) {
    if height == 0 {
        spin(1);
    } else {
        sumac::join(|| tree(height - 1), || tree(height - 1));
    }
}

/// The real clock, on a machine that others use: far from exact, but no half of the work is taken
/// for the other.
#[test]
fn leaves_of_a_tree_are_parallel_and_those_of_a_chain_are_not() {
    let ((), wide) = profile(|| tree(6));
    assert_eq!(wide.joins, 63);
    assert!(wide.parallelism() > 8.0, "{wide:?}");
    let ((), long) = profile(|| (0..64).for_each(|_| spin(1)));
    assert_eq!((long.work, long.joins), (long.span, 0));
    assert!(long.speed_up(1024).upper <= 1.0);
}

#[test]
fn iterators_give_their_answers_and_are_loops() {
    let numbers: Vec<u64> = (0..100_000).collect();
    let (sum, profile) = profile(|| numbers.par_iter().map(|n| n * 2).sum::<u64>());
    assert_eq!(sum, 9_999_900_000);
    let Profile {
        joins,
        loops,
        blocks,
        ..
    } = profile;
    assert_eq!((joins, loops), (0, 1));
    assert!(blocks > 5);
    // An item is never divided: a heavy one is the span.
    let ((), heavy) = sumac::profile(|| {
        (0..16).into_par_iter().for_each(|i| {
            spin(if i == 3 { 20 } else { 1 });
        });
    });
    // 35 units of work, of which 20 are one item.
    let parallelism = heavy.parallelism();
    assert!((1.2..2.6).contains(&parallelism), "{heavy:?}");
    assert!(heavy.blocks >= 10, "{heavy:?}");
}

#[test]
fn everything_runs_under_a_profile() {
    let pool = ThreadPoolBuilder::new().num_threads(3).build();
    let pool = pool.expect("a pool");
    let (outcome, profile) = pool.install(|| {
        profile(|| {
            let mut values: Vec<u64> = (0..20_000).map(|n| n * 7919 % 20_011).collect();
            values.par_sort_unstable();
            values.inclusive_scan_in_place();
            let nested: Vec<u64> = (0..50u64)
                .into_par_iter()
                .map(|i| (0..i).into_par_iter().sum())
                .collect();
            let bridged = (0..1000u64).par_bridge().map(|n| n % 7).sum::<u64>();
            let total = Mutex::new(0);
            sumac::scope(|s| {
                for i in 0..10 {
                    let total = &total;
                    s.spawn(move |s| {
                        s.spawn(move |_| *total.lock().unwrap() += 1);
                        *total.lock().unwrap() += i;
                    });
                }
            });
            let calls = sumac::broadcast(|context| context.index());
            let promises: Vec<_> = (0..10u64).map(|i| sumac::spawn(move || i * i)).collect();
            let squares: u64 = promises.into_iter().map(sumac::Promise::join).sum();
            let awaited = spawn_async(async { sumac::spawn(|| 5).await + 1 }).join();
            let map = Batched::new(Tree::new());
            (0..100u64).into_par_iter().for_each(|i| {
                map.apply(Insert(i, i + 1));
            });
            let (sent, received) = std::sync::mpsc::channel();
            let waiting = sumac::spawn(move || received.recv().expect("a sender"));
            sent.send(3).expect("a receiver");
            (
                nested[49],
                bridged,
                total.into_inner().unwrap(),
                calls,
                squares,
                awaited,
                map.apply(Get(41)),
                waiting.join(),
            )
        })
    });
    let expected = (1176, 2997, 55, vec![0, 1, 2], 285, 6, Some(42), 3);
    assert_eq!(outcome, expected);
    // Twenty of the scope, two calls, ten promises and the last one; the future's own task only if
    // we take that step ourselves.
    assert!((33..=34).contains(&profile.tasks), "{profile:?}");
    assert_eq!(profile.unattributed, 0);
    assert!(profile.loops >= 53 && profile.span <= profile.work);
    assert!(profile.burdened_span >= profile.span);
}

/// Not even to idle threads that ask, and if a task yields to them.
#[test]
fn a_thread_that_profiles_gives_nothing_away() {
    let pool = ThreadPoolBuilder::new().num_threads(3).build();
    let pool = pool.expect("a pool");
    pool.install(|| {
        let me = std::thread::current().id();
        let ((), profile) = profile(|| {
            (0..2000).into_par_iter().for_each(|_| {
                sumac::yield_now();
                sumac::join(sumac::yield_now, sumac::yield_now);
                assert_eq!(std::thread::current().id(), me);
            });
        });
        assert_eq!(profile.joins, 2000);
    });
    assert_eq!(pool.stats().promotions, 0);
}

/// A scan, by whatever name it goes.
trait InPlace {
    fn inclusive_scan_in_place(&mut self);
}

impl InPlace for Vec<u64> {
    fn inclusive_scan_in_place(&mut self) {
        let mut oracle = self.clone();
        for i in 1..oracle.len() {
            oracle[i] = oracle[i].wrapping_add(oracle[i - 1]);
        }
        self.par_inclusive_scan(|a, b| a.wrapping_add(*b));
        assert_eq!(*self, oracle);
    }
}

const NAP: Duration = Duration::from_millis(100);

#[test]
fn waiting_is_no_work() {
    let pool = ThreadPoolBuilder::new().num_threads(2).build();
    let pool = pool.expect("a pool");
    let ((), profile) = pool.install(|| {
        profile(|| {
            let (begun, begins) = std::sync::mpsc::channel();
            let slow = sumac::spawn(move || {
                begun.send(()).expect("a receiver");
                // A nap counts as the task's own affair, and takes what it takes however busy the
                // machine is.
                std::thread::sleep(NAP);
            });
            // It has begun elsewhere, so we wait for it.
            begins.recv().expect("a sender");
            slow.join();
        })
    });
    assert!(profile.work >= NAP * 9 / 10, "{profile:?}");
    assert!(profile.work < NAP * 17 / 10, "{profile:?}");
    assert_eq!(profile.unattributed, 0);
}

/// Nor for what threads of a pool do for a caller that is none of them: a call, a task of a scope,
/// and one that is joined.
#[test]
fn waiting_outside_is_no_work() {
    let builder = ThreadPoolBuilder::new().num_threads(2);
    let pool = builder.callers(sumac::Callers::Wait).build();
    let pool = pool.expect("a pool");
    let nap = || std::thread::sleep(NAP);
    let programs: [&dyn Fn(); 3] = [
        &|| pool.install(nap),
        &|| pool.in_place_scope(|s| s.spawn(|_| nap())),
        &|| pool.spawn(nap).join(),
    ];
    for (nth, program) in programs.into_iter().enumerate() {
        let ((), profile) = profile(program);
        assert_eq!((profile.tasks, profile.unattributed), (1, 0));
        assert!(profile.work >= NAP * 9 / 10, "{nth}: {profile:?}");
        assert!(profile.work < NAP * 17 / 10, "{nth}: {profile:?}");
        assert!(profile.span >= NAP * 9 / 10, "{nth}: {profile:?}");
    }
}

/// Nor in `block_on`, nor for a promise that a future resolves.
#[test]
fn awaiting_is_no_work() {
    let asleep = || {
        let (resolver, promise) = sumac::promise();
        let napping = std::thread::spawn(move || {
            std::thread::sleep(NAP);
            resolver.resolve(());
        });
        (napping, promise)
    };
    let (napping, profile) = profile(|| {
        let (one, promise) = asleep();
        sumac::block_on(promise);
        let (other, promise) = asleep();
        spawn_async(promise).join();
        [one, other]
    });
    assert!(profile.work < NAP, "{profile:?}");
    for thread in napping {
        thread.join().expect("no panic");
    }
}

#[test]
fn profiles_of_several_threads_do_not_meet() {
    let profiles: BTreeMap<u32, Profile> = std::thread::scope(|threads| {
        let profiled = |height| threads.spawn(move || (height, profile(|| tree(height)).1));
        let running: Vec<_> = (1..5).map(profiled).collect();
        let ended = running.into_iter().map(|thread| thread.join().unwrap());
        ended.collect()
    });
    for (height, profile) in profiles {
        assert_eq!(profile.joins, (1 << height) - 1);
    }
}

#[test]
fn a_trace_covers_all_threads_all_the_time() {
    let pool = ThreadPoolBuilder::new().num_threads(3).build();
    let pool = pool.expect("a pool");
    let tracing = Tracing::start(&pool, 10_000);
    pool.install(|| tree(7));
    let trace = tracing.finish();
    assert_eq!(trace.dropped(), 0);
    for lane in &trace.lanes {
        let all = [Doing::Own, Doing::Working, Doing::Searching, Doing::Parked];
        let sum: Duration = all.into_iter().map(|doing| lane.spent(doing)).sum();
        let gap = trace.duration.abs_diff(sum);
        assert!(lane.name.starts_with("guest") || gap < Duration::from_micros(1));
    }
    assert!(trace.lanes.iter().any(|lane| lane.name == "worker 1"));
    let (mut chrome, mut svg) = (Vec::new(), Vec::new());
    trace.write_chrome(&mut chrome).expect("room");
    trace.write_svg(&mut svg).expect("room");
    assert!(chrome.ends_with(b"]}\n") && svg.ends_with(b"</svg>\n"));
}

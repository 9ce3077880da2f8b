//! Programs that a profile might get wrong: burdens without measure, strands of less than nothing,
//! scopes and loops that others meet.

use super::{tests::*, *};
use std::{
    cell::Cell,
    sync::atomic::{AtomicBool, Ordering},
    time::Instant,
};
use sumac_core::{ThreadPoolBuilder, join, promise, scope, spawn, splitting};

#[test]
fn no_burden_is_too_heavy() {
    set_fake();
    for burden in [Duration::MAX, Duration::from_secs(1 << 32)] {
        let profiler = Profiler::new().burden(burden);
        let ((), profile) = profiler.run(|| {
            for _ in 0..20 {
                join(|| work(3), || work(2));
            }
            let ((), inner) = profiler.run(|| tree(3));
            assert!(inner.burdened_span > inner.span);
            work(5);
        });
        assert!(
            profile.burdened_span > Duration::from_secs(1 << 20),
            "{profile:?}"
        );
        assert_eq!(profile.joins, 27);
    }
}

/// The cost of measuring is an average, and what is left of a short strand may be less than
/// nothing.
#[test]
fn no_path_is_longer_than_the_work() {
    let ((), profile) = profiled(|| {
        join(|| work(100), || work(-5));
        work(7);
    });
    assert_eq!(times(&profile), (102, 102, 117));
}

#[test]
fn tasks_of_two_profiles_meet_in_one_scope() {
    let pool = ThreadPoolBuilder::new().num_threads(1).build();
    let pool = pool.expect("a pool");
    for _ in 0..10 {
        let ((), profile) = pool.install(|| {
            profiled(|| {
                scope(|s| {
                    s.spawn(|s| {
                        // The reserve may run it, whose inner profile would go by the real clock.
                        set_fake();
                        work(50);
                        profiled_inside(|| s.spawn(|_| work(1)));
                    });
                });
                work(1);
            })
        });
        // The inner profile, which is part of the outer one, does not wait for its task: that one
        // counts if another thread has run it by then.
        let times = times(&profile);
        assert!([(51, 51, 61), (52, 52, 72)].contains(&times), "{times:?}");
    }
}

fn forks(until: Instant) {
    while Instant::now() < until {
        let nap = || std::thread::sleep(Duration::from_micros(50));
        join(|| join(nap, nap), || join(nap, nap));
    }
}

/// Who waits in a loop and helps meanwhile does not give of the loop: it is measured here.
#[test]
fn a_loop_that_waits_gives_nothing_away() {
    let pool = ThreadPoolBuilder::new().num_threads(4).build();
    let pool = pool.expect("a pool");
    pool.install(|| {
        let begun = AtomicBool::new(false);
        let task = std::sync::Arc::new(begun);
        let begins = std::sync::Arc::clone(&task);
        // Spawned outside of the profile, so its joins are for all.
        let slow = spawn(move || {
            begins.store(true, Ordering::SeqCst);
            let end = Instant::now() + Duration::from_millis(100);
            let forks = || forks(end);
            join(|| join(forks, forks), || join(forks, forks));
        });
        while !task.load(Ordering::SeqCst) {
            std::thread::yield_now();
        }
        profile(|| {
            let left = Cell::new(1000);
            let split = || {
                left.set(left.get() - 1);
                Some(())
            };
            splitting(&split, &|(), _| (), |parts| {
                slow.join();
                assert!(!parts.has_given());
                while parts.take_back().is_some() {}
            });
            assert_eq!(left.get(), 1000);
        });
    });
}

#[test]
fn waiting_for_a_resolver_is_no_work() {
    const NAP: Duration = Duration::from_millis(200);
    let (resolver, promise) = promise::<()>();
    let ((), profile) = profile(|| {
        let napping = std::thread::spawn(move || {
            std::thread::sleep(NAP);
            resolver.resolve(());
        });
        promise.join();
        napping.join().expect("no panic");
    });
    assert!(profile.work < NAP / 2, "{profile:?}");
}

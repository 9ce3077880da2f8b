//! Programs whose times are known: the clock is set by hand, so results are exact.

use super::{recorder::is_active, *};
use std::{
    cell::Cell,
    panic::{self, AssertUnwindSafe},
    sync::atomic::{AtomicU32, Ordering::Relaxed},
};
use sumac_core::{
    Scope, ThreadPoolBuilder, join, join3, promise, scope, scope_fifo, spawn, spawn_fifo, splitting,
};

thread_local! {
    static FAKE: Cell<bool> = const { Cell::new(false) };
    /// A strand begins and ends on one thread, so each has a clock of its own.
    static TIME: Cell<i64> = const { Cell::new(0) };
}

pub(super) fn is_fake() -> bool {
    FAKE.get()
}

pub(super) fn fake_nanos() -> i64 {
    TIME.get()
}

/// From here on this thread's clock is set by hand.
pub(super) fn set_fake() {
    FAKE.set(true);
}

/// Works for so many nanoseconds.
pub(super) fn work(nanos: i64) {
    TIME.set(TIME.get() + nanos);
}

/// The profile of `f` with a burden of 10 ns.
pub(super) fn profiled<R>(f: impl FnOnce() -> R) -> (R, Profile) {
    FAKE.set(true);
    let profiler = Profiler::new().burden(Duration::from_nanos(10));
    let result = profiler.run(f);
    assert!(!is_active());
    result
}

/// Work, span and burdened span in nanoseconds.
pub(super) fn times(profile: &Profile) -> (u128, u128, u128) {
    let Profile {
        work,
        span,
        burdened_span,
        ..
    } = profile;
    (work.as_nanos(), span.as_nanos(), burdened_span.as_nanos())
}

pub(super) fn tree(height: u32) {
    work(3);
    if height > 0 {
        join(|| tree(height - 1), || tree(height - 1));
        work(2);
    } else {
        work(100);
    }
}

#[test]
fn a_balanced_tree() {
    let ((), profile) = profiled(|| tree(5));
    let (leaves, inner) = (32, 31);
    let span = 5 * 5 + 103;
    assert_eq!(
        times(&profile),
        (leaves * 103 + inner * 5, span, span + 5 * 10)
    );
    assert_eq!((profile.joins, profile.loops, profile.tasks), (31, 0, 0));
    assert!(profile.parallelism() > 26.0);
}

#[test]
fn a_chain_has_no_parallelism() {
    fn chain(length: u32) {
        work(50);
        if length > 0 {
            join(|| chain(length - 1), || ());
        }
    }
    let ((), profile) = profiled(|| chain(9));
    assert_eq!(times(&profile), (500, 500, 590));
    assert_eq!(profile.parallelism(), 1.0);
    assert_eq!(profile.joins, 9);
}

#[test]
fn the_longer_half_counts() {
    for (a, b) in [(70, 20), (20, 70), (0, 5), (5, 0)] {
        let ((), profile) = profiled(|| {
            work(1);
            join(|| work(a), || work(b));
            work(4);
        });
        let (sum, most) = (a + b + 5, a.max(b) + 5);
        let expected = (sum as u128, most as u128, most as u128 + 10);
        assert_eq!(times(&profile), expected, "{a} and {b}");
    }
}

#[test]
fn scopes_and_flat_joins() {
    let ((), profile) = profiled(|| {
        Scope::global().join3(|_| work(10), |_| work(20), |_| work(40));
        join3(|| work(10), || work(20), || work(40));
    });
    assert_eq!(times(&profile), (140, 80, 100));
    assert_eq!(profile.joins, 4);
}

#[test]
fn a_loop_is_a_tree_of_its_blocks() {
    let blocks = [10, 30, 20, 40, 5];
    let run = || {
        splitting(&|| None::<()>, &|(), _| (), |parts| {
            for (i, nanos) in blocks.into_iter().enumerate() {
                work(nanos);
                if i + 1 < blocks.len() {
                    parts.poll();
                }
            }
            assert!(parts.take_back().is_none());
        });
    };
    let ((), profile) = profiled(|| {
        work(1);
        run();
        work(2);
    });
    // Five leaves lie three levels below the root.
    assert_eq!(times(&profile), (108, 43, 73));
    assert_eq!((profile.loops, profile.blocks), (1, 5));
    let ((), profile) = profiled(|| {
        join(run, || {
            splitting(&|| None::<()>, &|(), _| (), |parts| {
                run();
                parts.poll();
                run();
            });
        });
    });
    // In the second half one level outside, three inside; the join comes on top.
    assert_eq!(times(&profile), (315, 40, 90));
}

#[test]
fn tasks_in_order_and_broadcasts_of_scopes_are_measured() {
    let pool = ThreadPoolBuilder::new().num_threads(2).build();
    let pool = pool.expect("a pool");
    pool.install(|| {
        let ((), profile) = profiled(|| {
            scope_fifo(|s| {
                s.spawn_fifo(|_| work(30));
                s.spawn_broadcast(|_, _| work(20));
            });
            spawn_fifo(|| work(3)).join();
        });
        assert_eq!((profile.tasks, profile.unattributed), (4, 0));
        assert_eq!(times(&profile).0, 30 + 2 * 20 + 3);
    });
}

#[test]
fn tasks_of_a_scope_begin_where_they_are_spawned() {
    let pool = ThreadPoolBuilder::new().num_threads(2).build();
    let pool = pool.expect("a pool");
    pool.install(|| {
        let ((), profile) = profiled(|| {
            scope(|s| {
                work(5);
                s.spawn(|s| {
                    work(30);
                    s.spawn(|_| {
                        join(|| work(50), || work(40));
                    });
                });
                work(7);
            });
            work(1);
        });
        assert_eq!(times(&profile), (133, 86, 116));
        let Profile {
            tasks,
            unattributed,
            joins,
            ..
        } = profile;
        assert_eq!((tasks, unattributed, joins), (2, 0, 1));
    });
}

#[test]
fn promises_are_met_where_they_are_joined() {
    let pool = ThreadPoolBuilder::new().num_threads(2).build();
    let pool = pool.expect("a pool");
    pool.install(|| {
        let (sum, profile) = profiled(|| {
            work(5);
            let promise = spawn(|| {
                join(|| work(50), || work(40));
                7
            });
            work(20);
            let value = promise.join();
            work(1);
            value
        });
        assert_eq!(sum, 7);
        assert_eq!(times(&profile), (116, 56, 76));
    });
}

#[test]
fn what_is_still_running_is_not_attributed() {
    let pool = ThreadPoolBuilder::new().num_threads(2).build();
    let pool = pool.expect("a pool");
    pool.install(|| {
        let (resolver, held) = promise::<()>();
        let (running, profile) = profiled(|| {
            work(3);
            spawn(move || held.join())
        });
        assert_eq!((profile.tasks, profile.unattributed), (1, 1));
        assert_eq!(times(&profile), (3, 3, 3));
        resolver.resolve(());
        running.join();
    });
}

#[test]
fn profiles_nest() {
    let (inner, outer) = profiled(|| {
        work(5);
        let ((), inner) = join(|| profiled_inside(|| tree(2)), || work(1)).0;
        work(6);
        inner
    });
    let (total, span) = (4 * 103 + 3 * 5, 113);
    assert_eq!(times(&inner), (total, span, span + 20));
    assert_eq!(times(&outer), (total + 12, span + 11, span + 41));
    assert_eq!(outer.joins, 4);
}

pub(super) fn profiled_inside(f: impl FnOnce()) -> ((), Profile) {
    Profiler::new().burden(Duration::from_nanos(10)).run(f)
}

#[test]
fn panics_leave_the_profiler_off() {
    FAKE.set(true);
    let panics = || panic::resume_unwind(Box::new("on purpose"));
    for in_loop in [false, true] {
        let caught = panic::catch_unwind(|| {
            profile(|| {
                if in_loop {
                    splitting(&|| None::<()>, &|(), _| (), |_| panics());
                } else {
                    join(|| (), || join(panics, || ()));
                }
            })
        });
        assert!(caught.is_err());
        assert!(!is_active());
    }
    // One that is caught inside spoils nothing.
    let ((), profile) = profiled(|| {
        for half in 0..2 {
            let caught = panic::catch_unwind(AssertUnwindSafe(|| {
                let other = || work(100);
                let bad = || {
                    work(10);
                    panics()
                };
                match half {
                    0 => join(bad, other),
                    _ => join(other, bad),
                }
            }));
            assert!(caught.is_err());
        }
        work(1);
    });
    // A second half is run also after a panic in the first one.
    assert_eq!(times(&profile), (221, 201, 221));
    assert_eq!(profile.joins, 2);
}

#[test]
fn other_threads_go_on_as_always() {
    let ((), profile) = profiled(|| {
        std::thread::scope(|threads| {
            threads.spawn(|| {
                assert!(!is_active());
                join(|| work(5), || work(6));
            });
        });
    });
    assert_eq!((times(&profile), profile.joins), ((0, 0, 0), 0));
}

#[test]
fn a_thread_that_profiles_gives_nothing_away() {
    let pool = ThreadPoolBuilder::new().num_threads(3).build();
    let pool = pool.expect("a pool");
    pool.install(|| {
        let me = std::thread::current().id();
        let ((), profile) = profiled(|| {
            for _ in 0..100 {
                let here = || assert_eq!(std::thread::current().id(), me);
                std::thread::sleep(Duration::from_micros(50));
                join(here, here);
            }
        });
        assert_eq!(profile.joins, 100);
    });
}

#[test]
fn bounds_are_those_that_cilkview_prints() {
    // A published report about its quicksort, one instruction taken for a nanosecond.
    let profile = Profile {
        work: Duration::from_nanos(17_518_013_236),
        span: Duration::from_nanos(1_617_957_937),
        burdened_span: Duration::from_nanos(1_618_359_785),
        ..Profile::default()
    };
    let printed = [
        (1, "1.00 to 1.00"),
        (2, "1.73 to 2.00"),
        (4, "2.72 to 4.00"),
        (8, "3.81 to 8.00"),
        (16, "4.77 to 10.83"),
        (32, "5.45 to 10.83"),
    ];
    for (workers, bounds) in printed {
        assert_eq!(profile.speed_up(workers).to_string(), bounds);
    }
}

#[test]
fn a_program_of_nothing() {
    let ((), profile) = profiled(|| ());
    assert_eq!(times(&profile), (0, 0, 0));
    assert_eq!(profile.parallelism(), 1.0);
    assert_eq!(profile.speed_up(0).upper, 1.0);
}

#[test]
fn both_halves_of_a_plain_join_run_here_too() {
    let ran = AtomicU32::new(0);
    let half = |number: u32| {
        ran.fetch_add(1, Relaxed);
        panic::resume_unwind(Box::new(number))
    };
    let join = || -> ((), ()) { join(|| half(1), || half(2)) };
    let (caught, _) = profiled(|| panic::catch_unwind(AssertUnwindSafe(join)));
    let payload = caught.expect_err("a panic");
    assert_eq!(payload.downcast_ref(), Some(&1_u32));
    assert_eq!(ran.into_inner(), 2);
}

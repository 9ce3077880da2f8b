//! Joins inside everything: the other style, other pools, foreign threads, destructors, very
//! deep recursions; and pools that come and go.

use std::{
    fs,
    sync::atomic::{AtomicU64, AtomicUsize, Ordering::SeqCst},
    thread,
};

use sumac::{Scope, ThreadPool, ThreadPoolBuilder};
use sumac_test_support::{
    Cx, LONG, Style, caught, child, child_argument, enter, pool, run_well, sum, text, throw,
    wait_until, within,
};

/// Changes the style at every level.
fn alternate(scope: &mut Scope<'_>, lo: u64, hi: u64) -> u64 {
    if hi - lo <= 1 {
        return lo;
    }
    let mid = lo + (hi - lo) / 2;
    let (a, b) = match hi % 3 {
        0 => scope.join(|s| alternate(s, lo, mid), |s| alternate(s, mid, hi)),
        1 => scope.join(
            |_| sumac::join(|| sum(&mut Cx::Join, lo, mid), || 0).0,
            |s| alternate(s, mid, hi),
        ),
        _ => sumac::join(
            || alternate(&mut Scope::global(), lo, mid),
            || sum(&mut Cx::Join, mid, hi),
        ),
    };
    a + b
}

#[test]
fn both_styles_nest_in_each_other() {
    within(LONG, "both styles", || {
        let three = pool(3);
        for n in [1, 2, 100, 3_000] {
            let expected = n * (n - 1) / 2;
            assert_eq!(alternate(&mut three.scope(), 0, n), expected);
            assert_eq!(
                three.install(|| alternate(&mut three.scope(), 0, n)),
                expected
            );
            assert_eq!(alternate(&mut Scope::global(), 0, n), expected);
        }
    });
}

#[test]
fn two_scopes_of_one_thread_take_turns() {
    within(LONG, "two scopes", || {
        let (a, b) = (pool(2), pool(3));
        let (mut one, mut two, mut three) = (a.scope(), b.scope(), a.scope());
        for n in 1..300 {
            let expected = n * (n - 1) / 2;
            assert_eq!(sum(&mut Cx::Scope(&mut one), 0, n), expected);
            assert_eq!(sum(&mut Cx::Scope(&mut two), 0, n), expected);
            assert_eq!(sum(&mut Cx::Join, 0, n), expected);
            assert_eq!(sum(&mut Cx::Scope(&mut three), 0, n), expected);
        }
        drop(one);
        assert_eq!(sum(&mut Cx::Scope(&mut three), 0, 100), 4_950);
        drop(two);
        assert_eq!(sum(&mut Cx::Join, 0, 100), 4_950);
    });
}

fn through(pools: &[ThreadPool], depth: usize) -> u64 {
    if depth == 0 {
        return 1;
    }
    let next = &pools[depth % pools.len()];
    let (a, b) = if depth % 2 == 0 {
        next.install(|| sumac::join(|| through(pools, depth - 1), || through(pools, depth - 1)))
    } else {
        next.scope()
            .join(|_| through(pools, depth - 1), |_| through(pools, depth - 1))
    };
    a + b
}

#[test]
fn pools_nest_in_each_other() {
    within(LONG, "pools in pools", || {
        let pools = [pool(2), pool(3), pool(1)];
        assert_eq!(through(&pools, 12), 1 << 12);
        thread::scope(|threads| {
            for _ in 0..4 {
                threads.spawn(|| assert_eq!(through(&pools, 9), 1 << 9));
            }
        });
    });
}

#[test]
fn join_belongs_to_the_pool_that_was_entered_last() {
    within(LONG, "current pool", || {
        let (two, five) = (pool(2), pool(5));
        let seen = two.install(|| {
            let before = sumac::current_num_threads();
            let inside = five.install(sumac::current_num_threads);
            caught(|| five.install(|| throw("out of the inner pool")));
            [before, inside, sumac::current_num_threads()]
        });
        assert_eq!(seen, [2, 5, 2]);
    });
}

#[test]
fn install_runs_in_place() {
    let two = pool(2);
    let here = thread::current().id();
    for _ in 0..100 {
        assert_eq!(two.install(|| thread::current().id()), here);
        let (a, _) = two.install(|| sumac::join(|| thread::current().id(), || ()));
        assert_eq!(a, here, "the first half runs on its caller");
    }
    assert_eq!(
        text(&*caught(|| two.install(|| throw("through install")))),
        "through install"
    );
}

#[test]
fn many_foreign_threads_join_at_once() {
    within(LONG, "128 threads", || {
        let (four, answers) = (pool(4), AtomicUsize::new(0));
        thread::scope(|threads| {
            for i in 0..128 {
                let (four, answers) = (&four, &answers);
                threads.spawn(move || {
                    for round in 0..20 {
                        let n = 10 + i + round;
                        let style = Style::ALL[(n % 2) as usize];
                        assert_eq!(enter(style, four, |cx| sum(cx, 0, n)), n * (n - 1) / 2);
                        assert_eq!(sum(&mut Cx::Join, 0, n), n * (n - 1) / 2);
                        answers.fetch_add(1, SeqCst);
                    }
                });
            }
        });
        assert_eq!(answers.into_inner(), 128 * 20);
    });
}

struct JoinsOnDrop<'a>(&'a AtomicU64);

impl Drop for JoinsOnDrop<'_> {
    fn drop(&mut self) {
        let (a, b) = (
            sum(&mut Cx::Join, 0, 200),
            Scope::global().join(|_| 1, |_| 2),
        );
        self.0.fetch_add(a + b.0 + b.1, SeqCst);
    }
}

const SAID: u64 = 19_900 + 3;

#[test]
fn destructors_may_join() {
    within(LONG, "destructors", || {
        let two = pool(2);
        for round in 0..200 {
            let total = AtomicU64::new(0);
            let (a, b) = (JoinsOnDrop(&total), JoinsOnDrop(&total));
            enter(Style::ALL[round % 2], &two, |cx| {
                cx.join(|_| drop(a), |_| b);
            });
            assert_eq!(total.into_inner(), 2 * SAID);
        }
    });
}

#[test]
fn destructors_may_join_while_a_panic_passes() {
    within(LONG, "destructors in a panic", || {
        let two = pool(2);
        for round in 0..200 {
            let total = AtomicU64::new(0);
            let (a, b) = (JoinsOnDrop(&total), JoinsOnDrop(&total));
            let payload = caught(|| {
                enter(Style::ALL[round % 2], &two, |cx| {
                    cx.join(
                        |_| {
                            let _a = a;
                            throw("passing");
                        },
                        |_| drop(b),
                    )
                })
            });
            assert_eq!(text(&*payload), "passing");
            assert_eq!(total.into_inner(), 2 * SAID, "round {round}");
        }
    });
}

/// 32 bits have no room for stacks that deep.
const DEPTH: u64 = if cfg!(target_pointer_width = "32") {
    10_000
} else {
    100_000
};

fn list(cx: &mut Cx<'_, '_>, left: u64, rest_first: bool) -> u64 {
    if left == 0 {
        return 0;
    }
    let (a, b) = if rest_first {
        cx.join(|cx| list(cx, left - 1, rest_first), |_| left)
    } else {
        cx.join(|_| left, |cx| list(cx, left - 1, rest_first))
    };
    a + b
}

#[test]
fn lists_of_a_hundred_thousand_joins() {
    // Address space only; a frame of a debug build takes some kilobytes.
    const STACK: usize = (DEPTH as usize) * (20 << 10);
    let work = || {
        let two = ThreadPoolBuilder::new()
            .num_threads(2)
            .stack_size(STACK)
            .build()
            .expect("a pool with big stacks");
        for style in Style::ALL {
            for rest_first in [true, false] {
                let total = enter(style, &two, |cx| list(cx, DEPTH, rest_first));
                assert_eq!(total, DEPTH * (DEPTH + 1) / 2, "{style:?}, {rest_first}");
            }
        }
    };
    within(2 * LONG, "deep lists", move || {
        thread::Builder::new()
            .stack_size(STACK)
            .spawn(work)
            .expect("a thread with a big stack")
            .join()
            .expect("sums that are right");
    });
}

fn threads_of_this_process() -> usize {
    fs::read_dir("/proc/self/task")
        .expect("the list of threads")
        .count()
}

#[test]
fn pools_leave_no_threads_behind() {
    const NAME: &str = "nesting::pools_leave_no_threads_behind";
    if child_argument(NAME).is_none() {
        run_well(child(NAME, ""), 2 * LONG);
        return;
    }
    let start = threads_of_this_process();
    for round in 0..300 {
        let four = pool(4);
        if round % 3 > 0 {
            assert_eq!(
                enter(Style::ALL[round % 2], &four, |cx| sum(cx, 0, 100)),
                4_950
            );
        }
        if round % 3 == 2 {
            caught(|| {
                enter(Style::ALL[round % 2], &four, |cx| {
                    cx.join(|_| throw(0), |_| 1)
                })
            });
        }
    }
    // A thread that was joined may still be listed for a moment.
    let settled = wait_until(LONG, || threads_of_this_process() == start);
    assert!(
        settled,
        "{} threads before, {} after",
        start,
        threads_of_this_process()
    );
}

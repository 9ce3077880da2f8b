//! Joins of three to eight, in both styles: results in order, left before right when no thread
//! helps, all at once when one does, and a panic in each position.

use std::{
    sync::{
        Mutex,
        atomic::{AtomicU64, AtomicUsize, Ordering::SeqCst},
    },
    thread,
    time::Duration,
};

use sumac::ThreadPool;
use sumac_test_support::{LONG, Ledger, assert_usable, caught, pool, throw, wait_until, within};

/// Calls `half` with 0, 1, … in one flat join, and returns what the halves returned.
macro_rules! flat_joins {
    ($($name:ident: $($i:literal)*;)*) => {
        const ARITIES: [usize; 6] = [$([$($i),*].len()),*];

        fn plain<R: Send>(pool: &ThreadPool, arity: usize, half: &(impl Fn(usize) -> R + Sync)) -> Vec<R> {
            $(if arity == [$($i),*].len() {
                return pool.install(|| Vec::from(<[R; [$($i),*].len()]>::from(sumac::$name($(|| half($i)),*))));
            })*
            unreachable!("an arity from the list")
        }

        fn scoped<R: Send>(pool: &ThreadPool, arity: usize, half: &(impl Fn(usize) -> R + Sync)) -> Vec<R> {
            $(if arity == [$($i),*].len() {
                return Vec::from(<[R; [$($i),*].len()]>::from(pool.scope().$name($(|s| {
                    assert_eq!(s.join(|_| 1, |_| 2), (1, 2), "the scope inside");
                    half($i)
                }),*)));
            })*
            unreachable!("an arity from the list")
        }
    };
}

flat_joins! {
    join3: 0 1 2;
    join4: 0 1 2 3;
    join5: 0 1 2 3 4;
    join6: 0 1 2 3 4 5;
    join7: 0 1 2 3 4 5 6;
    join8: 0 1 2 3 4 5 6 7;
}

/// Runs `test` in both styles: its argument joins a number of halves.
macro_rules! in_both_styles {
    ($threads:expr, $halves:expr, |$arity:ident, $style:ident, $result:ident| $check:expr) => {
        let pool = pool($threads);
        for $arity in ARITIES {
            for $style in 0..2 {
                let halves = $halves;
                let $result = || match $style {
                    0 => plain(&pool, $arity, &halves),
                    _ => scoped(&pool, $arity, &halves),
                };
                $check;
            }
        }
        assert_usable(&pool);
    };
}

#[test]
fn results_come_in_order() {
    within(LONG, "n-ary results", || {
        for threads in [1, 2, 4] {
            in_both_styles!(threads, |i| vec![i; 3], |arity, _style, join| {
                let expected: Vec<_> = (0..arity).map(|i| vec![i; 3]).collect();
                assert_eq!(join(), expected);
            });
        }
    });
}

#[test]
fn halves_run_from_left_to_right_when_nobody_helps() {
    within(LONG, "n-ary order", || {
        let order = Mutex::new(Vec::new());
        let note = |i| order.lock().expect("no poison").push(i);
        in_both_styles!(1, note, |arity, _style, join| {
            join();
            let order = std::mem::take(&mut *order.lock().expect("no poison"));
            assert_eq!(order, (0..arity).collect::<Vec<_>>());
        });
    });
}

#[test]
fn first_half_runs_on_its_caller() {
    within(LONG, "n-ary caller", || {
        in_both_styles!(4, |_| thread::current().id(), |arity, _style, join| {
            assert_eq!(join()[0], thread::current().id(), "of {arity}");
        });
    });
}

#[test]
fn all_halves_may_run_at_once() {
    within(LONG, "n-ary parallelism", || {
        let (arrived, goal) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let patience = AtomicU64::new(0);
        let meet = |_| {
            arrived.fetch_add(1, SeqCst);
            let patience = Duration::from_millis(patience.load(SeqCst));
            wait_until(patience, || arrived.load(SeqCst) >= goal.load(SeqCst))
        };
        in_both_styles!(8, meet, |arity, _style, join| {
            goal.store(arity, SeqCst);
            // They may, not must: who was still busy when the others forked is offered nothing. So
            // they wait longer and longer.
            let met = (6..14).any(|power| {
                arrived.store(0, SeqCst);
                patience.store(1 << power, SeqCst);
                join() == vec![true; arity]
            });
            assert!(met, "{arity} halves never met");
        });
    });
}

#[test]
fn panic_in_each_position_lets_plain_joins_run_the_rest() {
    within(LONG, "n-ary panic, one thread", || {
        for position in 0..8 {
            let (ledger, runs) = (Ledger::new(), AtomicUsize::new(0));
            let half = |i| {
                runs.fetch_add(1, SeqCst);
                let token = ledger.token();
                if i >= position {
                    throw(i);
                }
                token
            };
            in_both_styles!(1, half, |arity, style, join| {
                if position < arity {
                    runs.store(0, SeqCst);
                    assert_eq!(caught(join).downcast_ref(), Some(&position), "of {arity}");
                    let run = [arity, position + 1][style];
                    assert_eq!(runs.load(SeqCst), run, "halves run, of {arity}");
                    ledger.assert_balanced();
                }
            });
        }
    });
}

#[test]
fn panic_in_each_position_comes_out_with_helpers() {
    within(LONG, "n-ary panic, four threads", || {
        for position in 0..8 {
            let ledger = Ledger::new();
            let half = |i| {
                let token = ledger.token();
                thread::sleep(Duration::from_micros(50));
                if i == position {
                    throw(i);
                }
                token
            };
            in_both_styles!(4, half, |arity, _style, join| {
                for _ in 0..5 {
                    if position < arity {
                        assert_eq!(caught(join).downcast_ref(), Some(&position), "of {arity}");
                    } else {
                        assert_eq!(join().len(), arity);
                    }
                }
                ledger.assert_balanced();
            });
        }
    });
}

#[test]
fn leftmost_of_several_panics_wins() {
    within(LONG, "n-ary panics", || {
        let half = |i: usize| {
            thread::sleep(Duration::from_micros(200 - 20 * i as u64));
            if i > 0 {
                throw(i)
            }
        };
        in_both_styles!(4, half, |arity, _style, join| {
            for _ in 0..10 {
                assert_eq!(caught(join).downcast_ref(), Some(&1_usize), "of {arity}");
            }
        });
    });
}

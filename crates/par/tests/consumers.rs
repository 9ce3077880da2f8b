//! Consumers give what std's iterators give.

use proptest::prelude::*;
use std::{
    cmp::Ordering,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed},
    time::{Duration, Instant},
};
use sumac_core::ThreadPool;
use sumac_par::prelude::*;
use sumac_test_support::{LENS, on_five, on_pools, pool, with_steals, work};

fn items(len: usize) -> Vec<u64> {
    (0..len as u64).map(|i| i * 7919 % 1009).collect()
}

#[test]
fn totals() {
    on_pools(|| {
        for len in LENS {
            let v = items(len);
            assert_eq!(v.par_iter().sum::<u64>(), v.iter().sum());
            assert_eq!(v.par_iter().count(), len);
            let third = |x: &&u64| **x % 3 == 0;
            assert_eq!(
                v.par_iter().filter(third).count(),
                v.iter().filter(third).count()
            );
            // Powers of two, whose product is the same in any order.
            let small = |x: &u64| if x % 1000 == 1 { 2.0 } else { 1.0 };
            let powers = (
                v.par_iter().map(small).product::<f64>(),
                v.iter().map(small).product(),
            );
            assert_eq!(powers.0, powers.1);
            assert_eq!(v.par_iter().min(), v.iter().min());
            assert_eq!(v.par_iter().max(), v.iter().max());
        }
    });
}

#[test]
fn reductions_keep_the_order() {
    let text = |i: usize| i.to_string();
    on_pools(|| {
        for len in LENS {
            let expected: String = (0..len).map(text).collect();
            let concat = |a: String, b: String| a + &b;
            assert_eq!(
                (0..len)
                    .into_par_iter()
                    .map(text)
                    .reduce(String::new, concat),
                expected
            );
            let with = (0..len).into_par_iter().map(text).reduce_with(concat);
            assert_eq!(with.is_some(), len > 0);
            assert_eq!(with.unwrap_or_default(), expected);
        }
    });
    with_steals(|| {
        let slow = (0..300).into_par_iter().map(|i| {
            work();
            text(i)
        });
        let expected: String = (0..300).map(text).collect();
        assert_eq!(slow.reduce(String::new, |a, b| a + &b), expected);
    });
}

#[test]
fn the_first_of_equals_is_the_least_and_the_last_the_greatest() {
    with_steals(|| {
        let slow = || (0..300_usize).into_par_iter().map(|i| (work(), i).1);
        assert_eq!(slow().min_by_key(|i| i % 3), Some(0));
        assert_eq!(slow().max_by_key(|i| i % 3), Some(299));
        assert_eq!(slow().min_by(|a, b| (a % 3).cmp(&(b % 3))), Some(0));
        assert_eq!(slow().max_by(|a, b| (a % 3).cmp(&(b % 3))), Some(299));
    });
}

#[test]
fn searches_find_the_right_item() {
    on_pools(|| {
        for len in LENS {
            let v = items(len);
            let odd = |x: &u64| x % 5 == 2;
            let is = |x: &&u64| odd(x);
            let (first, last) = (v.iter().find(is), v.iter().rev().find(is));
            assert_eq!(v.par_iter().find_first(is), first);
            assert_eq!(v.par_iter().find_last(is), last);
            assert_eq!(v.par_iter().find_any(is).is_some(), first.is_some());
            assert!(v.par_iter().find_any(is).is_none_or(odd));
            assert_eq!(v.par_iter().any(odd), first.is_some());
            assert_eq!(v.par_iter().all(odd), v.iter().all(odd));
            assert_eq!(v.par_iter().position_first(odd), v.iter().position(odd));
            assert_eq!(v.par_iter().position_last(odd), v.iter().rposition(odd));
            assert!(v.par_iter().position_any(odd).is_none_or(|i| odd(&v[i])));
            let parsed = |x: &u64| (x % 5 == 2).then_some(x / 5);
            assert_eq!(
                v.par_iter().find_map_first(parsed),
                v.iter().find_map(parsed)
            );
            assert_eq!(
                v.par_iter().find_map_last(parsed),
                v.iter().rev().find_map(parsed)
            );
            assert_eq!(v.par_iter().find_map_any(parsed).is_some(), first.is_some());
        }
    });
}

#[test]
fn searches_find_the_right_item_also_when_split() {
    with_steals(|| {
        let slow = || (0..300_usize).into_par_iter().map(|i| (work(), i).1);
        for target in [0, 1, 150, 298, 299] {
            assert_eq!(slow().find_first(|&i| i >= target), Some(target));
            assert_eq!(slow().find_last(|&i| i <= target), Some(target));
            assert_eq!(slow().position_first(|i| i >= target), Some(target));
            assert_eq!(slow().position_last(|i| i <= target), Some(target));
            assert_eq!(slow().position_any(|i| i == target), Some(target));
            let odd = slow().filter(|i| i % 2 == 1);
            assert_eq!(
                odd.find_first(|&i| i >= target),
                (target..300).find(|i| i % 2 == 1)
            );
        }
    });
}

/// A search that succeeds at once must not visit all.
#[test]
fn searches_stop_early() {
    // Some seconds' work, even if the thread that finds it has lost its processor.
    const LEN: usize = 50_000_000;
    on_pools(|| {
        let calls = AtomicUsize::new(0);
        let count = |i: usize| {
            calls.fetch_add(1, Relaxed);
            i
        };
        let counted = || (0..LEN).into_par_iter().map(count);
        assert!(counted().any(|i| i == 10));
        assert!(!counted().all(|i| i != 10));
        assert_eq!(counted().find_any(|&i| i == 10), Some(10));
        assert!(
            counted()
                .try_for_each(|i| if i == 10 { Err(i) } else { Ok(()) })
                .is_err()
        );
        assert!(
            counted()
                .map(|i| (i != 10).then_some(i))
                .collect::<Option<Vec<_>>>()
                .is_none()
        );
        assert!(
            counted()
                .map(|i| (i != 10).then_some(i))
                .try_reduce(|| 0, |a, b| Some(a ^ b))
                .is_none()
        );
        assert_eq!(counted().find_first(|&i| i >= 10), Some(10));
        let calls = calls.load(Relaxed);
        assert!(calls < LEN, "{calls} calls");
    });
}

/// Also within a single block: here the one item expands to an endless iterator.
#[test]
fn searches_stop_within_a_block() {
    let bridged = || (0_u64..).par_bridge();
    assert_eq!(bridged().find_any(|&i| i == 1000), Some(1000));
    assert_eq!(bridged().find_first(|&i| i == 1000), Some(1000));
    assert!(
        bridged()
            .try_for_each(|i| (i < 1000).then_some(()))
            .is_none()
    );
    assert!(
        bridged()
            .map(|i| i.checked_sub(1))
            .collect::<Option<Vec<_>>>()
            .is_none()
    );
    assert_eq!(
        (0..u128::MAX).into_par_iter().find_first(|&i| i == 999),
        Some(999)
    );
}

#[test]
fn find_last_skips_what_is_on_the_left() {
    let fewest = AtomicUsize::new(usize::MAX);
    let until_some_were_skipped = |_: &ThreadPool| fewest.load(Relaxed) < 2000;
    on_five(until_some_were_skipped, || {
        let calls = AtomicUsize::new(0);
        let found = (0..2000_usize).into_par_iter().find_last(|_| {
            calls.fetch_add(1, Relaxed);
            work();
            true
        });
        assert_eq!(found, Some(1999));
        fewest.fetch_min(calls.into_inner(), Relaxed);
    });
}

#[test]
fn fallible_loops_report_a_failure() {
    on_pools(|| {
        for len in LENS {
            let v = items(len);
            let bad = |x: &u64| x % 101 == 7;
            let check = |x: &u64| if bad(x) { Err(*x) } else { Ok(()) };
            match v.par_iter().try_for_each(check) {
                Ok(()) => assert!(!v.iter().any(bad)),
                Err(x) => assert!(bad(&x)),
            }
            let sum = |a: u64, b: u64| a.checked_add(b).ok_or(0);
            match v
                .par_iter()
                .map(|x| check(x).map(|()| *x))
                .try_reduce(|| 0, sum)
            {
                Ok(total) => assert_eq!(total, v.iter().sum()),
                Err(x) => assert!(bad(&x)),
            }
            let none = v
                .par_iter()
                .map(|&x| Some(x))
                .try_reduce_with(u64::checked_add);
            assert_eq!(none, v.iter().copied().reduce(|a, b| a + b).map(Some));
        }
    });
    use std::ops::ControlFlow;
    let flow = (0..100).into_par_iter().try_for_each(|x| {
        if x == 50 {
            ControlFlow::Break(x)
        } else {
            ControlFlow::Continue(())
        }
    });
    assert_eq!(flow, ControlFlow::Break(50));
}

#[test]
fn states_are_made_once_per_run() {
    let five = pool(5);
    let (mut rounds, deadline) = (0..20, Instant::now() + Duration::from_secs(60));
    while rounds.next().is_some() || five.stats().steals == 0 {
        assert!(Instant::now() < deadline, "no thread has ever helped");
        let before = five.stats().steals;
        let (runs, items) = (AtomicU64::new(0), AtomicUsize::new(0));
        let init = || runs.fetch_add(1, Relaxed);
        five.install(|| {
            (0..300).into_par_iter().for_each_init(init, |_, _| {
                work();
                items.fetch_add(1, Relaxed);
            });
        });
        assert_eq!(items.load(Relaxed), 300);
        // A thread that takes a part begins a run, and one that goes on behind it with a part that
        // no thread took.
        let most = 1 + 2 * (five.stats().steals - before);
        let runs = runs.into_inner();
        assert!((1..=most).contains(&runs), "{runs} runs, not {most}");
    }
    pool(1).install(|| {
        let runs = AtomicUsize::new(0);
        (0..300)
            .into_par_iter()
            .for_each_init(|| runs.fetch_add(1, Relaxed), |_, _| work());
        assert_eq!(runs.into_inner(), 1);
    });
}

#[test]
fn clones_of_a_state_need_not_be_sync() {
    on_pools(|| {
        let (sender, receiver) = std::sync::mpsc::channel();
        (0..100)
            .into_par_iter()
            .for_each_with(sender.clone(), |s, i| s.send(i).unwrap());
        (0..100)
            .into_par_iter()
            .try_for_each_with(sender, |s, i| s.send(i))
            .unwrap();
        let mut got: Vec<i32> = receiver.iter().collect();
        got.sort_unstable();
        assert_eq!(got, (0..100).flat_map(|i| [i, i]).collect::<Vec<_>>());
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn comparisons(a in prop::collection::vec(0..3_u8, 0..60), b in prop::collection::vec(0..3_u8, 0..60), copy in 0..2, n in 0..60_usize) {
        let b = if copy == 1 { a[..n.min(a.len())].to_vec() } else { b };
        on_pools(|| {
            assert_eq!(a.par_iter().cmp(&b), a.iter().cmp(&b));
            assert_eq!(a.par_iter().partial_cmp(&b), a.iter().partial_cmp(&b));
            assert_eq!(a.par_iter().eq(&b), a == b);
            assert_eq!(a.par_iter().ne(&b), a != b);
            assert_eq!(a.par_iter().lt(&b), a < b);
            assert_eq!(a.par_iter().le(&b), a <= b);
            assert_eq!(a.par_iter().gt(&b), a > b);
            assert_eq!(a.par_iter().ge(&b), a >= b);
        });
    }
}

#[test]
fn what_cannot_be_compared() {
    let nan = [1.0, f64::NAN];
    assert_eq!(nan.par_iter().partial_cmp(&nan), None);
    assert_eq!(
        nan.par_iter().partial_cmp(&[2.0, f64::NAN]),
        Some(Ordering::Less)
    );
    assert!(!nan.par_iter().le(&nan) && !nan.par_iter().ge(&nan) && nan.par_iter().ne(&nan));
}

/// The other threads do not run to the end what they have, either in a loop over something indexed
/// or in one over something bridged.
#[test]
fn a_panic_stops_all_threads() {
    // Many seconds' work: the thread that panics may lose its processor before the others can know.
    const LEN: usize = 4_000_000;
    with_steals(|| {
        for bridged in [false, true] {
            let (others, late) = (AtomicUsize::new(0), AtomicUsize::new(0));
            let panicking = AtomicBool::new(false);
            let item = |i: usize| {
                if i > 0 {
                    others.fetch_add(1, Relaxed);
                    late.fetch_add(usize::from(panicking.load(Relaxed)), Relaxed);
                    return work();
                }
                let until = Instant::now() + Duration::from_millis(100);
                while others.load(Relaxed) == 0 && Instant::now() < until {
                    (0..4).into_par_iter().for_each(|_| work());
                }
                panicking.store(true, Relaxed);
                // Without the time that a message with its backtrace takes.
                resume_unwind(Box::new("as planned"));
            };
            let result = catch_unwind(AssertUnwindSafe(|| {
                if bridged {
                    (0..LEN).par_bridge().for_each(item);
                } else {
                    (0..LEN).into_par_iter().for_each(item);
                }
            }));
            assert!(result.is_err());
            let late = late.into_inner();
            assert!(late < LEN / 4, "{late} items after the panic");
        }
    });
}

//! Where searches look: at the end for the last, and soon far ahead if any will do. Each of these
//! would go on for hours otherwise.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering::Relaxed},
};
use sumac_par::{functions, prelude::*};
use sumac_test_support::{LONG, pool, within};

/// What `search` finds on pools of one and of two threads.
fn soon<R: Send + PartialEq + std::fmt::Debug + 'static>(expected: R, search: fn() -> R) {
    for threads in [1, 2] {
        let what = format!("{threads} threads");
        let found = within(LONG / 2, &what, move || pool(threads).install(search));
        assert_eq!(found, expected, "{what}");
    }
}

#[test]
fn last_of_more_than_can_be_counted() {
    soon(Some((1 << 66) - 1), || {
        (0..1_u128 << 66).into_par_iter().find_last(|_| true)
    });
    soon(Some(u128::MAX - 7), || {
        (0..=u128::MAX)
            .into_par_iter()
            .find_last(|x| *x < u128::MAX - 6)
    });
    soon(Some(i128::MAX), || {
        (i128::MIN..=i128::MAX).into_par_iter().find_last(|_| true)
    });
    soon(Some(u64::MAX), || {
        (0..=u64::MAX).into_par_iter().find_last(|_| true)
    });
    soon(Some((1 << 66) - 3), || {
        let numbers = (0..1_u128 << 66).into_par_iter();
        numbers
            .map(|x| x + 1)
            .filter(|x| x % 2 == 0)
            .find_map_last(|x| (x % 4 == 0).then_some(x - 3))
    });
}

#[test]
fn any_of_more_than_can_be_counted() {
    soon(true, || {
        (0..1_u128 << 80)
            .into_par_iter()
            .find_any(|x| *x > 1 << 79)
            .is_some()
    });
    soon(true, || {
        let middle = (1 << 78)..(1 << 79);
        (0..=u128::MAX >> 48)
            .into_par_iter()
            .any(|x| middle.contains(&x))
    });
    soon(false, || {
        (0..=u128::MAX).into_par_iter().all(|x| x < 1 << 100)
    });
    soon(Some(5), || {
        (0..=u128::MAX).into_par_iter().find_first(|x| *x > 4)
    });
}

/// So many that the sum of two of them can still be counted.
const MANY: usize = 1 << (usize::BITS - 4);

#[test]
fn the_end_comes_first_for_the_last() {
    soon(Some(MANY - 1), || {
        (0..MANY).into_par_iter().find_last(|_| true)
    });
    soon(Some(MANY - 1), || {
        (0..MANY).into_par_iter().position_last(|_| true)
    });
    soon(Some(9), || {
        let items = (0..MANY).into_par_iter().map(|x| x % 10).enumerate();
        items.find_last(|&(_, x)| x == 9).map(|(_, x)| x)
    });
    soon(Some(2 * MANY - 2), || {
        let both = (0..MANY).into_par_iter().chain(0..MANY);
        both.position_last(|x| x == MANY - 2)
    });
    soon(Some(MANY - 3), || {
        let chain = (0..MANY).into_par_iter().filter(|_| true).chain(0..MANY);
        chain.find_last(|x| *x < MANY - 2)
    });
}

#[test]
fn far_ahead_if_any_will_do() {
    soon(true, || {
        (0..MANY)
            .into_par_iter()
            .find_any(|&x| x > MANY / 2)
            .is_some()
    });
    soon(true, || {
        (0..MANY)
            .into_par_iter()
            .position_any(|x| x / (MANY / 32) == 21)
            .is_some()
    });
    soon(true, || {
        functions::find_any(0..MANY, |x| (x > MANY / 2).then_some(x)).is_some()
    });
    soon(true, || {
        (0..MANY)
            .into_par_iter()
            .rev()
            .map(|x| x + 1)
            .any(|x| x < MANY / 4)
    });
}

/// Whatever the order, each item is looked at once, and the position is right.
#[test]
fn nothing_is_left_out() {
    let calls = Arc::new(AtomicU64::new(0));
    for threads in [1, 2, 4] {
        let pool = pool(threads);
        let len = if cfg!(miri) { 300 } else { 500_000 };
        let seen = |n: u64| {
            calls.fetch_add(n + 1, Relaxed);
            false
        };
        let sum = |found: bool| {
            assert!(!found);
            assert_eq!(calls.swap(0, Relaxed), (1..=len).sum::<u64>());
        };
        pool.install(|| {
            sum((0..len).into_par_iter().any(seen));
            sum((0..len).into_par_iter().find_last(|&n| seen(n)).is_some());
            let v: Vec<u64> = (0..len).collect();
            sum(v.par_iter().position_any(|&n| seen(n)).is_some());
            sum(v.par_iter().position_last(|&n| seen(n)).is_some());
            for at in [0, 1, len / 3, len - 1] {
                let n = usize::try_from(at).unwrap();
                assert_eq!(v.par_iter().position_any(|&x| x == at), Some(n));
                assert_eq!(v.par_iter().position_last(|&x| x <= at), Some(n));
                assert_eq!(v.par_iter().position_first(|&x| x >= at), Some(n));
            }
        });
    }
}

/// Also where there is nowhere to cut: a long word is as many positions as it has bytes.
#[test]
fn last_of_what_is_hard_to_cut() {
    let long = "x".repeat(if cfg!(miri) { 50 } else { 50_000 });
    let text = format!("a b {long} {long}");
    for threads in [1, 2] {
        pool(threads).install(|| {
            let words = || text.par_split_whitespace();
            assert_eq!(words().find_last(|_| true), Some(&*long));
            assert_eq!(words().find_last(|word| word.len() == 1), Some("b"));
            assert_eq!(words().find_last(|word| word.is_empty()), None);
            let lines = text.par_lines().find_last(|line| line.len() > 7);
            assert_eq!(lines, Some(&*text));
            assert_eq!(text.par_chars().find_last(|&c| c == ' '), Some(' '));
            assert_eq!("".par_chars().find_last(|_| true), None);
        });
    }
}

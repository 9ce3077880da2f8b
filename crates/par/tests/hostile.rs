//! What users may implement, done wrong: iterators that drive a sink twice, clones that panic,
//! ranges that are used up.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
    thread,
    time::{Duration, Instant},
};
use sumac_par::{iter::repeat_n, prelude::*, shape::Sink};
use sumac_test_support::pool;

fn strings(n: usize) -> Vec<String> {
    (0..n).map(|i| i.to_string()).collect()
}

/// Drives two loops into one sink, as if both began at position 0.
struct Twice;

impl ParallelIterator for Twice {
    type Item = String;

    fn drive<S: Sink<String>>(self, sink: &S) -> S::Output {
        let first = strings(30).into_par_iter().drive(sink);
        let second = strings(20).into_par_iter().drive(sink);
        sink.merge(first, second)
    }
}

#[test]
fn one_sink_for_two_loops() {
    let expected = [strings(30), strings(20)].concat();
    assert_eq!(Twice.collect::<Vec<_>>(), expected);
    let mut v = vec![String::from("before")];
    v.par_extend(Twice.map(|item| item + "!"));
    assert_eq!((v.len(), v.last()), (51, Some(&String::from("19!"))));
    let (a, b): (Vec<_>, Vec<_>) = Twice.map(|item| (item.clone(), item)).unzip();
    assert_eq!((&a, &b), (&expected, &expected));
}

/// Panics when it is cloned for the last time that is allowed.
struct Bomb<'a> {
    clones: &'a AtomicUsize,
    went_off: &'a AtomicBool,
}

impl Clone for Bomb<'_> {
    fn clone(&self) -> Self {
        if self.clones.fetch_sub(1, SeqCst) == 1 {
            self.went_off.store(true, SeqCst);
            panic!("cloned too often");
        }
        Bomb { ..*self }
    }
}

#[test]
fn a_panic_while_splitting_is_never_lost() {
    let pool = pool(3);
    let begun = Instant::now();
    for (round, clones) in (1..400).cycle().take(2000).enumerate() {
        // On a busy machine giving way takes milliseconds.
        if round > 10 && begun.elapsed() > Duration::from_secs(10) {
            break;
        }
        let (clones, went_off) = (AtomicUsize::new(clones), AtomicBool::new(false));
        let bomb = Bomb {
            clones: &clones,
            went_off: &went_off,
        };
        let run = || repeat_n(bomb, 60).for_each(|_| thread::yield_now());
        let result = catch_unwind(AssertUnwindSafe(|| pool.install(run)));
        assert_eq!(result.is_err(), went_off.load(SeqCst));
        if let Err(payload) = result {
            assert_eq!(payload.downcast_ref(), Some(&"cloned too often"));
        }
    }
}

#[test]
fn ranges_that_are_used_up() {
    let mut chars = 'a'..='a';
    assert_eq!(chars.next(), Some('a'));
    assert_eq!(chars.clone().into_par_iter().count(), 0);
    assert_eq!(chars.into_par_iter().collect::<String>(), "");
    let mut numbers = 7..=7;
    assert_eq!(numbers.next_back(), Some(7));
    assert_eq!(numbers.into_par_iter().count(), 0);
    let mut bytes = 0..=u8::MAX;
    assert_eq!(bytes.nth(1000), None);
    assert_eq!(bytes.into_par_iter().collect::<Vec<_>>(), []);
}

//! What users may implement, done wrong: iterators that lie or drive a sink twice, clones that panic, ranges that are used up.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
    thread,
    time::{Duration, Instant},
};
use sumac_core::ThreadPoolBuilder;
use sumac_par::{iter::repeat_n, prelude::*, shape::Sink, vec};

fn panics<R>(f: impl FnOnce() -> R) -> bool {
    catch_unwind(AssertUnwindSafe(f)).is_err()
}

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

/// Says that it has `said` items.
struct Liar {
    items: vec::IntoIter<String>,
    said: usize,
}

impl Liar {
    fn new(has: usize, said: usize) -> Self {
        let items = strings(has).into_par_iter();
        Liar { items, said }
    }
}

impl ParallelIterator for Liar {
    type Item = String;

    fn drive<S: Sink<String>>(self, sink: &S) -> S::Output {
        self.items.drive(sink)
    }
}

impl IndexedParallelIterator for Liar {
    type Producer<'p> = <vec::IntoIter<String> as IndexedParallelIterator>::Producer<'p>;

    fn len(&self) -> usize {
        self.said
    }

    fn producer(&mut self) -> Self::Producer<'_> {
        self.items.producer()
    }
}

#[test]
fn wrong_lengths() {
    let mut v = Vec::new();
    Liar::new(30, 10).collect_into_vec(&mut v);
    assert_eq!(v, strings(30));
    for (has, said) in [(30, 10), (10, 30), (1, 0), (0, 1)] {
        let pairs = || Liar::new(has, said).zip(strings(40));
        assert!(panics(|| pairs().collect::<Vec<_>>()));
        assert!(panics(|| pairs().map(|(a, b)| a + &b).collect::<Vec<_>>()));
        let (mut a, mut b) = (strings(3), strings(3));
        assert!(panics(|| pairs().unzip_into_vecs(&mut a, &mut b)));
        assert_eq!(pairs().count(), has);
    }
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
    let pool = ThreadPoolBuilder::new().num_threads(3).build().unwrap();
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

//! Adaptors that end loops early.

use super::{alone, spin};
use std::{
    panic::{self, AssertUnwindSafe},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};
use sumac_par::{CancelToken, prelude::*};
use sumac_test_support::{LONG, caught, on_pools, pool, within};

const LEN: usize = 60_000;
/// So many that the others need many seconds for them, even if the thread that is to end it all
/// loses its processor.
const MANY: usize = 4_000_000;

/// So many items that take their time, and are counted.
fn counted(calls: &AtomicUsize) -> impl IndexedParallelIterator<Item = usize> {
    (0..MANY).into_par_iter().inspect(|_| {
        calls.fetch_add(1, Ordering::Relaxed);
        spin();
    })
}

/// That `run` sees few of all items.
fn stops_early(run: impl Fn(&AtomicUsize) + Sync + Send) {
    on_pools(|| {
        let calls = AtomicUsize::new(0);
        run(&calls);
        let calls = calls.into_inner();
        assert!(calls < MANY / 2, "{calls} of {MANY} items were begun");
    });
}

#[test]
fn take_any() {
    for n in [0, 1, 50, 1000] {
        stops_early(|calls| {
            let taken = counted(calls).take_any(n).collect::<Vec<_>>();
            assert_eq!(taken.len(), n);
            assert!(taken.is_sorted());
        });
    }
    on_pools(|| {
        let all = (0..10_usize).into_par_iter().take_any(11);
        assert_eq!(all.collect::<Vec<_>>(), Vec::from_iter(0..10));
    });
}

#[test]
fn skip_any() {
    for n in [0, 1, 50, 300, 301] {
        on_pools(|| {
            let slowly = (0..300_usize).into_par_iter().inspect(|_| spin());
            let left = slowly.skip_any(n).collect::<Vec<_>>();
            assert_eq!(left.len(), 300_usize.saturating_sub(n));
            assert!(left.is_sorted());
        });
    }
}

#[test]
fn take_any_while() {
    stops_early(|calls| {
        let taken = counted(calls).take_any_while(|n| n % 500 != 499);
        let taken = taken.collect::<Vec<_>>();
        assert!(taken.is_sorted());
        assert!(taken.iter().all(|n| n % 500 != 499));
    });
    let all = (0..LEN).into_par_iter().take_any_while(|&n| n < LEN);
    assert_eq!(all.collect::<Vec<_>>().len(), LEN);
}

#[test]
fn skip_any_while() {
    on_pools(|| {
        let slowly = || (0..300_usize).into_par_iter().inspect(|_| spin());
        let left = slowly().skip_any_while(|&n| n != 150).collect::<Vec<_>>();
        assert!(left.is_sorted());
        assert!(left.contains(&150));
        assert!(
            slowly()
                .skip_any_while(|_| true)
                .collect::<Vec<_>>()
                .is_empty()
        );
        assert_eq!(
            slowly().skip_any_while(|_| false).collect::<Vec<_>>().len(),
            300
        );
    });
    alone(|| {
        let left = (0..300_usize).into_par_iter().skip_any_while(|&n| n != 150);
        assert_eq!(left.collect::<Vec<_>>(), Vec::from_iter(150..300));
    });
}

#[test]
fn while_some() {
    stops_early(|calls| {
        let some = counted(calls)
            .map(|n| (n % 500 != 499).then_some(n))
            .while_some();
        assert!(some.collect::<Vec<_>>().is_sorted());
    });
    alone(|| {
        let some = (0..LEN)
            .into_par_iter()
            .map(|n| (n != 1234).then_some(n))
            .while_some();
        assert_eq!(some.collect::<Vec<_>>(), Vec::from_iter(0..1234));
    });
}

#[test]
fn until_cancelled() {
    stops_early(|calls| {
        let token = CancelToken::new();
        let items = counted(calls).until_cancelled(&token);
        let items = items.inspect(|&n| {
            if n == 100 {
                token.cancel()
            }
        });
        assert!(items.collect::<Vec<_>>().contains(&100));
        let before = calls.load(Ordering::Relaxed);
        let none = counted(calls).until_cancelled(&token.clone());
        assert!(none.collect::<Vec<_>>().is_empty());
        assert_eq!(calls.load(Ordering::Relaxed), before);
    });
    let all = (0..LEN)
        .into_par_iter()
        .until_cancelled(&CancelToken::default());
    assert_eq!(all.sum::<usize>(), LEN * (LEN - 1) / 2);
}

/// Also what is around and beside the loop that ends.
#[test]
fn early_ends_get_through() {
    stops_early(|calls| {
        let rows = (0..1000).into_par_iter().flat_map(|_| counted(calls));
        assert_eq!(rows.take_any(50).collect::<Vec<_>>().len(), 50);
    });
    stops_early(|calls| {
        let chain = counted(calls).chain(counted(calls).filter(|_| true));
        assert_eq!(chain.take_any(50).collect::<Vec<_>>().len(), 50);
    });
    stops_early(|calls| {
        let spaced = counted(calls).intersperse(0).map_init(|| (), |(), n| n);
        assert_eq!(spaced.take_any(50).collect::<Vec<_>>().len(), 50);
    });
    stops_early(|calls| {
        let token = CancelToken::new();
        let cancel = |(), n| {
            if n == 100 {
                token.cancel()
            }
        };
        let folded = counted(calls).update(|_| ()).panic_fuse();
        folded
            .until_cancelled(&token)
            .fold(|| (), cancel)
            .for_each(drop);
    });
}

/// Where a loop inside a loop ends early, the outer one begins no more of them.
#[test]
fn outer_loops_end_early() {
    fn rows(calls: &AtomicUsize) -> impl ParallelIterator<Item = usize> {
        counted(calls).flat_map(|n| n..n + 1)
    }
    stops_early(|calls| {
        assert_eq!(rows(calls).take_any(50).collect::<Vec<_>>().len(), 50);
    });
    stops_early(|calls| {
        let few = rows(calls).take_any_while(|n| n % 500 != 499);
        assert!(few.collect::<Vec<_>>().is_sorted());
    });
    stops_early(|calls| {
        let some = rows(calls).map(|n| (n % 500 != 499).then_some(n));
        assert!(some.while_some().collect::<Vec<_>>().is_sorted());
    });
    stops_early(|calls| {
        let token = CancelToken::new();
        let items = rows(calls).until_cancelled(&token);
        items.for_each(|n| {
            if n == 100 {
                token.cancel()
            }
        });
    });
    stops_early(|calls| {
        let fails = |(), n| if n < 100 { Ok(()) } else { Err(n) };
        let failures = rows(calls).try_fold(|| (), fails);
        assert!(failures.filter(Result::is_err).count() > 0);
    });
}

/// Loops on the right do not end those on the left, nor the other way round: positions never
/// decrease.
#[test]
fn first_and_last_of_loops_in_a_row() {
    let exact = |from: usize| (from..from + 100).into_par_iter().inspect(|_| spin());
    let row = |from: usize| exact(from).chain(exact(from + 200)).filter(|_| true);
    let (first, last) = (|&n: &usize| n >= 210, |&n: &usize| n >= 250);
    on_pools(|| {
        let chain = || row(0).chain(exact(400)).chain(row(600));
        assert_eq!(chain().find_first(first), Some(210));
        assert_eq!(chain().find_last(last), Some(899));
        assert_eq!(row(0).chain(exact(400)).find_last(last), Some(499));
        let rows = || [0, 400, 800].into_par_iter().flat_map(row);
        assert_eq!(rows().find_first(first), Some(210));
        assert_eq!(rows().find_last(last), Some(1099));
        let spaced = || row(0).intersperse(7);
        assert_eq!(spaced().find_first(first), Some(210));
        assert_eq!(spaced().find_last(last), Some(299));
    });
}

#[test]
fn a_panic_blows_the_fuse() {
    let run = |fused: bool| {
        stops_early(|calls| {
            // Without the time that a message with its backtrace takes.
            let fails = |n: &usize| {
                if *n == 700 {
                    panic::resume_unwind(Box::new("seven hundred"));
                }
            };
            let outcome = panic::catch_unwind(AssertUnwindSafe(|| {
                if fused {
                    let (a, b) = (counted(calls), counted(calls).panic_fuse());
                    a.panic_fuse()
                        .zip(b)
                        .map(|(a, _)| a)
                        .for_each(|n| fails(&n));
                } else {
                    counted(calls).panic_fuse().inspect(fails).for_each(drop);
                }
            }));
            let payload = outcome.unwrap_err();
            assert_eq!(payload.downcast_ref::<&str>(), Some(&"seven hundred"));
        });
    };
    run(true);
    run(false);
}

/// What two threads tell each other of an item that panics in one of them.
#[derive(Default)]
struct Blow {
    begun: AtomicUsize,
    unwinding: AtomicUsize,
}

impl Blow {
    /// The first item that begins panics when another one has begun, which goes on when that
    /// unwinds.
    fn item(&self, n: usize) -> usize {
        /// Dropped in a panic.
        struct Unwinding<'b>(&'b AtomicUsize);
        impl Drop for Unwinding<'_> {
            fn drop(&mut self) {
                self.0.store(1, Ordering::Relaxed);
            }
        }
        let wait = |event: &AtomicUsize, least| {
            while event.load(Ordering::Relaxed) < least {
                thread::yield_now();
            }
        };
        match self.begun.fetch_add(1, Ordering::Relaxed) {
            0 => {
                wait(&self.begun, 2);
                let _unwinding = Unwinding(&self.unwinding);
                panic::resume_unwind(Box::new("the first"));
            }
            1 => {
                wait(&self.unwinding, 1);
                // The fuse lies behind.
                thread::sleep(Duration::from_millis(50));
            }
            _ => {}
        }
        n
    }
}

/// That a loop over `items` ends in the panic of the first of them.
macro_rules! ends {
    (|$items:ident| $body:expr) => {
        let ends = within(LONG / 2, stringify!($body), || {
            let blow = Arc::new(Blow::default());
            let run = || {
                let $items = (0..LEN).into_par_iter().map(|n| blow.item(n)).panic_fuse();
                $body
            };
            let payload = caught(|| pool(2).install(run));
            payload.downcast_ref() == Some(&"the first")
        });
        assert!(ends, stringify!($body));
    };
}

/// Also where an adaptor counts on as many items as were said; and no chunk gets fewer.
#[test]
fn blown_fuses_under_adaptors() {
    static SHORT: AtomicUsize = AtomicUsize::new(0);
    fn count(items: usize) {
        SHORT.fetch_add(usize::from(items != 3), Ordering::Relaxed);
    }
    ends!(|items| items.chunks(3).for_each(|chunk| count(chunk.len())));
    ends!(|items| items.chunks(3).rev().for_each(|chunk| count(chunk.len())));
    ends!(|items| items.fold_chunks(3, || 0, |n, _| n + 1).for_each(count));
    ends!(|items| items.fold_chunks_with(3, 0, |n, _| n + 1).for_each(count));
    ends!(|items| items.zip(0..LEN).rev().for_each(drop));
    ends!(|items| items.intersperse(7).enumerate().rev().for_each(drop));
    ends!(|items| items.step_by(2).enumerate().rev().for_each(drop));
    ends!(|items| items.interleave(0..LEN).chunks(3).for_each(drop));
    assert_eq!(SHORT.load(Ordering::Relaxed), 0);
}

/// A fuse that is made in the course of a panic is not blown by that one.
#[test]
fn fuses_in_destructors() {
    struct Sums<'r>(&'r mut usize);
    impl Drop for Sums<'_> {
        fn drop(&mut self) {
            *self.0 = (0..LEN).into_par_iter().panic_fuse().sum();
        }
    }
    let mut sum = 0;
    let outcome = panic::catch_unwind(AssertUnwindSafe(|| {
        let _sums = Sums(&mut sum);
        panic!("on");
    }));
    assert!(outcome.is_err());
    assert_eq!(sum, LEN * (LEN - 1) / 2);
}

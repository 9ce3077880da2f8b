//! Results in order, computed ahead: `iter_ordered`, `for_each_ordered`, `par_map_ordered`.

use std::{
    iter::repeat_with,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
        mpsc,
    },
    thread,
    time::Duration,
};
use sumac::{in_place_scope, iter::Ordered, prelude::*, spawn};
use sumac_test_support::{
    LONG, Ledger, caught, dawdle, on_a_worker, on_pools, pool, spin, text, throw, wait_until,
    waited, within,
};

/// Asserts what each way of ordering yields here.
fn all_ways() {
    let want: Vec<usize> = (0..100).map(|i| i * i).collect();
    for bound in [0, 1, 2, 3, 8, 1000, usize::MAX] {
        let squares = || (0..100_usize).into_par_iter().map(|i| i * i);
        let mut got = Vec::new();
        squares().for_each_ordered(bound, |square| got.push(square));
        assert_eq!(got, want);
        assert!(squares().iter_ordered(bound, |squares| squares.eq(want.iter().copied())));
        let owned = (0..100_usize).par_map_ordered(bound, |i| i * i);
        assert_eq!(owned.collect::<Vec<_>>(), want);
        let numbers: Vec<usize> = (0..100).collect();
        in_place_scope(|s| {
            let borrowed = numbers.iter().par_map_ordered_in(s, bound, |i| i * i);
            assert!(borrowed.eq(want.iter().copied()));
        });
    }
}

#[test]
fn in_order_inside_of_pools() {
    within(LONG, "in pools", || {
        on_pools(all_ways);
        for threads in [1, 3] {
            waited(threads).install(all_ways);
        }
    });
}

#[test]
fn in_order_on_an_outside_thread() {
    within(LONG, "outside", || {
        all_ways();
        for pool in [pool(1), pool(3), waited(1), waited(3)] {
            let numbers = [3, 1, 4];
            let doubled: Vec<_> = pool.in_place_scope(|s| {
                let numbers = numbers.iter();
                numbers.par_map_ordered_in(s, 2, |n| 2 * n).collect()
            });
            assert_eq!(doubled, [6, 2, 8]);
        }
    });
}

#[test]
fn in_order_on_a_worker() {
    within(LONG, "worker", || on_a_worker(&pool(3), all_ways));
}

#[test]
fn nested() {
    within(LONG, "nested", || {
        let sum = |n: usize| -> usize {
            let items = (0..n).into_par_iter();
            items.map(|i| i + 1).iter_ordered(2, |items| items.sum())
        };
        on_pools(|| {
            let sums = (0..40_usize).into_par_iter().map(sum);
            let mut next = 0;
            sums.for_each_ordered(3, |sum| {
                assert_eq!(sum, next * (next + 1) / 2);
                next += 1;
            });
            let piped = (0..40_usize).par_map_ordered(3, |i| i + 1);
            let piped = piped.par_map_ordered(2, |i| 2 * i);
            assert!(piped.eq((1..=40).map(|i| 2 * i)));
        });
    });
}

/// With nothing ahead it is the sequential program: an item is computed when it is asked for.
#[test]
fn nothing_ahead() {
    let events = Mutex::new(Vec::new());
    let note = |what: &str, i| {
        let event = (format!("{what} {i}"), thread::current().id());
        events.lock().expect("no panic").push(event);
    };
    let here = thread::current().id();
    pool(3).install(|| {
        let items = (0..5).into_par_iter().inspect(|i| note("compute", *i));
        items.for_each_ordered(0, |i| {
            dawdle();
            note("use", i);
        });
    });
    let wanted = (0..5).flat_map(|i| ["compute", "use"].map(|what| (format!("{what} {i}"), here)));
    assert!(
        events
            .into_inner()
            .expect("no panic")
            .into_iter()
            .eq(wanted)
    );
}

/// While the consumer is slow, workers compute `bound` items and stop, and do other things.
#[test]
fn a_slow_consumer_stops_the_workers() {
    within(LONG, "a slow consumer", || {
        for bound in [1, 2, 5, 40] {
            let (begun, ledger) = (AtomicUsize::new(0), Ledger::new());
            let alive = || {
                let (made, dropped) = ledger.counts();
                made - dropped
            };
            let item = |_| {
                begun.fetch_add(1, SeqCst);
                ledger.token()
            };
            pool(3).install(|| {
                (0..100)
                    .into_par_iter()
                    .map(item)
                    .iter_ordered(bound, |mut items| {
                        for taken in [1, 2, 3] {
                            let token = items.next().expect("more items");
                            let ahead = || begun.load(SeqCst) - taken;
                            // A worker comes when half of the window is free.
                            let least = if taken == 1 { bound } else { bound - bound / 2 };
                            assert!(wait_until(LONG / 2, || ahead() >= least), "none ahead");
                            dawdle();
                            assert!(ahead() <= bound, "{} ahead of {taken}", ahead());
                            assert!(alive() <= bound + 1);
                            drop(token);
                        }
                        let (done, other) = mpsc::channel();
                        drop(spawn(move || done.send(5)));
                        assert_eq!(other.recv_timeout(LONG / 2), Ok(5), "the workers are held");
                    });
            });
            ledger.assert_balanced();
        }
    });
}

/// Sequentially an item is computed when it is asked for: so it may wait for what was done before.
#[test]
fn an_item_may_wait_for_what_the_consumer_has_done() {
    within(LONG, "feedback", || {
        for threads in [1, 2, 4] {
            let used = AtomicUsize::new(0);
            let item = |i| {
                assert!(wait_until(LONG / 2, || used.load(SeqCst) >= i), "{i} waits");
            };
            pool(threads).install(|| {
                let items = (0..50).into_par_iter().map(item);
                items.for_each_ordered(8, |()| {
                    used.fetch_add(1, SeqCst);
                });
            });
        }
    });
}

/// All that runs on the consumer's thread is what it asks for.
#[test]
fn the_consumer_computes_the_first_item_only() {
    within(LONG, "first only", || {
        let (used, own) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let here = thread::current().id();
        pool(4).install(|| {
            let item = |i| {
                if thread::current().id() == here {
                    assert_eq!(i, used.load(SeqCst));
                    own.fetch_add(1, SeqCst);
                }
                spin(Duration::from_micros(30));
            };
            let items = (0..2_000).into_par_iter().map(item);
            items.for_each_ordered(16, |()| {
                used.fetch_add(1, SeqCst);
            });
        });
        // The workers leave it some.
        assert!(own.into_inner() > 0);
    });
}

/// An item that runs when the iterator goes ends before its scope; no other begins.
#[test]
fn dropped_early() {
    gone_early(false);
}

/// What has been computed leaks with the iterator.
#[test]
fn forgotten_early() {
    gone_early(true);
}

fn gone_early(forgotten: bool) {
    within(LONG, "gone early", move || {
        let begun = AtomicUsize::new(0);
        let [gone, ended] = [false; 2].map(AtomicBool::new);
        let ledger = Ledger::new();
        let item = |i| {
            begun.fetch_add(1, SeqCst);
            if i > 0 && !gone.load(SeqCst) {
                assert!(wait_until(LONG / 2, || gone.load(SeqCst)));
                spin(Duration::from_millis(2));
                ended.store(true, SeqCst);
            }
            ledger.token()
        };
        pool(2).install(|| {
            (0..9)
                .into_par_iter()
                .map(item)
                .iter_ordered(6, |mut items| {
                    drop(items.next().expect("the first"));
                    assert!(wait_until(LONG / 2, || begun.load(SeqCst) == 2));
                    if forgotten {
                        std::mem::forget(items);
                    } else {
                        drop(items);
                    }
                    gone.store(true, SeqCst);
                });
            assert!(ended.load(SeqCst), "an item outlives the call");
        });
        if !forgotten {
            assert_eq!(begun.into_inner(), 2);
            ledger.assert_balanced();
        }
    });
}

/// What is not borrowed is not waited for; the source is dropped at once.
#[test]
fn a_static_one_does_not_wait_for_items_that_run() {
    within(LONG, "static", || {
        let pool = pool(2);
        let (begun, has_begun) = mpsc::channel();
        let (end, ended) = mpsc::channel::<()>();
        let (begun, ended, count) = (
            Mutex::new(begun),
            Mutex::new(ended),
            Arc::new(AtomicUsize::new(0)),
        );
        let counted = Arc::clone(&count);
        let kept = Arc::new(());
        let source = Arc::clone(&kept);
        pool.install(move || {
            let source = (0..9).inspect(move |_| assert!(Arc::strong_count(&source) > 1));
            let mut items = source.par_map_ordered(4, move |i| {
                counted.fetch_add(1, SeqCst);
                if i > 0 {
                    begun
                        .lock()
                        .expect("no panic")
                        .send(())
                        .expect("the test waits");
                    let _ = ended.lock().expect("no panic").recv();
                }
            });
            items.next();
            has_begun
                .recv_timeout(LONG / 2)
                .expect("a worker begins an item");
            drop(items);
            assert_eq!(Arc::strong_count(&kept), 1, "the source is still there");
        });
        drop(end);
        // Its closure is dropped when the last item has ended.
        assert!(wait_until(LONG / 2, || Arc::strong_count(&count) == 1));
        assert_eq!(count.load(SeqCst), 2);
    });
}

#[test]
fn a_panic_comes_in_its_place() {
    within(LONG, "panics", || {
        on_pools(|| {
            let item = |i| if i % 10 == 5 { throw(i) } else { i };
            (0..30_u32)
                .into_par_iter()
                .map(item)
                .iter_ordered(8, |mut items| {
                    for i in 0..30 {
                        if i % 10 == 5 {
                            let payload = caught(|| items.next());
                            assert_eq!(payload.downcast_ref(), Some(&i));
                        } else {
                            assert_eq!(items.next(), Some(i));
                        }
                    }
                    assert_eq!((items.next(), items.next()), (None, None));
                });
            let mut used = 0;
            let loop_of = || (0..30_u32).into_par_iter().map(item);
            let payload = caught(|| loop_of().for_each_ordered(8, |_| used += 1));
            assert_eq!((payload.downcast_ref(), used), (Some(&5_u32), 5));
            let payload = caught(|| loop_of().for_each_ordered(8, |_| throw("the consumer")));
            assert_eq!(text(&*payload), "the consumer");
        });
    });
}

#[test]
fn a_panic_of_the_source_comes_in_its_place() {
    within(LONG, "panics of the source", || {
        on_pools(|| {
            let source = (0..9).inspect(|&i| assert!(i != 5, "the source"));
            let mut items = source.par_map_ordered(4, |i| i);
            assert!(items.by_ref().take(5).eq(0..5));
            assert_eq!(text(&*caught(|| items.next())), "the source");
            assert_eq!(items.next(), None);
        });
    });
}

#[test]
fn an_item_that_would_wait_for_itself_panics() {
    within(LONG, "itself", || {
        type Shared = Arc<Mutex<Option<Ordered<'static, Option<u32>>>>>;
        let shared = Shared::default();
        let inside = Arc::clone(&shared);
        let next = |items: &Shared| {
            let mut items = items.lock().expect("no poison");
            items.as_mut().expect("it is there").next()
        };
        pool(2).install(|| {
            let begun = Arc::new(AtomicBool::new(false));
            let has_begun = Arc::clone(&begun);
            let items = (0..3).par_map_ordered(1, move |i| {
                if i != 1 {
                    return None;
                }
                has_begun.store(true, SeqCst);
                catch_unwind(AssertUnwindSafe(|| next(&inside)))
                    .ok()
                    .flatten()?
            });
            *shared.lock().expect("no poison") = Some(items);
            assert_eq!(next(&shared), Some(None));
            // On the worker, which the mutex is free for.
            assert!(wait_until(LONG / 2, || begun.load(SeqCst) && shared.is_poisoned()));
        });
        shared.clear_poison();
        *shared.lock().expect("cleared") = None;
    });
}

#[test]
fn hints_of_the_size() {
    let mut items = (0..5).par_map_ordered(2, |i| i);
    assert_eq!(items.size_hint(), (5, Some(5)));
    items.next();
    assert_eq!(items.size_hint(), (4, Some(4)));
    let unknown = (0..).take_while(|&i| i < 9).par_map_ordered(2, |i| i);
    assert_eq!(unknown.size_hint(), (0, None));
    (0..7)
        .into_par_iter()
        .iter_ordered(2, |items| assert_eq!(items.len_hint(), 7));
}

/// The exact number of items, if the hint says so.
trait LenHint: Iterator {
    fn len_hint(&self) -> usize {
        let (least, most) = self.size_hint();
        assert_eq!(Some(least), most);
        least
    }
}

impl<I: Iterator> LenHint for I {}

/// The source is pulled in order, by one thread at a time, and `bound` items ahead at most.
#[test]
fn the_source_is_pulled_in_order() {
    within(LONG, "the source", || {
        let (used, pulling) = (AtomicUsize::new(0), AtomicBool::new(false));
        let mut next = 0;
        let source = repeat_with(|| {
            assert!(!pulling.swap(true, SeqCst), "two threads pull");
            assert!(next <= used.load(SeqCst) + 4, "{next} is too far ahead");
            spin(Duration::from_micros(5));
            pulling.store(false, SeqCst);
            next += 1;
            next - 1
        });
        pool(4).install(|| {
            in_place_scope(|s| {
                let items = source.take(2_000).par_map_ordered_in(s, 4, |i| i);
                for (i, item) in items.enumerate() {
                    assert_eq!(i, item);
                    used.store(i + 1, SeqCst);
                }
            });
        });
        assert_eq!(used.into_inner(), 2_000);
    });
}

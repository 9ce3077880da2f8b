//! Offers: none is lost, none is taken twice, none starves, however unlucky the moment.

use fastrand::Rng;
use std::{
    sync::{
        Barrier, Mutex,
        atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering::SeqCst},
        mpsc::{TryRecvError, TrySendError, sync_channel},
    },
    thread,
    time::{Duration, Instant},
};

use sumac::ThreadPool;

use sumac_test_support::{Cx, LONG, Style, enter, keep_forking, pool, rounds, spin, sum, within};

/// Forks a half that is `busy` for some time; the other half keeps forking until it is taken.
fn taken_by_another_thread(style: Style, pool: &ThreadPool, busy: Duration) -> bool {
    let taken = AtomicBool::new(false);
    let (seen, ()) = enter(style, pool, |cx| {
        cx.join(
            |cx| keep_forking(cx, || taken.load(SeqCst)),
            |_| {
                taken.store(true, SeqCst);
                spin(busy);
            },
        )
    });
    seen
}

// chili 0.2.1: a worker looks, runs, then waits without looking again; rayon RFC 5, tokio #7712.
#[test]
fn offer_made_to_a_busy_worker_is_taken_afterwards() {
    within(LONG, "busy worker", || {
        let (two, mut random) = (pool(2), Rng::with_seed(6));
        for round in rounds(1_000) {
            let busy = Duration::from_nanos(random.u64(..30_000));
            spin(Duration::from_nanos(random.u64(..30_000)));
            let style = Style::ALL[round % 2];
            assert!(
                taken_by_another_thread(style, &two, busy),
                "round {round}: an offer was never taken"
            );
        }
    });
}

// chili 0.2.1 loses up to a third of these.
#[test]
fn first_offer_of_a_fresh_pool_is_taken() {
    within(LONG, "fresh pool", || {
        for round in rounds(200) {
            let style = Style::ALL[round % 2];
            assert!(
                taken_by_another_thread(style, &pool(2), Duration::ZERO),
                "round {round}: the first offer was never taken"
            );
        }
    });
}

// chili 0.2.1 hands out offers by address: a caller with a high one can starve.
#[test]
fn no_caller_starves() {
    within(LONG, "no caller starves", || {
        const CALLERS: usize = 6;
        let (two, barrier) = (pool(2), Barrier::new(CALLERS));
        thread::scope(|threads| {
            for caller in 0..CALLERS {
                let (two, barrier) = (&two, &barrier);
                threads.spawn(move || {
                    barrier.wait();
                    for round in rounds(30) {
                        let style = Style::ALL[round % 2];
                        assert!(
                            taken_by_another_thread(style, two, Duration::from_micros(20)),
                            "caller {caller}, round {round}: its offer was never taken"
                        );
                    }
                });
            }
        });
    });
}

#[test]
fn oldest_frames_are_given_away_first() {
    const DEPTH: usize = 4;
    fn descend(cx: &mut Cx<'_, '_>, depth: usize, order: &Mutex<Vec<usize>>, fed: bool) {
        if depth == DEPTH {
            let taken = || order.lock().expect("no poison").len();
            let start = Instant::now();
            while fed && taken() < DEPTH - 1 && start.elapsed() < LONG / 2 {
                sum(cx, 0, 8);
            }
            return;
        }
        cx.join(
            |cx| descend(cx, depth + 1, order, fed),
            |_| {
                order.lock().expect("no poison").push(depth);
                spin(Duration::from_micros(50));
            },
        );
    }
    within(LONG, "oldest first", || {
        for style in Style::ALL {
            for _ in 0..50 {
                let order = Mutex::new(Vec::new());
                enter(style, &pool(2), |cx| descend(cx, 0, &order, true));
                let order = order.into_inner().expect("no poison");
                assert_eq!(order.len(), DEPTH, "every half runs once");
                assert!(
                    order[..DEPTH - 1].is_sorted(),
                    "depths in the order they were taken: {order:?}"
                );
            }
        }
    });
}

// RUSTSEC-2021-0093: a task popped twice and another lost; Forte dropped tasks when it was full.
#[test]
fn every_half_of_a_deep_chain_runs_exactly_once() {
    fn chain(cx: &mut Cx<'_, '_>, runs: &[AtomicU8]) {
        if let Some((first, rest)) = runs.split_first() {
            let once = |_: &mut Cx<'_, '_>| {
                first.fetch_add(1, SeqCst);
            };
            if rest.len() % 2 == 0 {
                cx.join(|cx| chain(cx, rest), once);
            } else {
                cx.join(once, |cx| chain(cx, rest));
            }
        }
    }
    within(LONG, "exactly once", || {
        let four = pool(4);
        for round in 0..200 {
            let runs: Vec<_> = (0..500).map(|_| AtomicU8::new(0)).collect();
            enter(Style::ALL[round % 2], &four, |cx| chain(cx, &runs));
            for (i, runs) in runs.iter().enumerate() {
                assert_eq!(runs.load(SeqCst), 1, "round {round}: runs of half {i}");
            }
        }
    });
}

// rayon #945: one latch, several waiters, one wake-up.
#[test]
fn many_outside_threads_wait_on_one_pool() {
    within(LONG, "many waiters", || {
        let (four, answers) = (pool(4), AtomicUsize::new(0));
        thread::scope(|threads| {
            for caller in 0..16 {
                let (four, answers) = (&four, &answers);
                threads.spawn(move || {
                    for round in 0..50 {
                        let n = 100 + (caller * 50 + round) as u64;
                        let style = Style::ALL[round % 2];
                        assert_eq!(enter(style, four, |cx| sum(cx, 0, n)), n * (n - 1) / 2);
                        answers.fetch_add(1, SeqCst);
                    }
                });
            }
        });
        assert_eq!(answers.load(SeqCst), 16 * 50);
    });
}

// rayon-core 1.8.1 and chili's `u8`: counters that are meant to wrap must not overflow.
#[test]
fn counters_on_the_hot_path_may_wrap() {
    within(LONG, "wrapping counters", || {
        let two = pool(2);
        for style in Style::ALL {
            assert_eq!(
                enter(style, &two, |cx| sum(cx, 0, 150_000)),
                150_000 * 149_999 / 2
            );
        }
        for round in 0..70_000_u64 {
            assert_eq!(two.join(|| round, || 1), (round, 1));
        }
    });
}

// rayon #1269: both ends of a bounded channel in one pool, yielding on top of each other.
#[test]
fn both_ends_of_a_bounded_channel_make_progress() {
    within(LONG, "bounded channel", || {
        let two = pool(2);
        let (send, receive) = sync_channel(1);
        let give_way = || {
            sumac::yield_now();
            thread::yield_now();
        };
        let (sent, total) = two.join(
            move || {
                let mut sent = 0;
                for mut item in rounds(2_000) {
                    while let Err(TrySendError::Full(back)) = send.try_send(item) {
                        item = back;
                        give_way();
                    }
                    sent += 1;
                }
                sent
            },
            move || {
                let mut total = 0;
                loop {
                    match receive.try_recv() {
                        Ok(item) => total += item,
                        Err(TryRecvError::Empty) => give_way(),
                        Err(TryRecvError::Disconnected) => break total,
                    }
                }
            },
        );
        assert_eq!(total, sent * (sent - 1) / 2);
    });
}

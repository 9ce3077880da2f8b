//! Futures as tasks: every step runs once, wakers wake, promises are futures, and what is pending
//! holds no worker.

use std::{
    future::{Future, pending, poll_fn},
    pin::Pin,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
        mpsc,
    },
    task::{Context, Poll, Wake, Waker},
    thread,
    time::Duration,
};

use sumac::{
    Promise, ThreadPoolBuilder, block_on, current_num_threads, promise, spawn, spawn_async,
    spawn_async_in,
};
use sumac_test_support::{LONG, Ledger, caught, pool, text, throw, wait_until, within};

const SIZES: [usize; 3] = [1, 2, 4];

/// Pending once, having woken itself.
fn step() -> impl Future<Output = ()> {
    let mut first = true;
    poll_fn(move |context| {
        if std::mem::take(&mut first) {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        Poll::Ready(())
    })
}

#[test]
fn futures_run_in_their_pool_step_by_step() {
    within(LONG, "steps", || {
        for threads in SIZES {
            let pool = pool(threads);
            let hundred = |end| async move {
                for _ in 0..100 {
                    assert_eq!(current_num_threads(), threads);
                    step().await;
                }
                end
            };
            assert_eq!(spawn_async_in(&pool, hundred("end")).join(), "end");
            let inside = pool.install(|| spawn_async(hundred("inside")));
            assert_eq!(inside.join(), "inside");
        }
    });
}

#[test]
fn tasks_await_promises() {
    fn fib(n: u64) -> Pin<Box<dyn Future<Output = u64> + Send>> {
        Box::pin(async move {
            if n < 2 {
                return n;
            }
            let (a, b) = (spawn_async(fib(n - 1)), spawn_async(fib(n - 2)));
            a.await + b.await
        })
    }
    within(LONG, "await", || {
        for threads in SIZES {
            let pool = pool(threads);
            assert_eq!(spawn_async_in(&pool, fib(14)).join(), 377);
            assert_eq!(block_on(spawn_async_in(&pool, fib(14))), 377);
            let sum = spawn_async_in(&pool, async {
                let parts: Vec<_> = (0..100).map(|i| spawn(move || i)).collect();
                let mut sum = 0;
                for part in parts {
                    sum += part.await;
                }
                sum
            });
            assert_eq!(sum.join(), 4950);
        }
    });
}

// One worker, and it is the one that waits: so it runs the steps itself.
#[test]
fn a_worker_may_join_a_future() {
    within(LONG, "join inside", || {
        for threads in SIZES {
            let pool = pool(threads);
            let inside = pool.spawn(|| {
                spawn_async(async {
                    step().await;
                    step().await;
                    4
                })
                .join()
            });
            assert!(wait_until(LONG, || inside.is_finished()));
            assert_eq!(inside.join(), 4);
        }
    });
}

#[test]
fn pending_futures_hold_no_worker() {
    within(LONG, "many pending", || {
        for threads in SIZES {
            let pool = pool(threads);
            let (resolvers, promises): (Vec<_>, Vec<_>) =
                (0..200).map(|_| promise::<u32>()).unzip();
            let waiting: Vec<_> = promises
                .into_iter()
                .map(|promise| spawn_async_in(&pool, async move { promise.await + 1 }))
                .collect();
            assert_eq!(pool.spawn(|| 3).join(), 3);
            for (i, resolver) in (0..).zip(resolvers) {
                resolver.resolve(i);
            }
            for (i, waiting) in (0..).zip(waiting) {
                assert_eq!(waiting.join(), i + 1);
            }
        }
    });
}

#[test]
fn a_future_may_be_woken_from_anywhere_and_often() {
    within(LONG, "wakers", || {
        for threads in SIZES {
            let pool = pool(threads);
            let waker: Arc<Mutex<Option<Waker>>> = Arc::default();
            let (go, polls) = (
                Arc::new(AtomicBool::new(false)),
                Arc::new(AtomicUsize::new(0)),
            );
            let ended = spawn_async_in(&pool, {
                let (waker, go, polls) = (Arc::clone(&waker), Arc::clone(&go), Arc::clone(&polls));
                poll_fn(move |context| {
                    polls.fetch_add(1, SeqCst);
                    *waker.lock().expect("no poison") = Some(context.waker().clone());
                    if go.load(SeqCst) {
                        Poll::Ready(())
                    } else {
                        Poll::Pending
                    }
                })
            });
            assert!(wait_until(LONG, || waker
                .lock()
                .expect("no poison")
                .is_some()));
            for _ in 0..100 {
                let waker = waker.lock().expect("no poison").clone().expect("a waker");
                thread::spawn(move || waker.wake())
                    .join()
                    .expect("no panic");
            }
            assert!(!ended.is_finished());
            go.store(true, SeqCst);
            let last = waker.lock().expect("no poison").clone().expect("a waker");
            last.wake_by_ref();
            ended.join();
            let count = polls.load(SeqCst);
            assert!((2..=102).contains(&count), "{count} polls");
            // Waking what has ended does nothing.
            last.wake();
            pool.spawn(|| ()).join();
            assert_eq!(polls.load(SeqCst), count);
        }
    });
}

/// A waker that counts.
#[derive(Default)]
struct Count(AtomicUsize);

impl Wake for Count {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, SeqCst);
    }
}

#[test]
fn promises_wake_the_last_waker_once() {
    let counts = [Arc::new(Count::default()), Arc::new(Count::default())];
    let [first, last] = counts
        .each_ref()
        .map(|count| Waker::from(Arc::clone(count)));
    let (resolver, mut kept) = promise();
    for waker in [&first, &last, &last] {
        let mut context = Context::from_waker(waker);
        assert!(Pin::new(&mut kept).poll(&mut context).is_pending());
    }
    resolver.resolve(3);
    let mut context = Context::from_waker(&last);
    assert_eq!(Pin::new(&mut kept).poll(&mut context), Poll::Ready(3));
    assert_eq!(counts.map(|count| count.0.load(SeqCst)), [0, 1]);
    assert!(text(&*caught(|| Pin::new(&mut kept).poll(&mut context))).contains("not polled"));
}

#[test]
fn block_on_sleeps_until_it_is_woken() {
    within(LONG, "block_on", || {
        for wait in [0, 1, 20] {
            let (resolver, kept) = promise();
            let keeper = thread::spawn(move || {
                thread::sleep(Duration::from_millis(wait));
                resolver.resolve(wait);
            });
            // A token left by another thread's wake-up ends no wait for good.
            thread::current().unpark();
            assert_eq!(block_on(async { kept.await + 1 }), wait + 1);
            keeper.join().expect("no panic");
        }
    });
}

#[test]
fn panics_reach_whoever_joins_or_the_handler() {
    within(LONG, "panics", || {
        let (send, receive) = mpsc::channel();
        let send = Mutex::new(send);
        let two = ThreadPoolBuilder::new()
            .num_threads(2)
            .panic_handler(move |payload| {
                let said = text(&*payload).to_owned();
                send.lock()
                    .expect("no poison")
                    .send(said)
                    .expect("the test waits");
            })
            .build()
            .expect("a pool");
        for _ in 0..20 {
            let promise: Promise<()> = spawn_async_in(&two, async {
                step().await;
                throw("in a step")
            });
            assert_eq!(text(&*caught(|| promise.join())), "in a step");
            let detached: Promise<()> = spawn_async_in(&two, async {
                thread::sleep(Duration::from_millis(1));
                step().await;
                throw("unheard")
            });
            drop(detached);
            assert_eq!(receive.recv_timeout(LONG).as_deref(), Ok("unheard"));
        }
    });
}

#[test]
fn cancelled_futures_are_dropped() {
    static LEDGER: Ledger = Ledger::new();
    within(LONG, "cancel", || {
        for threads in SIZES {
            let pool = pool(threads);
            for begun in [false, true] {
                let token = LEDGER.token();
                let promise = spawn_async_in(&pool, async move {
                    let _token = token;
                    pending::<()>().await;
                });
                if begun {
                    thread::sleep(Duration::from_millis(2));
                }
                assert!(promise.cancel());
                assert!(wait_until(LONG, || LEDGER.counts().0 == LEDGER.dropped()));
            }
        }
    });
}

#[test]
fn futures_of_a_pool_that_has_gone() {
    within(LONG, "pool gone", || {
        for threads in SIZES {
            let (resolver, kept) = promise::<u8>();
            let gone = pool(threads);
            let waiting = spawn_async_in(&gone, async move { kept.await + 1 });
            gone.wait_until_stopped();
            let joiner = thread::spawn(|| waiting.try_join());
            resolver.resolve(1);
            let error = joiner.join().expect("no panic");
            let error = error.expect_err("no pool can take the next step");
            assert!(error.is_cancelled(), "{error}");
            assert!(error.to_string().contains("pool was dropped"), "{error}");
            let (resolver, kept) = promise::<u8>();
            let pool = pool(threads);
            let waiting = spawn_async_in(&pool, async move { kept.await + 1 });
            resolver.resolve(1);
            pool.wait_until_stopped();
            assert_eq!(waiting.join(), 2, "the pool ran what was due");
        }
    });
}

/// Each awaits the one before.
#[test]
fn chains_of_futures_need_no_stack() {
    const LENGTH: u32 = if cfg!(miri) { 300 } else { 100_000 };
    within(LONG, "chain", || {
        for threads in [1, 2] {
            for goes_on in [true, false] {
                let pool = pool(threads);
                let (resolver, mut last) = promise::<u32>();
                for _ in 0..LENGTH {
                    let before = last;
                    last = spawn_async_in(&pool, async move { before.await + 1 });
                }
                let pool = if goes_on {
                    Some(pool)
                } else {
                    pool.wait_until_stopped();
                    None
                };
                resolver.resolve(0);
                let outcome = last.try_join();
                drop(pool);
                match outcome {
                    Ok(length) => assert!(goes_on && length == LENGTH),
                    Err(error) => assert!(!goes_on && error.is_cancelled()),
                }
            }
        }
    });
}

//! A future whose pool has ended is woken by a channel's sender, inside the channel's lock: it is
//! not dropped there, since it owns the channel's receiver; and its promise ends.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering::SeqCst},
    },
    task::{Poll, Waker},
};
use sumac::{Promise, ThreadPool, spawn_async_in};
use sumac_test_support::{LONG, pool, wait_until, waited, within};

const MAKE: [fn(usize) -> ThreadPool; 2] = [pool, waited];

/// The pool has ended; `send` wakes the future.
fn ends(promise: Promise<Option<u32>>, pool: ThreadPool, send: impl FnOnce()) {
    // It is pending, and holds no thread.
    pool.install(|| ());
    pool.wait_until_stopped();
    send();
    assert!(wait_until(LONG / 8, || promise.is_finished()), "no end");
    let error = promise.try_join().expect_err("the pool has ended");
    assert!(error.is_cancelled());
}

/// Returns when the future has been polled once, and is pending.
fn pending<F: Future<Output = Option<u32>> + Send + 'static>(
    pool: &ThreadPool,
    future: F,
) -> Promise<Option<u32>> {
    let polled = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&polled);
    let mut future = Box::pin(future);
    let promise = spawn_async_in(
        pool,
        std::future::poll_fn(move |context| {
            let poll = future.as_mut().poll(context);
            flag.store(true, SeqCst);
            poll
        }),
    );
    assert!(wait_until(LONG / 4, || polled.load(SeqCst)));
    promise
}

#[test]
fn a_sender_of_flume_wakes_a_future_of_an_ended_pool() {
    for make in MAKE {
        for threads in [1, 2, 4] {
            within(LONG, "flume", move || {
                let pool = make(threads);
                let (send, receive) = flume::unbounded::<u32>();
                let future = async move { receive.recv_async().await.ok() };
                ends(pending(&pool, future), pool, || {
                    assert_eq!(send.send(5), Ok(()))
                });
            });
        }
    }
}

#[test]
fn a_sender_of_async_channel_wakes_a_future_of_an_ended_pool() {
    for make in MAKE {
        for threads in [1, 2, 4] {
            within(LONG, "async-channel", move || {
                let pool = make(threads);
                let (send, receive) = async_channel::unbounded::<u32>();
                let future = async move { receive.recv().await.ok() };
                ends(pending(&pool, future), pool, || {
                    assert_eq!(send.send_blocking(5), Ok(()))
                });
            });
        }
    }
}

#[test]
fn a_waker_that_is_called_under_a_lock_drops_nothing() {
    struct Locks(Arc<Mutex<Option<Waker>>>);
    impl Drop for Locks {
        fn drop(&mut self) {
            drop(self.0.lock());
        }
    }
    for make in MAKE {
        within(LONG, "a lock", move || {
            let (pool, waker) = (make(2), Arc::default());
            let locks = Locks(Arc::clone(&waker));
            let future = std::future::poll_fn(move |context| {
                *locks.0.lock().expect("no panic") = Some(context.waker().clone());
                Poll::<Option<u32>>::Pending
            });
            ends(pending(&pool, future), pool, || {
                let mut waker = waker.lock().expect("no panic");
                waker.take().expect("it is pending").wake();
            });
        });
    }
}

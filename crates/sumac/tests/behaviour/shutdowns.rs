//! Shutdowns of pools, users' code that runs where their threads end, and threads that wait there.

use super::resizing::named;
use std::{
    cell::RefCell,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
        mpsc::{self, Receiver, Sender},
    },
    thread,
    time::Duration,
};
use sumac::{Callers, OnStall, ThreadPool, ThreadPoolBuilder, spawn_async_in, yield_local};
use sumac_test_support::{LONG, held, text, wait_until, within};

/// Says that its destructor has begun, and waits there.
struct Slow(Sender<()>, Receiver<()>);

impl Drop for Slow {
    fn drop(&mut self) {
        self.0.send(()).expect("the test waits");
        let _ = self.1.recv();
    }
}

thread_local! {
    static SLOW: RefCell<Option<Slow>> = const { RefCell::new(None) };
}

#[test]
fn a_shutdown_waits_for_a_thread_that_was_too_many() {
    within(LONG, "the last steps", || {
        let name = "slow-to-end";
        let builder = ThreadPoolBuilder::new().num_threads(4);
        let pool = builder
            .thread_name(|_| name.into())
            .build()
            .expect("a pool");
        let (begun, has_begun) = mpsc::channel();
        let (end, ended) = mpsc::channel();
        let slow = Mutex::new(Some(Slow(begun, ended)));
        pool.broadcast(|call| {
            if call.index() == 3 {
                SLOW.set(slow.lock().expect("no panic").take());
            }
        });
        pool.resize(1).expect("one");
        has_begun.recv().expect("its thread ends");
        // Others start meanwhile, on the seats of those that have ended.
        assert!(wait_until(LONG / 4, || named(name) == 2));
        pool.resize(3).expect("three");
        assert_eq!(pool.broadcast(|call| call.index()), [0, 1, 2]);
        let released = AtomicBool::new(false);
        thread::scope(|threads| {
            threads.spawn(|| {
                assert!(wait_until(LONG / 4, || named(name) == 1));
                // A shutdown that does not wait for this one returns.
                thread::sleep(Duration::from_millis(20));
                released.store(true, SeqCst);
                drop(end);
            });
            pool.shutdown();
            assert!(released.load(SeqCst), "a thread is still there");
        });
    });
}

/// A thread that comes to a seat waits until the one before has left it.
#[test]
fn a_seat_has_one_thread() {
    within(LONG, "one seat", || {
        let builder = ThreadPoolBuilder::new().num_threads(2);
        let pool = builder.callers(Callers::Wait).build().expect("a pool");
        let (begun, has_begun) = mpsc::channel();
        let (end, ended) = mpsc::channel();
        let slow = Mutex::new(Some(Slow(begun, ended)));
        pool.broadcast(|call| {
            if call.index() == 1 {
                SLOW.set(slow.lock().expect("no panic").take());
            }
        });
        pool.resize(1).expect("one");
        has_begun.recv().expect("its thread ends");
        pool.resize(2).expect("two");
        let released = Arc::new(AtomicBool::new(false));
        let (first, end_first) = held(&pool);
        let its = Arc::clone(&released);
        let second = pool.spawn(move || its.load(SeqCst));
        thread::sleep(Duration::from_millis(5));
        released.store(true, SeqCst);
        drop(end);
        assert!(second.join(), "two threads sit there");
        drop(end_first);
        assert_eq!(first.join(), 5);
        pool.shutdown();
    });
}

/// A worker whose start handler waits is busy: others lead meanwhile.
#[test]
fn a_start_handler_that_waits_stops_no_others() {
    within(LONG, "a start handler", || {
        let waits = Arc::new(AtomicBool::new(false));
        let (end, ended) = mpsc::channel::<()>();
        let (its, ended) = (Arc::clone(&waits), Mutex::new(ended));
        let builder = ThreadPoolBuilder::new().num_threads(2);
        let builder = builder.start_handler(move |_| {
            if its.swap(false, SeqCst) {
                let _ = ended.lock().expect("no panic").recv();
            }
        });
        let pool = builder.build().expect("a pool");
        pool.broadcast(|_| ());
        pool.shutdown();
        waits.store(true, SeqCst);
        let (send, receive) = mpsc::channel();
        drop(pool.spawn(move || send.send(7)));
        assert_eq!(receive.recv_timeout(LONG / 2), Ok(7));
        drop(end);
    });
}

/// A thread that joins a future advances it itself once its pool has no workers.
#[test]
fn futures_are_joined_when_the_last_worker_ends() {
    within(LONG, "a future", || {
        let builder = ThreadPoolBuilder::new().num_threads(2).use_current_thread();
        let builder = builder.thread_name(|_| "last-worker".into());
        let pool = builder.callers(Callers::Wait).build().expect("a pool");
        let (resolver, promise) = sumac::promise();
        let (begun, has_begun) = mpsc::channel();
        let future = spawn_async_in(&pool, async move {
            begun.send(()).expect("the test waits");
            promise.await
        });
        has_begun.recv().expect("the worker begins");
        thread::scope(|threads| {
            let joins = threads.spawn(|| future.join());
            // It sleeps by then, or else it sees that there is no worker.
            thread::sleep(Duration::from_millis(20));
            pool.resize(1).expect("one");
            assert!(wait_until(LONG / 4, || named("last-worker") == 0));
            resolver.resolve(5);
            assert_eq!(joins.join().expect("no panic"), 5);
        });
    });
}

/// A worker that waits for its seat is busy, too: others lead meanwhile.
#[test]
fn an_exit_handler_that_waits_stops_no_others() {
    within(LONG, "an exit handler", || {
        for nth in 0..2 {
            let (begun, has_begun) = mpsc::channel();
            let (end, ended) = mpsc::channel::<()>();
            let (ended, exits) = (Mutex::new(ended), Arc::new(AtomicUsize::new(0)));
            let its = Arc::clone(&exits);
            let builder = ThreadPoolBuilder::new().num_threads(2);
            let builder = builder.exit_handler(move |_| {
                if its.fetch_add(1, SeqCst) == nth {
                    begun.send(()).expect("the test waits");
                    let _ = ended.lock().expect("no panic").recv();
                }
            });
            let pool = builder.build().expect("a pool");
            pool.broadcast(|_| ());
            thread::scope(|threads| {
                threads.spawn(|| pool.shutdown());
                has_begun.recv().expect("a thread ends");
                assert!(wait_until(LONG / 4, || exits.load(SeqCst) == 2));
                let (send, receive) = mpsc::channel();
                drop(pool.spawn(move || send.send(7)));
                let told = receive.recv_timeout(LONG / 4);
                drop(end);
                assert_eq!(told, Ok(7), "the thread with exit {nth} waits");
            });
        }
    });
}

/// The reserve stands in for the only worker, which waits for its seat.
#[test]
fn a_thread_local_that_is_dropped_stops_no_others() {
    within(LONG, "a thread-local", || {
        let pool = ThreadPoolBuilder::new().num_threads(2).build();
        let pool = pool.expect("a pool");
        let (begun, has_begun) = mpsc::channel();
        let (end, ended) = mpsc::channel();
        let slow = Mutex::new(Some(Slow(begun, ended)));
        pool.broadcast(|call| {
            if call.index() == 0 {
                SLOW.set(slow.lock().expect("no panic").take());
            }
        });
        pool.resize(1).expect("one");
        has_begun.recv().expect("its thread ends");
        pool.resize(2).expect("two");
        let (send, receive) = mpsc::channel();
        drop(pool.spawn(move || send.send(7)));
        let told = receive.recv_timeout(LONG / 4);
        drop(end);
        assert_eq!(told, Ok(7));
    });
}

#[test]
fn a_shutdown_leaves_calls_that_the_builder_answers() {
    within(LONG, "calls for the builder", || {
        let builder = ThreadPoolBuilder::new().num_threads(2);
        let builder = builder.callers(Callers::Wait).use_current_thread();
        let pool = builder.build().expect("a pool");
        let answers = Arc::new(AtomicUsize::new(0));
        let its = Arc::clone(&answers);
        pool.spawn_broadcast(move |_| _ = its.fetch_add(1, SeqCst));
        pool.shutdown();
        assert_eq!(answers.load(SeqCst), 1);
        pool.install(yield_local);
        assert_eq!(answers.load(SeqCst), 2);
    });
}

#[test]
fn a_handler_of_stalls_does_not_wait_for_itself() {
    waits_in_a_handler(false);
}

/// Nor while another shutdown waits for that thread.
#[test]
fn a_handler_of_stalls_does_not_wait_beside_another() {
    waits_in_a_handler(true);
}

fn waits_in_a_handler(beside_another: bool) {
    within(LONG, "the watch", move || {
        let (send, receive) = mpsc::channel();
        let place: Arc<Mutex<Option<Arc<ThreadPool>>>> = Arc::default();
        let its = Arc::clone(&place);
        let handler = move |_: &_| {
            let pool = its.lock().expect("no panic").clone();
            pool.inspect(|pool| pool.shutdown());
            OnStall::Wait
        };
        let builder = ThreadPoolBuilder::new().num_threads(1);
        let builder = builder.callers(Callers::Wait);
        let builder = builder.stall_handler(Duration::from_millis(4), handler);
        let builder = builder.panic_handler(move |payload| {
            send.send(text(&*payload).to_owned()).ok();
        });
        let pool = Arc::new(builder.build().expect("a pool"));
        *place.lock().expect("no panic") = Some(Arc::clone(&pool));
        let (first, end) = held(&pool);
        let second = pool.spawn(|| 3);
        let is_told = || {
            let told = receive.recv_timeout(LONG / 4);
            assert_eq!(told.as_deref(), Ok("a pool waits for itself"));
        };
        is_told();
        let its = Arc::clone(&pool);
        let other = beside_another.then(|| thread::spawn(move || its.shutdown()));
        if other.is_some() {
            // They come later and later: in the last ones it waits.
            (0..6).for_each(|_| is_told());
        }
        *place.lock().expect("no panic") = None;
        drop(end);
        assert_eq!((first.join(), second.join()), (5, 3));
        if let Some(other) = other {
            other.join().expect("it ends");
        }
    });
}

/// Where a spawn handler has started the workers, a pool waits for no thread: neither for those nor
/// for its watch or its reserve, which end with the tasks.
#[test]
fn a_pool_of_a_spawn_handler_waits_for_no_thread() {
    for (has_watch, tasks) in [(true, 1), (false, 3)] {
        for end in [
            |pool: ThreadPool| pool.shutdown(),
            ThreadPool::wait_until_stopped,
        ] {
            within(LONG, "the end", move || {
                let mut builder = ThreadPoolBuilder::new().num_threads(3);
                if has_watch {
                    builder = builder.stall_handler(LONG, |_| OnStall::Wait);
                }
                let builder = builder.spawn_handler(|worker| {
                    thread::spawn(|| worker.run());
                    Ok(())
                });
                let pool = builder.build().expect("a pool");
                // Two of them run on the workers, a third on the reserve.
                let tasks: Vec<_> = (0..tasks).map(|_| held(&pool).1).collect();
                end(pool);
                drop(tasks);
            });
        }
    }
}

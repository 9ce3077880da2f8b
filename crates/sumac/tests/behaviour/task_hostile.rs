//! Tasks and hostile users: wakers and destructors that panic, tasks that own their pool or wait
//! for themselves, other pools entered while one's own is being dropped.

use std::{
    cell::Cell,
    future::{Future, poll_fn},
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
        mpsc,
    },
    task::{Context, Poll, Wake, Waker},
    thread,
    time::Duration,
};

use sumac::{Promise, ThreadPool, ThreadPoolBuilder, promise, spawn_async_in};
use sumac_test_support::{LONG, held, pool, rounds, throw, wait_until, within};

/// A waker that panics when it is woken, or dropped.
struct Bomb {
    wake: bool,
}

impl Wake for Bomb {
    fn wake(self: Arc<Self>) {
        if self.wake {
            throw("woken");
        }
    }
}

impl Drop for Bomb {
    fn drop(&mut self) {
        if !self.wake && !thread::panicking() {
            throw("dropped");
        }
    }
}

/// Polls once, with a waker that the promise then has alone.
fn poll_once<T>(promise: &mut Promise<T>, wake: bool) -> Poll<T> {
    let waker = std::mem::ManuallyDrop::new(Waker::from(Arc::new(Bomb { wake })));
    let poll = Pin::new(promise).poll(&mut Context::from_waker(&waker));
    let waker = std::mem::ManuallyDrop::into_inner(waker);
    let _ = catch_unwind(AssertUnwindSafe(|| drop(waker)));
    poll
}

/// Ignores panics that have no receiver.
fn forgiving(threads: usize) -> ThreadPool {
    ThreadPoolBuilder::new()
        .num_threads(threads)
        .panic_handler(drop)
        .build()
        .expect("a pool")
}

/// Whether the pool's workers (or its reserve) still run tasks.
#[track_caller]
fn assert_alive(pool: &ThreadPool) {
    let alive = pool.spawn(|| ());
    assert!(
        wait_until(LONG / 6, || alive.is_finished()),
        "no worker lives"
    );
}

#[test]
fn wakers_that_panic_when_woken() {
    within(LONG, "woken", || {
        for threads in [1, 2] {
            let pool = forgiving(threads);
            let (mut promise, end) = held(&pool);
            assert!(poll_once(&mut promise, true).is_pending());
            drop(end);
            assert_eq!(promise.join(), 5);
            assert_alive(&pool);

            let (resolver, mut kept) = promise_of_a_number();
            assert!(poll_once(&mut kept, true).is_pending());
            resolver.resolve(7);
            assert_eq!(kept.join(), 7);
        }
    });
}

fn promise_of_a_number() -> (sumac::Resolver<u32>, Promise<u32>) {
    promise()
}

#[test]
fn wakers_that_panic_when_dropped() {
    within(LONG, "dropped", || {
        for threads in [1, 2] {
            let pool = forgiving(threads);
            // Replaced by the joiner's own waker, when it has spun long enough: it waits all the
            // same.
            let (mut promise, end) = held(&pool);
            assert!(poll_once(&mut promise, false).is_pending());
            let joiner = thread::spawn(move || promise.join());
            thread::sleep(Duration::from_millis(20));
            drop(end);
            assert_eq!(joiner.join().expect("no panic"), 5);
            assert_alive(&pool);

            // Left in a task that its joiner runs: the thread that drops the task last is not the
            // worse for it.
            let (busy, ends): (Vec<_>, Vec<_>) = (0..threads).map(|_| held(&pool)).unzip();
            let mut promise = pool.spawn(|| 6);
            assert!(poll_once(&mut promise, false).is_pending());
            assert_eq!(promise.join(), 6);
            drop(ends);
            assert!(busy.into_iter().all(|held| held.join() == 5));
            assert_alive(&pool);
        }
    });
}

/// Says when it is dropped whether a panic is why.
struct Tail(mpsc::Sender<bool>);

impl Drop for Tail {
    fn drop(&mut self) {
        let _ = self.0.send(thread::panicking());
    }
}

#[test]
fn the_value_of_a_detached_task_may_own_its_pool() {
    within(LONG, "value owns pool", || {
        for threads in [1, 2, 3] {
            let pool = Arc::new(forgiving(threads));
            let mine = Arc::clone(&pool);
            let (go, gone) = mpsc::channel::<()>();
            let (send, dropped) = mpsc::channel();
            drop(pool.spawn(move || {
                let _ = gone.recv();
                (mine, Tail(send))
            }));
            drop(pool);
            drop(go);
            let panicked = dropped.recv_timeout(LONG / 3);
            assert_eq!(panicked, Ok(false), "a worker joined itself");
        }
    });
}

/// Panics when it is dropped.
struct Mine;

impl Drop for Mine {
    fn drop(&mut self) {
        throw("of a destructor");
    }
}

#[test]
fn values_that_panic_when_dropped() {
    within(LONG, "hostile values", || {
        for threads in [1, 2] {
            let pool = forgiving(threads);
            drop(pool.spawn(|| Mine));
            assert_alive(&pool);
            // Cancelled while it takes its last step: the value has no receiver.
            let (begun, has_begun) = mpsc::channel();
            let (end, ended) = mpsc::channel::<()>();
            let promise = spawn_async_in(&pool, async move {
                let _ = begun.send(());
                let _ = ended.recv();
                Mine
            });
            has_begun.recv().expect("it begins");
            assert!(promise.cancel());
            drop(end);
            assert_alive(&pool);
            // The future panics in its destructor after it has given such a value.
            let bomb = Mine;
            let mut bomb = Some(std::mem::ManuallyDrop::new(bomb));
            let promise = spawn_async_in(&pool, Guarded { value: bomb.take() });
            drop(promise);
            assert_alive(&pool);
        }
    });
}

struct Guarded {
    value: Option<std::mem::ManuallyDrop<Mine>>,
}

impl Future for Guarded {
    type Output = Mine;

    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Mine> {
        let value = self.value.take().expect("polled once");
        Poll::Ready(std::mem::ManuallyDrop::into_inner(value))
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        throw("of a future's destructor");
    }
}

#[test]
fn a_task_that_waits_for_itself_is_told_so() {
    within(LONG, "waits for itself", || {
        for threads in [1, 2] {
            let pool = pool(threads);
            let (send, receive) = mpsc::channel::<Promise<()>>();
            let (told, outcome) = mpsc::channel();
            let promise = pool.spawn(move || {
                let own = receive.recv().expect("a promise");
                let join = AssertUnwindSafe(|| own.join());
                let halves = || sumac::join(|| (), || catch_unwind(join).is_err()).1;
                let _ = told.send(halves());
            });
            send.send(promise).expect("the task waits");
            assert_eq!(outcome.recv_timeout(LONG / 3), Ok(true), "waits for ever");
            assert_alive(&pool);
        }
    });
}

/// Counts when it is dropped.
struct Counted(Arc<AtomicUsize>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_add(1, SeqCst);
    }
}

thread_local! {
    /// Dropped when the thread ends.
    static OF_THREAD: Cell<Option<Counted>> = const { Cell::new(None) };
}

#[test]
fn steps_of_a_pool_that_was_dropped_inside() {
    within(LONG, "dropped inside", || {
        for threads in [1, 2, 3] {
            let ended = Arc::new(AtomicUsize::new(0));
            let begin = {
                let ended = Arc::clone(&ended);
                move |_: usize| OF_THREAD.set(Some(Counted(Arc::clone(&ended))))
            };
            let begins = begin.clone();
            let pool = ThreadPoolBuilder::new()
                .num_threads(threads)
                .spawn_handler(move |worker| {
                    let begins = begins.clone();
                    thread::spawn(move || {
                        begins(worker.index());
                        worker.run();
                    });
                    Ok(())
                })
                .build();
            let pool = Arc::new(pool.expect("a pool"));
            // This thread keeps the pool's memory.
            pool.install(|| ());
            let (resolver, kept) = promise_of_a_number();
            let polled = Arc::new(AtomicBool::new(false));
            let saw = Arc::clone(&polled);
            let mut kept = kept;
            let waiting = spawn_async_in(&pool, async move {
                poll_fn(|context| {
                    let poll = Pin::new(&mut kept).poll(context);
                    saw.store(true, SeqCst);
                    poll
                })
                .await
            });
            assert!(wait_until(LONG, || polled.load(SeqCst)));
            let mine = Arc::clone(&pool);
            let (go, gone) = mpsc::channel::<()>();
            let dropper = pool.spawn(move || {
                if threads == 1 {
                    begin(0);
                }
                let _ = gone.recv();
                drop(mine);
            });
            drop(pool);
            drop(go);
            assert!(wait_until(LONG, || dropper.is_finished()));
            // The last thread of the pool ends with it.
            let last = threads.max(2) - 1;
            assert!(wait_until(LONG / 4, || ended.load(SeqCst) == last));
            resolver.resolve(1);
            let over = wait_until(LONG / 6, || waiting.is_finished());
            assert!(over, "a step that is not taken is queued for ever");
            assert!(waiting.try_join().is_err());
        }
    });
}

/// Threads that the pool cannot join run what is queued all the same.
#[test]
fn workers_without_handles_finish_the_tasks() {
    within(LONG, "no handles", || {
        let pool = ThreadPoolBuilder::new()
            .num_threads(2)
            .spawn_handler(|worker| {
                thread::spawn(|| worker.run());
                Ok(())
            })
            .build()
            .expect("a pool");
        let (busy, ends): (Vec<_>, Vec<_>) = (0..2).map(|_| held(&pool)).unzip();
        let queued = pool.spawn(|| 8);
        drop(pool);
        let again = queued.is_finished();
        drop(ends);
        assert!(busy.into_iter().all(|held| held.join() == 5));
        assert!(!again && wait_until(LONG / 6, || queued.is_finished()));
        assert_eq!(queued.try_join().ok(), Some(8), "cancelled");
    });
}

/// Of one type for all, so that a worker that runs one after the other has their runs in the same
/// place.
type Work = Box<dyn FnOnce() + Send>;

/// Joins another task when it is woken, once the task that was to be woken has gone on without it.
struct Joiner {
    gone_on: Arc<AtomicBool>,
    pool: Arc<ThreadPool>,
    told: mpsc::Sender<Option<bool>>,
}

impl Wake for Joiner {
    fn wake(self: Arc<Self>) {
        assert!(wait_until(LONG / 4, || self.gone_on.load(SeqCst)));
        let (begun, joined) = (Arc::default(), Arc::<AtomicBool>::default());
        let work: Work = Box::new({
            let (begun, joined) = (Arc::<AtomicBool>::clone(&begun), Arc::clone(&joined));
            move || {
                begun.store(true, SeqCst);
                assert!(wait_until(LONG / 4, || joined.load(SeqCst)));
                thread::sleep(Duration::from_millis(1));
            }
        });
        let other = self.pool.spawn(work);
        assert!(wait_until(LONG / 4, || begun.load(SeqCst)));
        joined.store(true, SeqCst);
        let result = catch_unwind(AssertUnwindSafe(|| other.join()));
        let _ = self.told.send(Some(result.is_ok()));
    }
}

impl Drop for Joiner {
    fn drop(&mut self) {
        let _ = self.told.send(None);
    }
}

/// A task's waker runs on the thread that has ended the task, when the waiter may have gone.
#[test]
fn a_waker_does_not_follow_the_waiter() {
    within(LONG, "polled, then joined", || {
        let (mine, others) = (pool(2), Arc::new(pool(2)));
        for round in rounds(if cfg!(miri) { 10 } else { 2_000 }) {
            let (begun, has_begun) = mpsc::channel();
            let joins = Arc::new(AtomicBool::new(false));
            let mut task = mine.spawn({
                let joins = Arc::clone(&joins);
                move || {
                    begun.send(()).expect("the test waits");
                    assert!(wait_until(LONG / 4, || joins.load(SeqCst)));
                    // From before the join to when it sleeps.
                    for _ in 0..round % 64 * 16 {
                        std::hint::spin_loop();
                    }
                }
            });
            has_begun.recv().expect("the task begins");
            let gone_on = Arc::new(AtomicBool::new(false));
            let (told, is_told) = mpsc::channel();
            let waker = Waker::from(Arc::new(Joiner {
                gone_on: Arc::clone(&gone_on),
                pool: Arc::clone(&others),
                told,
            }));
            let work: Work = Box::new(move || {
                let poll = Pin::new(&mut task).poll(&mut Context::from_waker(&waker));
                drop(waker);
                joins.store(true, SeqCst);
                if poll.is_pending() {
                    task.join();
                }
                gone_on.store(true, SeqCst);
            });
            let waiter = others.spawn(work);
            for told in &is_told {
                assert!(told.is_none_or(|well| well), "round {round}: it followed");
            }
            assert!(wait_until(LONG, || waiter.is_finished()));
        }
    });
}

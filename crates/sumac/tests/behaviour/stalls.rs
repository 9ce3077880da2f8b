//! Stalls: reports of what waits for what, and threads that are added.

mod which;

use std::{
    panic::Location,
    sync::{
        Arc, Barrier, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
        mpsc::{self, Receiver, Sender},
    },
    thread,
    time::Duration,
};
use sumac::{
    Callers, OnStall, Promise, Stall, ThreadPool, ThreadPoolBuilder, WaitsFor, blocking, join,
};
use sumac_test_support::{LONG, child, child_argument, run, throw, wait_until, within};

const AFTER: Duration = Duration::from_millis(100);
/// More than enough for what takes a moment.
const SHORT: Duration = Duration::from_secs(20);

/// A pool to which callers hand their work over, which sends its stalls, and does this.
fn watched(threads: usize, answer: OnStall) -> (ThreadPool, Receiver<Stall>) {
    let (send, receive) = mpsc::channel();
    let tell = move |stall: &Stall| {
        send.send(stall.clone()).ok();
        answer
    };
    (
        builder(threads)
            .stall_handler(AFTER, tell)
            .build()
            .expect("a pool"),
        receive,
    )
}

fn builder(threads: usize) -> ThreadPoolBuilder {
    let builder = ThreadPoolBuilder::new().num_threads(threads);
    builder
        .callers(Callers::Wait)
        .thread_name(|i| format!("worker {i}"))
}

fn is_line(line: Option<&Location<'_>>, expected: u32) -> bool {
    line.is_some_and(|at| (at.file(), at.line()) == (file!(), expected))
}

/// An outside caller holds a lock while it calls the pool, and tasks that want the lock occupy all
/// of its threads.
#[test]
fn a_call_with_a_lock_that_tasks_want() {
    within(LONG, "a call with a lock", || {
        let (pool, stalls) = watched(2, OnStall::AddThread);
        let lock = Arc::new(Mutex::new(0));
        let begun = Arc::new(AtomicUsize::new(0));
        let held = lock.lock().expect("no panic");
        let mut spawned = 0;
        let tasks = [0, 1].map(|_| {
            let (lock, begun) = (Arc::clone(&lock), Arc::clone(&begun));
            spawned = line!() + 1;
            pool.spawn(move || {
                begun.fetch_add(1, SeqCst);
                *lock.lock().expect("no panic") += 1;
            })
        });
        assert!(wait_until(LONG, || begun.load(SeqCst) == 2));
        // Of tasks that waited for the system.
        stalls.try_iter().for_each(drop);
        let called = line!() + 1;
        pool.install(|| begun.fetch_add(10, SeqCst));
        drop(held);
        let [(), ()] = tasks.map(Promise::join);
        assert_eq!(
            (begun.load(SeqCst), *lock.lock().expect("no panic")),
            (12, 2)
        );

        let stall = stalls.recv().expect("it stalled");
        assert_eq!(
            (stall.calls(), stall.tasks(), stall.num_threads()),
            (1, 0, 2)
        );
        assert!(stall.lasts() >= AFTER);
        let [call] = stall.waiting() else {
            panic!("{stall}")
        };
        assert!(is_line(call.call(), called) && call.is_call(), "{stall}");
        let [first, second] = stall.threads() else {
            panic!("{stall}")
        };
        for (index, thread) in [first, second].into_iter().enumerate() {
            assert_eq!(thread.index(), Some(index));
            assert_eq!(thread.name(), Some(&*format!("worker {index}")));
            assert!(is_line(thread.call(), spawned), "{stall}");
            assert!(thread.lasts() >= Some(AFTER), "{stall}");
            assert_eq!(thread.waits_for(), WaitsFor::Program);
        }
        let text = stall.to_string();
        for part in [
            format!("1 call at {}:{called}:", file!()),
            format!("at {}:{spawned}:", file!()),
            r#"thread 1 "worker 1""#.to_owned(),
        ] {
            assert!(text.contains(&part), "no {part:?} in {text}");
        }
        pool.wait_until_stopped();
        assert!(stalls.recv().is_err(), "one stall");
    });
}

/// Tasks on all threads wait, on a channel, for tasks that have not started; so does a second level
/// of them, on the threads that are added.
#[test]
fn tasks_that_wait_for_tasks_behind_them() {
    within(LONG, "tasks behind tasks", || {
        for threads in [1, 2] {
            let (pool, stalls) = watched(threads, OnStall::AddThread);
            let all = Arc::new(Barrier::new(threads + 3));
            let tasks: Vec<_> = (1..threads + 3)
                .map(|nth| {
                    let all = Arc::clone(&all);
                    pool.spawn(move || {
                        all.wait();
                        nth
                    })
                })
                .collect();
            all.wait();
            let sum: usize = tasks.into_iter().map(Promise::join).sum();
            assert_eq!(sum, (1..threads + 3).sum());
            pool.wait_until_stopped();
            let waiting: Vec<_> = stalls.iter().map(|stall| stall.tasks()).collect();
            assert_eq!(waiting, [2, 1]);
        }
    });
}

/// Occupies the only thread of a pool until the sender is used or dropped.
fn held(pool: &ThreadPool) -> (Promise<bool>, Sender<()>) {
    let (send, receive) = mpsc::channel();
    let (begun, has_begun) = mpsc::channel();
    let held = pool.spawn(move || {
        begun.send(()).expect("the test waits");
        receive.recv().is_ok()
    });
    has_begun.recv().expect("it begins");
    (held, send)
}

#[test]
fn what_is_long_is_no_stall_while_nothing_waits() {
    within(LONG, "long", || {
        let (pool, stalls) = watched(2, OnStall::Wait);
        let (first, end_first) = held(&pool);
        let (second, end_second) = held(&pool);
        // Joined or cancelled ones leave entries behind in the queue.
        for _ in 0..10 {
            let mut spent = vec![pool.spawn(|| ()), pool.spawn(|| ())];
            assert!(spent.remove(0).cancel());
            let _ = spent.pop().map(Promise::cancel);
        }
        thread::sleep(AFTER * 6);
        assert!(stalls.try_recv().is_err(), "nothing waits");
        let waits = pool.spawn(|| ());
        assert_eq!(stalls.recv().expect("a task waits").tasks(), 1);
        drop((end_first, end_second));
        assert!(!first.join() && !second.join());
        waits.join();
    });
}

/// One of two threads waits for work that the other has taken, which waits for the test.
#[test]
fn what_threads_wait_for() {
    type Wait = fn(&(dyn Fn() -> bool + Sync), &(dyn Fn() + Sync));
    let waits: [(WaitsFor, Wait); 2] = [
        (WaitsFor::Join, |is_taken, held| {
            let fork_until_it_is_taken = || while !is_taken() && join(is_taken, || true).1 {};
            join(fork_until_it_is_taken, held);
        }),
        (WaitsFor::Scope, |is_taken, held| {
            sumac::scope(|s| {
                s.spawn(|_| held());
                while !is_taken() {
                    thread::yield_now();
                }
            });
        }),
    ];
    for (expected, wait) in waits {
        within(LONG, "waits", move || {
            let (pool, stalls) = watched(2, OnStall::Wait);
            let (free, freed) = mpsc::channel::<()>();
            let freed = Mutex::new(freed);
            let taken = AtomicBool::new(false);
            let is_taken = || taken.load(SeqCst);
            thread::scope(|threads| {
                let waits = threads.spawn(|| {
                    pool.install(|| {
                        wait(&is_taken, &|| {
                            taken.store(true, SeqCst);
                            freed.lock().expect("no panic").recv().ok();
                        });
                    });
                });
                assert!(wait_until(LONG, is_taken));
                let behind = pool.spawn(|| ());
                let stall = loop {
                    let stall = stalls.recv().expect("a task waits");
                    let mut all = stall.threads().iter().map(|thread| thread.waits_for());
                    if all.any(|what| what == expected) {
                        break stall;
                    }
                };
                assert_eq!(stall.threads().len(), 2, "{stall}");
                free.send(()).expect("it waits");
                waits.join().expect("no panic");
                behind.join();
            });
        });
    }
}

#[test]
fn a_thread_in_blocking() {
    within(LONG, "blocking", || {
        let (send, stalls) = mpsc::channel();
        let tell = move |stall: &Stall| {
            send.send(stall.clone()).ok();
            OnStall::AddThread
        };
        // No thread can be added.
        let builder = builder(1).spares(0).stall_handler(AFTER, tell);
        let pool = builder.build().expect("a pool");
        let (send, receive) = mpsc::channel();
        let first = pool.spawn(move || blocking(|| receive.recv()));
        let second = pool.spawn(|| 1);
        for _ in 0..2 {
            let stall = stalls.recv().expect("a task waits");
            assert_eq!(stall.threads()[0].waits_for(), WaitsFor::Blocking);
        }
        send.send(2).expect("it waits");
        assert_eq!((first.join(), second.join()), (Ok(2), 1));
    });
}

#[test]
fn a_handler_that_panics() {
    within(LONG, "a panic", || {
        let (send, payloads) = mpsc::channel();
        let builder = builder(1).stall_handler(AFTER, |_| throw(7));
        let builder = builder.panic_handler(move |payload| {
            send.send(payload.downcast_ref::<i32>().copied()).ok();
        });
        let pool = builder.build().expect("a pool");
        let (first, end) = held(&pool);
        let second = pool.spawn(|| 1);
        // It is called again when that has lasted for longer.
        for _ in 0..3 {
            assert_eq!(payloads.recv(), Ok(Some(7)));
        }
        drop(end);
        assert!(!first.join());
        assert_eq!(second.join(), 1);
    });
}

#[test]
fn a_pool_that_is_dropped_while_the_handler_runs() {
    within(LONG, "a dropped pool", || {
        for waits in [false, true] {
            let (run, runs) = mpsc::channel();
            let (go_on, goes_on) = mpsc::channel::<()>();
            let (alive, goes_on) = (Arc::new(()), Mutex::new(goes_on));
            let its = Arc::clone(&alive);
            let builder = builder(1).stall_handler(AFTER, move |_| {
                let _its = &its;
                run.send(()).ok();
                goes_on.lock().expect("no panic").recv().ok();
                OnStall::AddThread
            });
            let pool = builder.build().expect("a pool");
            let (first, end) = held(&pool);
            let second = pool.spawn(|| 1);
            runs.recv().expect("it stalls");
            if waits {
                thread::scope(|threads| {
                    threads.spawn(move || pool.wait_until_stopped());
                    drop((end, go_on));
                });
            } else {
                drop((pool, end));
                assert!(!first.join());
                assert_eq!(second.join(), 1);
                drop(go_on);
            }
            assert!(wait_until(LONG, || Arc::strong_count(&alive) == 1));
        }
    });
}

/// A handler that owns the pool, uses it, and drops it.
#[test]
fn a_handler_that_uses_its_pool() {
    within(LONG, "a use of the pool", || {
        let own: Arc<Mutex<Option<ThreadPool>>> = Arc::default();
        let (its, (send, receive)) = (Arc::clone(&own), mpsc::channel());
        let builder = builder(1).stall_handler(AFTER, move |_| {
            let pool = its.lock().expect("no panic").take();
            send.send(pool.map(|pool| pool.spawn(|| 3))).ok();
            OnStall::AddThread
        });
        let pool = builder.build().expect("a pool");
        let (first, end) = held(&pool);
        let second = pool.spawn(|| 1);
        *own.lock().expect("no panic") = Some(pool);
        let third = receive.recv().expect("it stalls").expect("it had the pool");
        // On the thread that is added, of a pool that has been dropped.
        assert_eq!((second.join(), third.join()), (1, 3));
        drop(end);
        assert!(!first.join());
    });
}

#[test]
fn any_time_will_do() {
    within(SHORT, "times", || {
        let (send, receive) = mpsc::channel();
        let builder = builder(1).stall_handler(Duration::ZERO, move |_| {
            send.send(()).ok();
            OnStall::Wait
        });
        let pool = builder.build().expect("a pool");
        let (first, end) = held(&pool);
        let second = pool.spawn(|| 1);
        receive.recv().expect("it stalls");
        drop(end);
        assert!(!first.join());
        second.join();
        // The watch sleeps for ever, and ends, also if it sleeps while nothing waits.
        for sleep in [Duration::ZERO, AFTER * 3] {
            let builder = self::builder(1).stall_handler(Duration::MAX, |_| OnStall::Wait);
            let pool = builder.build().expect("a pool");
            assert_eq!(pool.install(|| pool.spawn(|| 1)).join(), 1);
            thread::sleep(sleep);
            pool.wait_until_stopped();
        }
        // It begins with nothing that waits.
        let builder = self::builder(1).stall_handler(LONG * 4, |_| OnStall::Wait);
        let pool = builder.build().expect("a pool");
        pool.install(|| ());
        thread::sleep(AFTER * 3);
        pool.wait_until_stopped();
    });
}

#[test]
fn the_environment_may_ask_for_it() {
    const NAME: &str = "stalls::the_environment_may_ask_for_it";
    if child_argument(NAME).is_some() {
        let pool = builder(1).build().expect("a pool");
        let _ = builder(1).build().expect("another");
        let (send, receive) = mpsc::channel();
        let first = pool.spawn(move || receive.recv_timeout(Duration::from_secs(1)));
        let second = pool.spawn(move || send.send(7).is_ok());
        let came = first.join() == Ok(7);
        println!("added: {came}, {}", second.join());
        return;
    }
    let says = |value: &str| {
        let mut command = child(NAME, "");
        command.env("SUMAC_STALL", value);
        run(command, LONG)
    };
    let added = says("0.05,add");
    assert!(
        added.output.contains("added: true, true"),
        "{}",
        added.output
    );
    assert!(added.output.contains("sumac: a stall"), "{}", added.output);
    let told = says("0.05");
    assert!(told.output.contains("added: false"), "{}", told.output);
    assert!(told.output.contains("1 task at "), "{}", told.output);
    let bad = ["nan", "inf", "-1", "5s"].map(|bad| (bad, 1));
    for (asked, complaints) in bad.into_iter().chain([("", 0), ("0", 0)]) {
        let said = says(asked).output;
        assert_eq!(
            said.matches("which is ignored").count(),
            complaints,
            "{said}"
        );
        assert!(!said.contains("a stall:"), "{said}");
    }
}

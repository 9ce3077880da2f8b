//! Threads that wait for long sleep, however many they are, and help all the same when there is
//! something for them.
#![cfg(not(miri))]

use std::{
    sync::{
        Arc, Barrier, Condvar, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
        mpsc,
    },
    thread,
    time::Duration,
};

use sumac::{Promise, ThreadPool, join, scope};
use sumac_test_support::{
    Cx, LONG, Style, alone, enter, keep_forking, pool, wait_until, waited, within,
};

/// Something that threads wait for without using a processor.
#[derive(Default)]
struct Event {
    happened: Mutex<bool>,
    condvar: Condvar,
}

impl Event {
    fn wait(&self) {
        let happened = self.happened.lock().expect("no poison");
        let happened = self.condvar.wait_while(happened, |happened| !*happened);
        drop(happened.expect("no poison"));
    }

    fn happen(&self) {
        *self.happened.lock().expect("no poison") = true;
        self.condvar.notify_all();
    }
}

/// How long this process has used processors, all threads together that live.
#[cfg(target_os = "linux")]
fn processor_time() -> Duration {
    let tasks = std::fs::read_dir("/proc/self/task").expect("the threads of this process");
    let times = tasks.filter_map(|task| {
        // It may have ended meanwhile.
        let schedstat = std::fs::read_to_string(task.ok()?.path().join("schedstat")).ok()?;
        schedstat.split(' ').next()?.parse::<u64>().ok()
    });
    Duration::from_nanos(times.sum())
}

/// Starts so many threads that call `wait`, which all do until the event happens, and measures what
/// they cost.
#[cfg(target_os = "linux")]
fn assert_cheap(waiters: usize, event: &Event, wait: impl Fn(usize) + Sync) {
    let ended = AtomicUsize::new(0);
    thread::scope(|s| {
        for waiter in 0..waiters {
            let (ended, wait) = (&ended, &wait);
            let builder = thread::Builder::new().stack_size(256 << 10);
            let wait = move || {
                wait(waiter);
                ended.fetch_add(1, SeqCst);
            };
            builder.spawn_scoped(s, wait).expect("a thread");
        }
        // They need some time to come to rest, the more the busier the machine is. At rest one of
        // them looks for a tenth of the time; if all did, no processor would be free.
        let used = || {
            let before = processor_time();
            thread::sleep(Duration::from_millis(500));
            processor_time().saturating_sub(before)
        };
        let rests = wait_until(LONG / 4, || used() < Duration::from_millis(200));
        let early = ended.load(SeqCst);
        event.happen();
        assert!(rests, "more than 200 ms in 500 ms");
        assert_eq!(early, 0, "some did not wait");
    });
}

#[cfg(target_os = "linux")]
#[test]
fn many_waiters_for_a_batched_structure_sleep() {
    let _alone = alone();
    within(LONG, "many waiters for a structure", || {
        let (event, held) = (Event::default(), AtomicBool::new(false));
        let value = sumac::batch::Combining::new(0);
        thread::scope(|s| {
            s.spawn(|| {
                value.with(|_| {
                    held.store(true, SeqCst);
                    event.wait();
                });
            });
            assert!(wait_until(LONG / 4, || held.load(SeqCst)));
            assert_cheap(300, &event, |_| value.with(|n| *n += 1));
        });
        assert_eq!(value.with(|n| *n), 300);
    });
}

/// How many wait for as many workers.
#[cfg(target_os = "linux")]
const WAITERS: usize = 100;

/// Calls `wait` on so many threads, each of which a worker of its own keeps waiting.
#[cfg(target_os = "linux")]
fn assert_cheap_beside_workers(wait: impl Fn(&ThreadPool, &AtomicUsize, &Event) + Sync) {
    let (event, taken) = (Event::default(), AtomicUsize::new(0));
    let pool = pool(WAITERS + 1);
    assert_cheap(WAITERS, &event, |_| wait(&pool, &taken, &event));
    assert_eq!(taken.into_inner(), WAITERS);
}

#[cfg(target_os = "linux")]
#[test]
fn many_waiters_for_promises_sleep() {
    let _alone = alone();
    within(LONG, "many waiters for promises", || {
        let shared = Arc::new((Event::default(), AtomicUsize::new(0)));
        let pool = pool(WAITERS + 1);
        assert_cheap(WAITERS, &shared.0, |_| {
            let task = Arc::clone(&shared);
            let promise = pool.spawn(move || {
                task.1.fetch_add(1, SeqCst);
                task.0.wait();
            });
            // Not yet, or the join would run the task.
            wait_until(LONG / 4, || shared.1.load(SeqCst) == WAITERS);
            promise.join();
        });
    });
}

#[cfg(target_os = "linux")]
#[test]
fn many_waiters_for_scopes_sleep() {
    let _alone = alone();
    within(LONG, "many waiters for scopes", || {
        assert_cheap_beside_workers(|pool, taken, event| {
            pool.task_scope(|s| {
                s.spawn(|_| {
                    taken.fetch_add(1, SeqCst);
                    event.wait();
                });
                // Not yet, or the scope's own thread would run its task.
                wait_until(LONG / 4, || taken.load(SeqCst) == WAITERS);
            });
        });
    });
}

#[cfg(target_os = "linux")]
#[test]
fn many_waiters_for_joins_sleep() {
    let _alone = alone();
    within(LONG, "many waiters for joins", || {
        assert_cheap_beside_workers(|pool, taken, event| {
            enter(Style::Join, pool, |cx| {
                let mine = AtomicBool::new(false);
                cx.join(
                    |cx| assert!(keep_forking(cx, || mine.load(SeqCst)), "not taken"),
                    |_| {
                        mine.store(true, SeqCst);
                        taken.fetch_add(1, SeqCst);
                        event.wait();
                    },
                );
            });
        });
    });
}

#[cfg(target_os = "linux")]
#[test]
fn many_waiters_for_futures_sleep() {
    let _alone = alone();
    within(LONG, "many waiters for futures", || {
        let event = Event::default();
        let (send, receive) = async_channel::bounded::<()>(1);
        let (send, pool) = (Mutex::new(Some(send)), pool(2));
        thread::scope(|s| {
            s.spawn(|| {
                event.wait();
                send.lock().expect("no poison").take();
            });
            assert_cheap(300, &event, |_| {
                let receive = receive.clone();
                let closes = async move { receive.recv().await.is_err() };
                let closed = pool.install(|| sumac::spawn_async(closes));
                assert!(closed.join());
            });
        });
    });
}

/// Two threads wait for long for two workers, which then fork and fork; no other thread is there to
/// help.
#[test]
fn those_who_have_waited_for_long_help() {
    let _alone = alone();
    within(LONG, "help after a long wait", || {
        let three = pool(3);
        for round in 0..5 {
            thread::scope(|s| {
                let waiters = [0, 1].map(|_| {
                    s.spawn(|| {
                        let (taken, helped) = (AtomicBool::new(false), AtomicBool::new(false));
                        let (waiter, helper) = enter(Style::ALL[round % 2], &three, |cx| {
                            cx.join(
                                |cx| {
                                    assert!(keep_forking(cx, || taken.load(SeqCst)), "not taken");
                                    thread::current().id()
                                },
                                |cx| {
                                    taken.store(true, SeqCst);
                                    thread::sleep(Duration::from_millis(50));
                                    let join = cx.join(
                                        |cx| keep_forking(cx, || helped.load(SeqCst)),
                                        |_| {
                                            helped.store(true, SeqCst);
                                            thread::current().id()
                                        },
                                    );
                                    assert!(join.0, "no help");
                                    join.1
                                },
                            )
                        });
                        // Not ours if the other's worker was done before.
                        waiter == helper
                    })
                });
                let helped = waiters.map(|waiter| waiter.join().expect("no panic"));
                assert!(helped.contains(&true), "{round}");
            });
        }
    });
}

/// Each worker waits, and has a call in its inbox that it may not answer meanwhile.
#[test]
fn waiters_with_calls_take_turns_as_others_do() {
    const WORKERS: usize = 24;
    let _alone = alone();
    within(LONG, "calls", || {
        let pool = &pool(WORKERS + 1);
        let begun = &Barrier::new(WORKERS + 1);
        thread::scope(|threads| {
            pool.in_place_scope(|s| {
                let mut senders = Vec::new();
                for _ in 0..WORKERS {
                    let (send, receive) = mpsc::channel::<Promise<()>>();
                    senders.push(send);
                    s.spawn(move |_| {
                        begun.wait();
                        receive.recv().expect("a task").join();
                    });
                }
                begun.wait();
                // Guests run what the workers wait for.
                let ends = Arc::new(Event::default());
                for send in senders {
                    let (on, is_on) = mpsc::channel();
                    let event = Arc::clone(&ends);
                    let held = pool.spawn(move || {
                        on.send(()).expect("the test waits");
                        event.wait();
                    });
                    threads.spawn(|| pool.install(sumac::yield_now));
                    is_on.recv().expect("it begins");
                    send.send(held).expect("a worker waits");
                }
                let parks = || {
                    thread::sleep(Duration::from_millis(200));
                    let before = pool.stats().parks;
                    thread::sleep(Duration::from_millis(400));
                    pool.stats().parks - before
                };
                let without = parks();
                threads.spawn(|| pool.broadcast(|_| ()));
                let with = parks();
                ends.happen();
                assert!(with < 4 * (without + 50), "{with}, not {without}");
            });
        });
    });
}

// A caller works in the joins of a scope, and may come to wait for the worker that waits for it.
#[test]
fn callers_that_help_may_call() {
    let calls: [fn(&ThreadPool); 4] = [
        |pool| pool.install(|| ()),
        |_| scope(|s| s.spawn(|_| ())),
        |pool| pool.spawn(|| ()).join(),
        |pool| assert_eq!(pool.broadcast(|_| ()).len(), 1),
    ];
    for call in calls {
        within(LONG, "a call", move || {
            let (pool, caller) = (waited(1), thread::current().id());
            let [left, taken] = [(); 2].map(|()| AtomicBool::new(false));
            let until = |cx: &mut Cx<'_, '_>, flag: &AtomicBool| {
                assert!(keep_forking(cx, || flag.load(SeqCst)), "not taken");
            };
            pool.scope().join(
                |s| until(&mut Cx::Scope(s), &left),
                |_| {
                    left.store(true, SeqCst);
                    join(
                        || until(&mut Cx::Join, &taken),
                        || {
                            taken.store(true, SeqCst);
                            assert_eq!(thread::current().id(), caller);
                            call(&pool);
                        },
                    );
                },
            );
        });
    }
}

//! Pools whose callers wait: never more than *n* threads work in a pool of *n*, each with an index
//! of its own, and none of them is a caller's. (Their ends: `callers_wait_ends.rs`.)

use std::{
    sync::{
        Arc, Barrier,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};

use sumac::{
    ThreadPool, Yield, broadcast, current_num_threads, current_thread_index, join, join_inside,
    prelude::*, scope, spawn, spawn_async_in, worker_index, yield_now,
};
use sumac_test_support::{
    LONG, caught, child, child_argument, rounds, run_well, spin, sum, text, throw, wait_until,
    waited, waited_builder, within,
};

const SIZES: [usize; 4] = [1, 2, 3, 7];

/// Who works in a pool at this moment.
struct Working {
    indices: Vec<AtomicBool>,
    count: AtomicUsize,
}

impl Working {
    fn new(threads: usize) -> Self {
        Working {
            indices: (0..threads).map(|_| AtomicBool::new(false)).collect(),
            count: AtomicUsize::new(0),
        }
    }

    /// Works a little, in the place that no other thread has.
    fn work(&self) {
        let index = current_thread_index().expect("a thread that works has an index");
        assert_eq!(worker_index(), Some(index));
        assert!(!self.indices[index].swap(true, SeqCst), "{index} twice");
        let others = self.count.fetch_add(1, SeqCst);
        assert!(others < self.indices.len(), "{others} others work");
        spin(Duration::from_micros(1));
        assert_eq!(current_thread_index(), Some(index));
        self.count.fetch_sub(1, SeqCst);
        self.indices[index].store(false, SeqCst);
    }

    fn tree(&self, depth: u32) {
        if depth == 0 {
            return self.work();
        }
        join(|| self.tree(depth - 1), || self.tree(depth - 1));
    }
}

/// Works ahead of a consumer.
fn in_order(working: &Working) {
    let items = (0..9).into_par_iter().inspect(|_| working.tree(1));
    items.iter_ordered(3, |items| assert!(items.eq(0..9)));
}

/// Uses a pool from outside in each way there is.
fn use_all(pool: &ThreadPool, working: &Arc<Working>) {
    let threads = pool.current_num_threads();
    assert_eq!((current_thread_index(), worker_index()), (None, None));
    pool.install(|| working.tree(4));
    pool.join(|| working.work(), || working.tree(2));
    pool.for_each(0..20_usize, |_| working.work());
    pool.install(|| in_order(working));
    pool.task_scope(|s| {
        working.work();
        (0..5).for_each(|_| s.spawn(|s| s.spawn(|_| working.tree(1))));
    });
    pool.in_place_scope(|s| {
        assert_eq!(worker_index(), None);
        (0..5).for_each(|_| s.spawn(|_| working.tree(2)));
    });
    let mine = Arc::clone(working);
    pool.spawn(move || mine.tree(2)).join();
    let mine = Arc::clone(working);
    let inner = pool.install(|| spawn(move || mine.work()));
    inner.join();
    let mine = Arc::clone(working);
    spawn_async_in(pool, async move { mine.work() }).join();
    let called = pool.broadcast(|context| {
        assert_eq!(context.num_threads(), threads);
        working.work();
        assert_eq!(worker_index(), Some(context.index()));
        context.index()
    });
    assert!(called.into_iter().eq(0..threads));
    assert_eq!((current_thread_index(), worker_index()), (None, None));
}

#[test]
fn many_callers_at_once() {
    within(LONG, "many callers", || {
        for threads in SIZES {
            let (pool, working) = (waited(threads), Arc::new(Working::new(threads)));
            assert_eq!(pool.current_num_threads(), threads);
            thread::scope(|callers| {
                for _ in 0..5 {
                    callers.spawn(|| rounds(30).for_each(|_| use_all(&pool, &working)));
                }
            });
            pool.wait_until_stopped();
        }
    });
}

#[test]
fn a_call_runs_on_a_thread_of_the_pool() {
    within(LONG, "another thread", || {
        for threads in SIZES {
            let pool = waited(threads);
            let here = thread::current().id();
            for _ in 0..100 {
                let there = pool.install(|| {
                    assert!(current_thread_index().is_some_and(|index| index < threads));
                    assert_eq!(sum(&mut sumac_test_support::Cx::Join, 0, 100), 4_950);
                    let inner = pool.install(|| thread::current().id());
                    assert_eq!(inner, thread::current().id());
                    inner
                });
                assert_ne!(there, here);
            }
        }
    });
}

/// A call that comes while the leader naps for half a second is answered long before that.
#[test]
fn a_call_ends_the_leaders_nap() {
    within(LONG, "naps", || {
        let tuning = "nap=500000000,nap_max=500000000".parse().expect("a tuning");
        let two = waited_builder(2).tuning(tuning).build().expect("a pool");
        let mut late = 0;
        for _ in 0..40 {
            // The half that is taken is tiny, so that its thief naps; also while the call goes on.
            two.install(|| {
                let taken = AtomicBool::new(false);
                let wait = || wait_until(LONG / 2, || taken.load(SeqCst));
                assert!(join(wait, || taken.store(true, SeqCst)).0);
                spin(Duration::from_micros(500));
            });
            thread::sleep(Duration::from_millis(2));
            let start = Instant::now();
            two.install(|| ());
            late += usize::from(start.elapsed() > Duration::from_millis(250));
        }
        // The machine may stand still once.
        assert!(late <= 1, "{late} of 40 calls waited for the end of a nap");
    });
}

#[test]
fn a_task_runs_beside_the_call_that_waits_for_it() {
    within(LONG, "beside a call", || {
        for threads in [2, 3] {
            let pool = waited(threads);
            for _ in 0..20 {
                let (send, receive) = mpsc::channel();
                pool.install(move || {
                    spawn(move || send.send(current_thread_index()));
                    let index = receive.recv().expect("the task runs");
                    assert!(index.is_some() && index != current_thread_index());
                });
            }
        }
    });
}

#[test]
fn tasks_run_while_no_caller_is_there() {
    within(LONG, "no caller", || {
        for threads in SIZES {
            let pool = waited(threads);
            for round in 0..20 {
                // Also when the workers sleep, and when they are about to.
                thread::sleep(Duration::from_micros(round * 20));
                let (send, receive) = mpsc::channel();
                let inner = send.clone();
                pool.spawn(move || send.send(1));
                pool.install(|| spawn(move || inner.send(2)));
                let sum: i32 = receive.iter().sum();
                assert_eq!(sum, 3);
            }
        }
    });
}

/// Tasks that wait for each other, without any call.
#[test]
fn as_many_tasks_run_at_once_as_there_are_threads() {
    within(LONG, "at once", || {
        for threads in SIZES {
            let pool = waited(threads);
            for _ in 0..10 {
                let (send, receive) = mpsc::channel();
                let all = Arc::new(Barrier::new(threads));
                for _ in 0..threads {
                    let (send, all) = (send.clone(), Arc::clone(&all));
                    pool.spawn(move || {
                        all.wait();
                        send.send(worker_index())
                    });
                }
                drop(send);
                let mut indices: Vec<_> = receive.iter().flatten().collect();
                indices.sort_unstable();
                assert!(indices.into_iter().eq(0..threads));
            }
        }
    });
}

/// A thief has to come for the second half of a task's join.
#[test]
fn a_join_in_a_task_finds_a_thief() {
    within(LONG, "a thief", || {
        let two = waited(2);
        for round in 0..20 {
            let task = move || {
                // The other worker has napped for long, and is not called again.
                spin(Duration::from_micros(round * 500));
                let taken = AtomicBool::new(false);
                let wait = || {
                    sumac_test_support::keep_forking(&mut sumac_test_support::Cx::Join, || {
                        taken.load(SeqCst)
                    })
                };
                join(wait, || taken.store(true, SeqCst)).0
            };
            let (send, receive) = mpsc::channel();
            two.spawn(move || send.send(task()));
            assert_eq!(receive.recv(), Ok(true), "the other half was kept");
        }
    });
}

#[test]
fn a_pool_of_one_yields_to_its_tasks() {
    within(LONG, "yields", || {
        let one = waited(1);
        let done = Arc::new(AtomicBool::new(false));
        one.install(|| {
            let done_too = Arc::clone(&done);
            spawn(move || done_too.store(true, SeqCst));
            while !done.load(SeqCst) {
                assert_ne!(yield_now(), None);
            }
            assert_eq!(yield_now(), Some(Yield::Idle));
        });
    });
}

/// Callers that come again and again do not keep a task from its turn.
#[test]
fn tasks_are_not_starved() {
    within(LONG, "starved", || {
        let one = waited(1);
        for _ in 0..20 {
            let done = Arc::new(AtomicBool::new(false));
            let done_too = Arc::clone(&done);
            one.install(|| spawn(move || done_too.store(true, SeqCst)));
            thread::scope(|callers| {
                for _ in 0..2 {
                    callers.spawn(|| {
                        while !done.load(SeqCst) {
                            one.install(|| spin(Duration::from_micros(5)));
                        }
                    });
                }
            });
        }
    });
}

#[test]
fn broadcasts_reach_each_thread_once() {
    within(LONG, "broadcasts", || {
        for threads in SIZES {
            let pool = waited(threads);
            for _ in 0..10 {
                let indices = || broadcast(|context| (context.index(), thread::current().id()));
                let here = pool.install(indices);
                assert!(here.iter().map(|call| call.0).eq(0..threads));
                // From a task.
                let (send, receive) = mpsc::channel();
                pool.spawn(move || send.send(indices()));
                let there = receive.recv().expect("the task runs");
                assert!(there.iter().map(|call| call.0).eq(0..threads));
                let own = there.iter().filter(|call| call.1 == thread::current().id());
                assert_eq!(own.count(), 0);
                // While a call waits on one of the threads.
                let calls = AtomicUsize::new(0);
                pool.in_place_scope(|s| {
                    s.spawn(|_| {
                        broadcast(|_| calls.fetch_add(1, SeqCst));
                    });
                    if threads > 1 {
                        let called = || calls.load(SeqCst) + 1 >= threads;
                        pool.install(|| assert!(wait_until(LONG / 2, called)));
                    }
                });
                assert_eq!(calls.into_inner(), threads);
            }
        }
    });
}

#[test]
fn pools_broadcast_into_each_other() {
    within(LONG, "into each other", || {
        for threads in SIZES {
            let (a, b) = (&waited(threads), &waited(threads));
            thread::scope(|callers| {
                for (a, b) in [(a, b), (b, a), (a, b)] {
                    callers.spawn(move || {
                        for _ in rounds(10) {
                            let called = a.broadcast(|_| b.broadcast(|_| 1).len());
                            assert_eq!(called, vec![threads; threads]);
                        }
                    });
                }
            });
        }
    });
}

#[test]
fn calls_lead_through_other_pools_and_back() {
    within(LONG, "through others", || {
        for threads in [1, 2] {
            let (a, b) = (&waited(threads), &waited(threads));
            for _ in 0..20 {
                let inner = || b.install(|| a.install(|| b.install(|| sum_of(10))));
                assert_eq!(a.install(inner), 45);
                a.task_scope(|s| {
                    for _ in 0..4 {
                        s.spawn(|_| b.task_scope(|s| s.spawn(|_| a.join(|| (), || ()).0)));
                    }
                });
                assert_eq!(a.spawn(|| 1).join() + a.install(|| b.spawn(|| 2).join()), 3);
            }
        }
    });
}

/// A worker that calls another pool answers that pool's calls meanwhile, and what it answers may
/// wait for what the call has spawned: then the other pool's workers must not all sleep.
#[test]
fn callers_that_answer_meanwhile_are_not_relied_on() {
    within(LONG, "not relied on", || {
        let (a, b) = (&waited(1), &waited(2));
        for round in rounds(100) {
            // Short calls, so that the next is expected to be short; then all sleep.
            (0..5).for_each(|_| a.install(|| b.install(|| ())));
            thread::sleep(Duration::from_millis(2));
            a.install(|| b.install(|| ()));
            let (send, receive) = mpsc::channel();
            let back = a.install(|| {
                b.install(|| {
                    spawn(move || send.send(round));
                    a.install(move || receive.recv())
                })
            });
            assert_eq!(back, Ok(round));
        }
    });
}

fn sum_of(n: u64) -> u64 {
    sum(&mut sumac_test_support::Cx::Join, 0, n)
}

#[test]
fn plain_joins_of_another_global_pool() {
    within(LONG, "another global pool", || {
        let two = &waited(2);
        let tree = |depth| tree_in(two, depth);
        assert_eq!(tree(8), 256);
        assert_eq!(two.install(|| tree(8)), 256);
        let payload = caught(|| {
            join_inside(
                |_| throw::<&str>("first"),
                |_| throw::<&str>("second"),
                |a, b| two.install(|| join(|| a(true), || b(true))),
            )
        });
        assert_eq!(text(&*payload), "first");
        // The thread has not become a member of any pool.
        assert_eq!(current_thread_index(), None);
        assert_eq!(two.current_thread_index(), None);
    });
}

fn tree_in(pool: &ThreadPool, depth: u32) -> u32 {
    if depth == 0 {
        assert!(worker_index().is_some_and(|index| index < 2));
        assert_eq!(pool.current_thread_index(), worker_index());
        return 1;
    }
    let (a, b) = join_inside(
        |_| tree_in(pool, depth - 1),
        |_| tree_in(pool, depth - 1),
        |a, b| pool.install(|| join(|| a(true), || b(true))),
    );
    a + b
}

/// A barrier in both halves makes sure that the second is taken: it is offered, since the first
/// join of a new pool is asked for.
#[test]
fn halves_are_told_whether_they_are_elsewhere() {
    within(LONG, "told", || {
        let two = &waited(2);
        let outside = || {
            join_inside(
                |told| told,
                |told| told,
                |a, b| two.install(|| join(|| a(true), || b(true))),
            )
        };
        for _ in rounds(200) {
            assert_eq!(outside(), (true, true));
            let one = waited(1);
            assert_eq!(one.install(outside), (false, false));
            let both = Barrier::new(2);
            let half = |told| {
                let here = thread::current().id();
                both.wait();
                (told, here)
            };
            let halves = || join_inside(half, half, |_, _| unreachable!("inside of a pool"));
            let ((a, here), (b, there)) = waited(2).install(halves);
            assert_eq!((a, b), (false, true));
            assert_ne!(here, there);
        }
    });
}

#[test]
fn the_global_pool_may_be_one() {
    const NAME: &str = "the_global_pool_may_be_one";
    if child_argument(NAME).is_none() {
        run_well(child(NAME, ""), LONG);
        return;
    }
    within(LONG, "global", || {
        waited_builder(2).build_global().expect("the first use");
        let working = Arc::new(Working::new(2));
        thread::scope(|callers| {
            for _ in 0..3 {
                callers.spawn(|| {
                    for _ in rounds(50) {
                        working.tree(4);
                        (0..20).into_par_iter().for_each(|_| working.work());
                        in_order(&working);
                        scope(|s| s.spawn(|_| working.tree(2)));
                        let mine = Arc::clone(&working);
                        spawn(move || mine.work()).join();
                        assert_eq!(broadcast(|_| working.work()).len(), 2);
                        assert_eq!(current_thread_index(), None);
                        assert_eq!(current_num_threads(), 2);
                    }
                });
            }
        });
    });
}

//! Which threads stall, what is no stall, and what is only a call.

use super::*;
use sumac_test_support::spin;

/// The thread that has built the pool waits in it, and no more when the pool ends.
#[test]
fn a_pool_that_uses_the_current_thread() {
    within(SHORT, "the current thread", || {
        let (send, stalls) = mpsc::channel();
        let builder = builder(1).use_current_thread();
        let builder = builder.stall_handler(AFTER, move |stall| {
            send.send(stall.clone()).ok();
            OnStall::AddThread
        });
        let pool = builder.build().expect("a pool");
        let (send, receive) = mpsc::channel();
        let here = &pool;
        pool.install(move || {
            drop(here.spawn(move || send.send(7)));
            assert_eq!(receive.recv(), Ok(7));
        });
        let stall = stalls.recv().expect("it stalled");
        let first = &stall.threads()[0];
        let does = (first.index(), first.waits_for());
        assert_eq!(does, (Some(0), WaitsFor::Program), "{stall}");
        pool.wait_until_stopped();
    });
}

/// A broadcast waits for a thread, while another is idle. No thread can be added that answers, so
/// the reports come less and less often.
#[test]
fn a_call_that_only_one_thread_may_answer() {
    within(SHORT, "a call for a thread", || {
        let (pool, stalls) = watched(2, OnStall::AddThread);
        let (first, end) = held(&pool);
        pool.spawn_broadcast(|_| ());
        for nth in 0..3 {
            let stall = stalls.recv().expect("a call waits");
            assert!(stall.lasts() >= AFTER * (1 << nth), "{stall}");
            assert_eq!((stall.calls(), stall.tasks()), (1, 0), "{stall}");
            assert_eq!(stall.threads().len(), 2, "{stall}");
            let idle = stall.threads().iter();
            let idle = idle.filter(|thread| thread.waits_for() == WaitsFor::Work);
            assert_eq!(idle.count(), 1, "{stall}");
        }
        drop(end);
        assert!(!first.join());
    });
}

/// Tasks wait behind threads that wait for another pool again and again.
#[test]
fn waits_that_end_are_no_looks_for_work() {
    within(SHORT, "short waits", || {
        let (pool, stalls) = watched(2, OnStall::Wait);
        let other = Arc::new(builder(1).build().expect("a pool"));
        let end = Arc::new(AtomicBool::new(false));
        let tasks = [0, 1].map(|_| {
            let (other, end) = (Arc::clone(&other), Arc::clone(&end));
            pool.spawn(move || {
                while !end.load(SeqCst) {
                    other.install(|| thread::sleep(Duration::from_millis(1)));
                }
            })
        });
        let behind = pool.spawn(|| ());
        let stall = stalls.recv_timeout(SHORT / 2);
        end.store(true, SeqCst);
        assert_eq!(stall.expect("a task waits").tasks(), 1);
        let [(), ()] = tasks.map(Promise::join);
        behind.join();
    });
}

/// The tasks of a scope that was empty when the watch saw it.
#[test]
fn tasks_of_a_scope_that_grows() {
    const TASKS: usize = 100_000;
    within(SHORT, "a scope", || {
        let (send, stalls) = mpsc::channel();
        let builder = builder(1).stall_handler(Duration::ZERO, move |stall| {
            send.send(stall.tasks()).ok();
            OnStall::Wait
        });
        let pool = builder.build().expect("a pool");
        let (first, end) = held(&pool);
        let mut seen = false;
        pool.in_place_scope(|s| {
            (0..TASKS).for_each(|_| s.spawn(|_| ()));
            while let Ok(tasks) = stalls.recv_timeout(SHORT / 2) {
                if tasks == TASKS {
                    seen = true;
                    break;
                }
            }
            drop(end);
        });
        assert!(seen);
        assert!(!first.join());
    });
}

/// All threads always offer jobs, which they run themselves.
#[test]
fn forks_of_busy_threads_are_no_stalls() {
    fn fork(depth: u32) {
        if depth == 0 {
            return spin(Duration::from_micros(20));
        }
        join(|| fork(depth - 1), || fork(depth - 1));
    }
    within(SHORT, "forks", || {
        let (pool, stalls) = watched(2, OnStall::Wait);
        pool.install(|| fork(15));
        pool.wait_until_stopped();
        // Where the machine is busy, the call may have waited.
        let is_false = |stall: &Stall| stall.tasks() + stall.calls() == 0;
        assert!(stalls.iter().all(|stall| !is_false(&stall)));
    });
}

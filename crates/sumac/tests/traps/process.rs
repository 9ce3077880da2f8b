//! The world around a pool: fork(2), thread-local destructors, shutdown, other pools.

use std::{
    cell::Cell,
    fs,
    num::NonZero,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::SeqCst},
    },
    thread,
    time::{Duration, Instant},
};

use sumac::{Callers, Config, Scope, ThreadPool, ThreadPoolBuilder};

use sumac_test_support::{
    Cx, LONG, Style, assert_soon, child, child_argument, enter, pool, run_well, sum, wait_until,
    within,
};

/// Asserts that `work` succeeds in a child of fork(2).
fn assert_in_child(work: impl FnOnce() -> bool) {
    // SAFETY: the child of a process with several threads may only use what survives a fork: it
    // joins, which is what is being tested, allocates, for which glibc's malloc is prepared, and
    // leaves by `_exit`.
    let pid = unsafe { libc::fork() };
    assert!(pid >= 0, "fork: {}", std::io::Error::last_os_error());
    if pid == 0 {
        let status = if work() { 0 } else { 1 };
        // SAFETY: always safe to call; nothing of the parent is torn down on the way.
        unsafe { libc::_exit(status) };
    }
    let status = Cell::new(-1);
    let ended = wait_until(LONG / 4, || {
        let mut now = -1;
        // SAFETY: `pid` is our child, not yet waited for, and `now` is a place for its status.
        let reaped = unsafe { libc::waitpid(pid, &mut now, libc::WNOHANG) };
        status.set(now);
        reaped == pid
    });
    if !ended {
        // SAFETY: `pid` is our child and has not been waited for.
        unsafe { libc::kill(pid, libc::SIGKILL) };
    }
    assert!(ended, "the forked child still runs");
    assert_eq!(status.get(), 0, "wait status of the forked child");
}

// rayon #708: the child has the pool but none of its threads, and waits for ever.
#[test]
fn child_of_fork_finishes_its_joins() {
    const NAME: &str = "process::child_of_fork_finishes_its_joins";
    if child_argument(NAME).is_none() {
        run_well(child(NAME, ""), LONG);
        return;
    }
    let four = pool(4);
    let work = || {
        Style::ALL.map(|style| enter(style, &four, |cx| sum(cx, 0, 5_000)))
            == [5_000 * 4_999 / 2; 2]
            && sum(&mut Cx::Join, 0, 100) == 4_950
            && sum(&mut Cx::Scope(&mut Scope::global()), 0, 100) == 4_950
    };
    assert!(work(), "before the fork");
    for pause in [0, 1, 30] {
        thread::sleep(Duration::from_millis(pause));
        assert_in_child(work);
        assert!(work(), "in the parent after the fork");
    }
}

#[test]
fn child_of_fork_starts_no_threads_beside_those_of_its_parent() {
    const NAME: &str = "process::child_of_fork_starts_no_threads_beside_those_of_its_parent";
    if child_argument(NAME).is_none() {
        run_well(child(NAME, ""), LONG);
        return;
    }
    let builder = || ThreadPoolBuilder::new().num_threads(8).start_when_needed();
    let untouched = builder().build().expect("a pool");
    let begun = builder().callers(Callers::Wait).build().expect("a pool");
    assert_eq!(begun.install(|| 1), 1);
    let threads = || fs::read_dir("/proc/self/task").map_or(1, Iterator::count);
    assert_in_child(|| {
        let alone = threads();
        begun.spawn_broadcast(|_| ());
        let still = threads() == alone;
        // A pool that had no threads may have some here.
        let here = thread::current().id();
        let elsewhere = || thread::current().id() != here;
        let pause = || thread::sleep(Duration::from_micros(50));
        while !untouched.join(pause, elsewhere).1 {}
        still
    });
}

static ANSWERS: AtomicU64 = AtomicU64::new(0);

struct JoinsOnDrop;

impl Drop for JoinsOnDrop {
    fn drop(&mut self) {
        let free = sum(&mut Cx::Join, 0, 100);
        let scoped = sum(&mut Cx::Scope(&mut Scope::global()), 0, 100);
        ANSWERS.fetch_add(free + scoped, SeqCst);
    }
}

thread_local!(static LAST_WORD: JoinsOnDrop = const { JoinsOnDrop });

// The library's own thread-locals may be gone already, or not yet made.
#[test]
fn joins_work_in_thread_local_destructors() {
    within(LONG, "thread-local destructors", || {
        let join_once = || assert_eq!(sum(&mut Cx::Join, 0, 10), 45);
        let mut expected = 0;
        for order in 0..3 {
            thread::spawn(move || {
                if order == 1 {
                    join_once();
                }
                LAST_WORD.with(|_| ());
                if order == 2 {
                    join_once();
                }
            })
            .join()
            .expect("a destructor that does not panic");
            expected += 2 * 4_950;
            assert_eq!(ANSWERS.load(SeqCst), expected, "order {order}");
        }
    });
}

// chili 0.2.1 waits for a timer (3 s here) before it stops; Forte #37 dead-locked.
#[test]
fn shutdown_waits_for_no_timer() {
    within(LONG, "shutdown", || {
        let create = || {
            ThreadPool::with_config(Config {
                thread_count: NonZero::new(3),
                heartbeat_interval: Duration::from_secs(600),
            })
        };
        let shutdown = |round| {
            let three = create();
            if round % 2 == 0 {
                assert_eq!(
                    enter(Style::Scope, &three, |cx| sum(cx, 0, 2_000)),
                    1_999_000
                );
            }
            if round % 4 < 2 {
                thread::sleep(Duration::from_millis(5));
            }
            let start = Instant::now();
            three.wait_until_stopped();
            start.elapsed()
        };
        assert_soon("shutdown", Duration::from_millis(500), || {
            (0..20).map(shutdown).max().expect("some shutdowns")
        });
    });
}

// rayon #446, #449: two pools wait for each other, their threads inside both.
#[test]
fn two_pools_may_wait_for_each_other() {
    fn ping_pong(here: &ThreadPool, there: &ThreadPool, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        let (a, b) = here.install(|| {
            sumac::join(
                || ping_pong(there, here, depth - 1),
                || there.install(|| ping_pong(there, here, depth - 1)),
            )
        });
        a + b
    }
    within(LONG, "two pools", || {
        let pools = Arc::new((pool(2), pool(2)));
        let callers: Vec<_> = (0..4)
            .map(|caller| {
                let pools = Arc::clone(&pools);
                thread::spawn(move || {
                    for _ in 0..5 {
                        let (a, b) = (&pools.0, &pools.1);
                        let (here, there) = if caller % 2 == 0 { (a, b) } else { (b, a) };
                        assert_eq!(ping_pong(here, there, 8), 256);
                    }
                })
            })
            .collect();
        for caller in callers {
            caller.join().expect("a caller that does not panic");
        }
    });
}

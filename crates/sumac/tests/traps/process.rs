//! The world around a pool: thread-local destructors, shutdown, other pools.

use std::{
    num::NonZero,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::SeqCst},
    },
    thread,
    time::{Duration, Instant},
};

use sumac::{Config, Scope, ThreadPool};

use sumac_test_support::{Cx, LONG, Style, assert_soon, enter, pool, sum, within};

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

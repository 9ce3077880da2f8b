//! A waiting thread runs only descendants of the job it waits for. So locks and borrows held
//! across a join are as safe as in the sequential program, and stacks stay as deep as it goes.
//! The first programs here deadlock or panic with rayon, whose waiters run any job they find.

use std::{
    cell::{Cell, RefCell},
    sync::{
        Mutex, OnceLock, RwLock,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
    },
    thread,
    time::{Duration, Instant},
};

use sumac::{ThreadPoolBuilder, iter::walk_tree_prefix, join, prelude::*};
use sumac_test_support::{Cx, LONG, Style, enter, keep_forking, pool, spin, sum, within};

/// Calls `leaf` for every number below `n`, each from a join of its own.
fn for_each(cx: &mut Cx<'_, '_>, lo: u32, hi: u32, leaf: &(impl Fn(&mut Cx<'_, '_>, u32) + Sync)) {
    if hi - lo == 1 {
        return leaf(cx, lo);
    }
    let mid = lo + (hi - lo) / 2;
    cx.join(
        |cx| for_each(cx, lo, mid, leaf),
        |cx| for_each(cx, mid, hi, leaf),
    );
}

/// Joins that take long enough for other threads to want a part.
fn inner_joins(cx: &mut Cx<'_, '_>) {
    for_each(cx, 0, 8, &|_, _| spin(Duration::from_micros(10)));
}

// rayon #592
#[test]
fn lock_held_across_a_join_while_siblings_want_it() {
    within(LONG, "lock across a join", || {
        let four = pool(4);
        for style in Style::ALL {
            let counter = Mutex::new(0);
            enter(style, &four, |cx| {
                for_each(cx, 0, 400, &|cx, _| {
                    let mut counter = counter.lock().expect("no poison");
                    inner_joins(cx);
                    *counter += 1;
                });
            });
            assert_eq!(counter.into_inner().expect("no poison"), 400);
        }
    });
}

// rayon #1205
#[test]
fn read_and_write_locks_held_across_joins() {
    within(LONG, "RwLock across a join", || {
        let three = pool(3);
        for style in Style::ALL {
            let value = RwLock::new(0);
            enter(style, &three, |cx| {
                for_each(cx, 0, 200, &|cx, i| {
                    if i % 5 == 0 {
                        let mut value = value.write().expect("no poison");
                        inner_joins(cx);
                        *value += 1;
                    } else {
                        let value = value.read().expect("no poison");
                        inner_joins(cx);
                        assert!(*value <= 40);
                    }
                });
            });
            assert_eq!(value.into_inner().expect("no poison"), 40);
        }
    });
}

// A lock for each level of the tree, always taken from the root downwards.
#[test]
fn locks_at_every_level_of_a_tree() {
    fn descend(cx: &mut Cx<'_, '_>, locks: &[Mutex<u32>]) {
        let Some((lock, below)) = locks.split_first() else {
            return spin(Duration::from_micros(5));
        };
        cx.join(
            |cx| {
                let mut entered = lock.lock().expect("no poison");
                *entered += 1;
                descend(cx, below);
            },
            |cx| descend(cx, below),
        );
    }
    within(LONG, "locks at every level", || {
        let four = pool(4);
        for style in Style::ALL {
            let locks: Vec<_> = (0..10).map(|_| Mutex::new(0)).collect();
            enter(style, &four, |cx| descend(cx, &locks));
            for (level, lock) in locks.iter().enumerate() {
                assert_eq!(*lock.lock().expect("no poison"), 1 << level);
            }
        }
    });
}

// rayon #1251: the waiter inside the initialiser steals a sibling that wants the value.
#[test]
fn initialiser_that_joins_is_not_entered_again() {
    within(LONG, "OnceLock", || {
        let four = pool(4);
        for round in 0..50 {
            let (once, inits) = (OnceLock::new(), AtomicUsize::new(0));
            enter(Style::ALL[round % 2], &four, |cx| {
                for_each(cx, 0, 32, &|cx, _| {
                    let value = once.get_or_init(|| {
                        inits.fetch_add(1, SeqCst);
                        inner_joins(cx);
                        sum(cx, 0, 100)
                    });
                    assert_eq!(*value, 4_950);
                });
            });
            assert_eq!(inits.into_inner(), 1, "runs of the initialiser");
        }
    });
}

thread_local!(static BORROWED: RefCell<u32> = const { RefCell::new(0) });

#[test]
fn thread_local_borrow_held_across_a_join() {
    within(LONG, "RefCell across a join", || {
        let four = pool(4);
        for style in Style::ALL {
            let calls = AtomicUsize::new(0);
            enter(style, &four, |cx| {
                for_each(cx, 0, 400, &|cx, _| {
                    BORROWED.with_borrow_mut(|borrowed| {
                        inner_joins(cx);
                        *borrowed += 1;
                    });
                    calls.fetch_add(1, SeqCst);
                });
            });
            assert_eq!(calls.into_inner(), 400);
        }
    });
}

// chili and Spice park a waiter for good: all of a taken subtree runs on one thread.
#[test]
fn waiter_runs_a_half_that_its_thief_forks() {
    within(LONG, "waiter helps", || {
        let two = pool(2);
        for round in 0..50 {
            let (taken, helped) = (AtomicBool::new(false), AtomicBool::new(false));
            let ((waiter, ()), helper) = enter(Style::ALL[round % 2], &two, |cx| {
                cx.join(
                    |cx| {
                        assert!(keep_forking(cx, || taken.load(SeqCst)), "not taken");
                        (thread::current().id(), ())
                    },
                    |cx| {
                        taken.store(true, SeqCst);
                        let ((), helper) = cx.join(
                            |cx| assert!(keep_forking(cx, || helped.load(SeqCst)), "no help"),
                            |_| {
                                helped.store(true, SeqCst);
                                thread::current().id()
                            },
                        );
                        helper
                    },
                )
            });
            assert_eq!(helper, waiter, "round {round}: the waiter did not help");
        }
    });
}

#[test]
fn waiter_runs_a_good_part_of_a_taken_tree() {
    within(LONG, "waiter helps with a tree", || {
        let two = pool(2);
        for style in Style::ALL {
            // A machine that is busy with something else may keep the waiter from its processor
            // once.
            let attempt = || {
                let (taken, waiter) = (AtomicBool::new(false), thread::current().id());
                let by_waiter = AtomicUsize::new(0);
                enter(style, &two, |cx| {
                    cx.join(
                        |cx| assert!(keep_forking(cx, || taken.load(SeqCst)), "not taken"),
                        |cx| {
                            taken.store(true, SeqCst);
                            for_each(cx, 0, 64, &|_, _| {
                                thread::sleep(Duration::from_millis(1));
                                if thread::current().id() == waiter {
                                    by_waiter.fetch_add(1, SeqCst);
                                }
                            });
                        },
                    )
                });
                by_waiter.into_inner()
            };
            let parts: Vec<usize> = (0..10).map(|_| attempt()).collect();
            assert!(
                parts.iter().any(|&part| part >= 13),
                "of 64 leaves the waiter ran {parts:?}"
            );
        }
    });
}

thread_local! {
    /// The nodes whose calls are open on this thread: tree and number of the innermost, and how
    /// many there are.
    static OPEN: Cell<(u64, u64, u32)> = const { Cell::new((0, 0, 0)) };
}

const LEVELS: u32 = 12;

/// A node of a binary tree, numbered as in a heap. Whatever node is open on this thread when it
/// begins must be an ancestor of it: the parent whose call we are in, or that of a job waited for.
fn node(cx: &mut Cx<'_, '_>, tree: u64, id: u64, strangers: &AtomicUsize) {
    let (above_tree, above, open) = OPEN.get();
    let is_ancestor = above_tree == tree && (1..LEVELS).any(|up| id >> up == above);
    if open > 0 && !is_ancestor {
        strangers.fetch_add(1, SeqCst);
    }
    OPEN.set((tree, id, open + 1));
    std::hint::black_box([id as u8; 1024]);
    if id >> (LEVELS - 1) == 0 {
        // Lopsided, so that waits are long and thieves come back often.
        let pause = Duration::from_micros(if id > 255 { id % 7 * 2 } else { 0 });
        cx.join(
            |cx| node(cx, tree, 2 * id, strangers),
            |cx| {
                spin(pause);
                node(cx, tree, 2 * id + 1, strangers);
            },
        );
    }
    OPEN.set((above_tree, above, open));
}

// rayon #854, #751: jobs of strangers pile up on a waiter's stack, hundreds of frames deep.
#[test]
fn waiters_run_only_descendants_and_small_stacks_suffice() {
    const STACK: usize = 256 << 10;
    within(LONG, "small stacks", || {
        let four = ThreadPoolBuilder::new()
            .num_threads(4)
            .stack_size(STACK)
            .build()
            .expect("a pool with small stacks");
        let strangers = AtomicUsize::new(0);
        thread::scope(|threads| {
            for caller in 0..3 {
                let (four, strangers) = (&four, &strangers);
                thread::Builder::new()
                    .stack_size(STACK)
                    .spawn_scoped(threads, move || {
                        for round in 0..6 {
                            enter(Style::ALL[(caller + round) % 2], four, |cx| {
                                node(cx, caller as u64, 1, strangers);
                            });
                        }
                    })
                    .expect("a thread with a small stack");
            }
        });
        assert_eq!(
            strangers.into_inner(),
            0,
            "nodes run on the stack of a stranger"
        );
    });
}

/// How long a leaf of the list sleeps: much longer than a busy machine takes to wake a thread.
const LEAF: Duration = Duration::from_millis(10);

/// A list of leaves that sleep, as `join(leaf, rest)`.
fn leaf_and_rest(leaves: u32) {
    let leaf = || thread::sleep(LEAF);
    if leaves == 1 {
        leaf();
    } else {
        join(leaf, || leaf_and_rest(leaves - 1));
    }
}

/// A thread that waits for the rest finds parts of it with a thread that took them from a taker
/// that is still busy with its leaf.
#[test]
fn a_list_from_the_left_occupies_eight_threads() {
    let pool = ThreadPoolBuilder::new().num_threads(8).build().unwrap();
    let sequential = 80 * LEAF;
    // Sanitizers take their part: four of eight threads are enough to tell, for without such help
    // it is less than three. Other programs may use the machine: one run of many is enough, too.
    let fast = (0..40).any(|_| {
        let start = Instant::now();
        pool.install(|| leaf_and_rest(80));
        start.elapsed() * 4 < sequential
    });
    assert!(fast, "no run took less than a quarter of {sequential:?}");
}

/// Threads take the rest of a list from each other again and again, each time on top of a wait.
#[test]
fn a_tree_like_a_list_needs_no_more_stack_than_there_is() {
    within(LONG, "a list", || {
        let builder = ThreadPoolBuilder::new().num_threads(2).stack_size(1 << 19);
        let pool = builder.build().expect("a pool");
        let children = |&node: &usize| {
            let is_inner = node % 2 == 0 && node < 200_000;
            [node + 1, node + 2]
                .into_iter()
                .take(if is_inner { 2 } else { 0 })
        };
        let nodes = walk_tree_prefix(0, children).map(|_| {
            spin(Duration::from_micros(5));
            1
        });
        assert_eq!(pool.install(|| nodes.sum::<usize>()), 200_001);
    });
}

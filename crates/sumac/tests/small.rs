//! Small programs in which second halves are really taken by other threads: for Miri, which is too
//! slow for the rest, and sees wrong aliasing, races and leaks.

use std::{
    mem,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering::SeqCst},
    },
    thread,
};

use sumac::{Scope, join};
use sumac_test_support::{Stopped, stopped as pool};

/// Waits a moment for `flag`. Whether it comes true is up to the scheduler: the first half must not
/// depend on it.
fn wait(flag: &AtomicBool) {
    for _ in 0..200 {
        if flag.load(SeqCst) {
            return;
        }
        thread::yield_now();
    }
}

/// A balanced tree of joins, each of whose first halves waits for the second to be taken.
fn tree(scope: &mut Scope<'_>, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let taken = AtomicBool::new(false);
    let text = String::from("captured");
    let (a, b) = scope.join(
        |s| {
            wait(&taken);
            tree(s, depth - 1)
        },
        |s| {
            taken.store(true, SeqCst);
            tree(s, depth - 1) + text.len() as u64 - 8
        },
    );
    a + b
}

fn plain_tree(depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let taken = AtomicBool::new(false);
    let (a, b) = join(
        || {
            wait(&taken);
            plain_tree(depth - 1)
        },
        || {
            taken.store(true, SeqCst);
            tree(&mut Scope::global(), depth - 1)
        },
    );
    a + b
}

#[test]
fn halves_are_taken_in_both_styles() {
    let pool = pool(3);
    assert_eq!(tree(&mut pool.scope(), 3), 8);
    assert_eq!(pool.install(|| plain_tree(2)), 4);
    let stats = pool.stats();
    assert!(stats.steals + stats.reclaims <= stats.promotions);
}

#[test]
fn panics_cross_threads_and_wait_for_the_other_half() {
    let pool = pool(2);
    for (first, second) in [(true, false), (false, true), (true, true)] {
        let started = AtomicBool::new(false);
        let kept = String::from("captured");
        let join = || {
            pool.scope().join(
                |_| {
                    wait(&started);
                    assert!(!first, "first");
                    String::from("result")
                },
                |_| {
                    started.store(true, SeqCst);
                    assert!(!second, "second");
                    kept.len()
                },
            )
        };
        assert!(catch_unwind(AssertUnwindSafe(join)).is_err());
    }
    assert_eq!(tree(&mut pool.scope(), 2), 4);
}

// A half of one word lies in the join's locals as well as in its frame: only one of the two may be
// used.
#[test]
fn halves_of_one_word_are_used_up_once() {
    let pool = pool(2);
    let outcomes = [(false, false), (true, false), (false, true), (true, true)];
    for (wait_for_thief, panics) in outcomes {
        let (text, plain) = (String::from("scope's"), String::from("plain"));
        let (taken, plainly) = (
            Arc::new(AtomicBool::new(false)),
            Arc::new(AtomicBool::new(false)),
        );
        let first = |taken: &AtomicBool| {
            if wait_for_thief {
                wait(taken);
            }
            assert!(!panics, "first");
        };
        let half = Box::new((text, Arc::clone(&taken)));
        let scoped = || {
            let second = move |_: &mut Scope<'_>| {
                half.1.store(true, SeqCst);
                half.0.len()
            };
            pool.scope().join(|_| first(&taken), second).1
        };
        assert_eq!(
            catch_unwind(AssertUnwindSafe(scoped)).ok(),
            (!panics).then_some(7)
        );
        let half = Box::new((plain, Arc::clone(&plainly)));
        let joined = || {
            let second = move || {
                half.1.store(true, SeqCst);
                half.0.len()
            };
            join(|| first(&plainly), second).1
        };
        let joined = catch_unwind(AssertUnwindSafe(|| pool.install(joined)));
        assert_eq!(joined.ok(), (!panics).then_some(5));
        assert!(plainly.load(SeqCst), "a plain second half runs in any case");
        assert_eq!(
            (Arc::strong_count(&taken), Arc::strong_count(&plainly)),
            (1, 1)
        );
    }
}

#[test]
fn scopes_may_be_replaced() {
    static OTHER: OnceLock<Stopped> = OnceLock::new();
    let other = OTHER.get_or_init(|| pool(1));
    let pool = pool(2);
    let mut scope = pool.scope();
    let sums = scope.join(
        |s| {
            let mut moved = mem::replace(s, other.scope());
            let sum = tree(s, 1) + tree(&mut moved, 2);
            mem::swap(s, &mut moved);
            sum + tree(s, 1)
        },
        |s| tree(s, 2),
    );
    assert_eq!(sums, (8, 4));
}

#[test]
fn guests_come_and_go() {
    let pool = pool(2);
    for _ in 0..2 {
        thread::scope(|threads| {
            for _ in 0..2 {
                threads.spawn(|| assert_eq!(tree(&mut pool.scope(), 2), 4));
            }
        });
    }
}

#[test]
fn pools_nest() {
    let (outer, inner) = (pool(2), pool(2));
    let sum = outer.install(|| {
        let (a, b) = join(
            || inner.install(|| plain_tree(1)),
            || tree(&mut inner.scope(), 2),
        );
        a + b
    });
    assert_eq!(sum, 6);
}

sumac::context! {
    static HEIGHT: u32;
}

/// A tree of plain joins, each in a value of its own, whose halves are taken; both see the value.
fn set_tree(height: u32) -> u64 {
    if height == 0 {
        return 1;
    }
    let taken = AtomicBool::new(false);
    let sees = || HEIGHT.with(|seen| assert_eq!(seen, Some(&height)));
    let (a, b) = HEIGHT.set(height, || {
        join(
            || {
                wait(&taken);
                set_tree(height - 1)
            },
            || {
                taken.store(true, SeqCst);
                sees();
                let leaves = set_tree(height - 1);
                sees();
                leaves
            },
        )
    });
    a + b
}

#[test]
fn values_follow_halves_that_are_taken() {
    assert_eq!(pool(3).install(|| set_tree(3)), 8);
    assert!(HEIGHT.get().is_none());
}

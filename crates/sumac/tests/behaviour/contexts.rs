//! Values that follow the work: `sumac::context!`.

use send_wrapper::SendWrapper;
use std::{
    hint, ptr,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
    thread,
};
use sumac::{ContextKey, ScopeLoops, ThreadPool, prelude::*};
use sumac_test_support::{
    Cx, LONG, Style, enter, keep_forking, pool, rounds, sum, wait_until, within, work,
};

sumac::context! {
    pub(crate) static DEPTH: usize;
    pub(crate) static OTHER: usize;
}

pub(crate) fn depth() -> Option<usize> {
    DEPTH.with(|depth| depth.copied())
}

pub(crate) fn other() -> Option<usize> {
    OTHER.with(|other| other.copied())
}

/// Joins `first` with `second`, which another thread takes meanwhile.
pub(crate) fn join_stolen<A: Send, B: Send>(
    cx: &mut Cx<'_, '_>,
    first: impl FnOnce(&mut Cx<'_, '_>, &(dyn Fn() -> bool + Sync)) -> A + Send,
    second: impl FnOnce() -> B + Send,
) -> (A, B) {
    let here = thread::current().id();
    let taken = AtomicBool::new(false);
    let (a, (there, b)) = cx.join(
        |cx| {
            let a = first(cx, &|| taken.load(SeqCst));
            assert!(keep_forking(cx, || taken.load(SeqCst)), "no thread came");
            a
        },
        |_| {
            taken.store(true, SeqCst);
            (thread::current().id(), second())
        },
    );
    assert_ne!(there, here);
    (a, b)
}

/// Whether the locals of a function lie below those of its caller: not with AddressSanitizer, and
/// there what joins of a scope from outside see is left to chance.
fn stack_is_in_order() -> bool {
    #[inline(never)]
    fn descends(depth: usize, above: usize) -> bool {
        let mark = 0_u8;
        let mark = ptr::from_ref(hint::black_box(&mark)).addr();
        mark < above && (depth == 0 || descends(depth - 1, mark))
    }
    hint::black_box(descends(3, usize::MAX))
}

/// The styles in which the value of a call inside can be told from one outside.
fn styles() -> impl Iterator<Item = Style> {
    let plain = |style: &Style| *style == Style::Join || stack_is_in_order();
    Style::ALL.into_iter().filter(plain)
}

/// Calls `test` in both styles, in a pool of two that it has entered.
pub(crate) fn both_styles(test: impl Fn(&mut Cx<'_, '_>) + Send + Sync + 'static) {
    within(LONG, "both styles", move || {
        let two = pool(2);
        for style in styles() {
            enter(style, &two, &test);
        }
    });
}

#[test]
fn both_halves_of_a_stolen_join_see_the_value() {
    within(LONG, "a stolen join", || {
        let two = pool(2);
        for style in Style::ALL {
            let seen = DEPTH.set(7, || {
                enter(style, &two, |cx| join_stolen(cx, |_, _| depth(), depth))
            });
            assert_eq!(seen, (Some(7), Some(7)));
            let seen = enter(style, &two, |cx| join_stolen(cx, |_, _| depth(), depth));
            assert_eq!(seen, (None, None));
        }
    });
}

/// Joins while the other thread of `two` is held, so that the second half is promoted while
/// `inside` runs, which keeps forking until it has been taken: asserts that it sees `expected`.
/// (Now and then it is promoted earlier.)
fn promoted_inside(
    two: &ThreadPool,
    cx: &mut Cx<'_, '_>,
    expected: Option<usize>,
    inside: impl Fn(&mut Cx<'_, '_>, &(dyn Fn() -> bool + Sync)) + Sync,
) {
    let promotions = || two.stats().promotions;
    let late = AtomicUsize::new(0);
    for _ in rounds(10_000).take_while(|_| late.load(SeqCst) < 3) {
        let held = AtomicBool::new(true);
        let holds = |cx: &mut Cx<'_, '_>, is_held: &(dyn Fn() -> bool + Sync)| {
            assert!(keep_forking(cx, is_held));
            // Nothing is asked for any more.
            let mut before = u64::MAX;
            while promotions() != before {
                before = promotions();
                sum(cx, 0, 64);
            }
            let first = |cx: &mut Cx<'_, '_>, taken: &(dyn Fn() -> bool + Sync)| {
                late.fetch_add(usize::from(promotions() == before), SeqCst);
                held.store(false, SeqCst);
                inside(cx, taken);
            };
            let ((), seen) = join_stolen(cx, first, depth);
            assert_eq!((seen, depth()), (expected, expected));
        };
        join_stolen(cx, holds, || wait_until(LONG / 2, || !held.load(SeqCst)));
    }
    assert_eq!(late.load(SeqCst), 3, "promoted at once");
}

/// Calls `test` with a value set outside, and with none.
fn with_and_without(mut test: impl FnMut(Option<usize>)) {
    test(None);
    DEPTH.set(1, || test(Some(1)));
}

// Of a scope, the frame of the join is outside, and that of the scope's joins inside is not.
#[test]
fn a_join_outside_of_the_call_sees_nothing_of_it() {
    within(LONG, "joins outside", || {
        let two = pool(2);
        for style in styles() {
            enter(style, &two, |cx| {
                with_and_without(|expected| {
                    promoted_inside(&two, cx, expected, |cx, taken| {
                        DEPTH.set(2, || {
                            assert!(keep_forking(cx, taken));
                            let inner = join_stolen(cx, |_, _| depth(), depth);
                            assert_eq!(inner, (Some(2), Some(2)));
                        });
                    });
                });
            });
        }
    });
}

// The joins of the other pool give away those outside.
#[test]
fn a_join_outside_of_another_pools_call_sees_nothing_of_it() {
    within(LONG, "two pools", || {
        let (two, third) = (pool(2), pool(2));
        two.install(|| {
            with_and_without(|expected| {
                promoted_inside(&two, &mut Cx::Join, expected, |_, taken| {
                    let forks = || assert!(keep_forking(&mut Cx::Join, taken));
                    third.install(|| DEPTH.set(2, forks));
                });
            });
        });
    });
}

// Mostly the owner of the other pool's scope runs the task: it forks in the scope outside.
#[test]
fn a_join_outside_of_a_task_sees_nothing_of_it() {
    within(LONG, "a task inside", || {
        let (two, one) = (pool(2), pool(1));
        for style in styles() {
            enter(style, &two, |cx| {
                with_and_without(|expected| {
                    promoted_inside(&two, cx, expected, |cx, taken| {
                        let cx = SendWrapper::new(cx);
                        one.install(|| {
                            sumac::in_place_scope(|s| {
                                let forks = |_: &_| {
                                    assert!(!cx.valid() || keep_forking(cx.take(), taken));
                                };
                                DEPTH.set(2, || s.spawn(forks));
                            });
                        });
                    });
                });
            });
        }
    });
}

#[test]
fn a_call_that_has_ended_before_the_join_is_not_seen() {
    both_styles(|cx| {
        let (_, seen) = DEPTH.set(1, || {
            DEPTH.set(2, work);
            join_stolen(cx, |_, _| DEPTH.set(3, work), depth)
        });
        assert_eq!(seen, Some(1));
    });
}

/// A list of so many leaves, written as `join(rest, leaf)`, each in a value of its own or all in
/// that of the caller. Counts the leaves that run on another thread.
fn list(cx: &mut Cx<'_, '_>, left: usize, own: bool, stolen: &AtomicUsize) -> usize {
    if left == 0 {
        return 0;
    }
    let here = thread::current().id();
    let expected = if own { left } else { 1 };
    let mut level = || {
        let (rest, leaf) = cx.join(
            |cx| list(cx, left - 1, own, stolen),
            |_| {
                work();
                assert_eq!(depth(), Some(expected));
                stolen.fetch_add(usize::from(thread::current().id() != here), SeqCst);
                1
            },
        );
        rest + leaf
    };
    if own { DEPTH.set(left, level) } else { level() }
}

#[test]
fn a_long_list_inside() {
    both_styles(|cx| {
        let stolen = AtomicUsize::new(0);
        for own in [false, true] {
            stolen.store(0, SeqCst);
            for _ in rounds(1000).take_while(|_| stolen.load(SeqCst) < 100) {
                assert_eq!(DEPTH.set(1, || list(cx, 200, own, &stolen)), 200);
            }
            assert!(stolen.load(SeqCst) >= 100);
        }
    });
}

/// A tree of joins with so many leaves, each node in a value of its own.
fn tree(cx: &mut Cx<'_, '_>, height: usize, stolen: &AtomicUsize) -> usize {
    if height == 0 {
        work();
        return 1;
    }
    let here = thread::current().id();
    let half = |cx: &mut Cx<'_, '_>| {
        assert_eq!((depth(), other()), (Some(height), Some(5)));
        stolen.fetch_add(usize::from(thread::current().id() != here), SeqCst);
        tree(cx, height - 1, stolen)
    };
    let (a, b) = DEPTH.set(height, || cx.join(half, half));
    a + b
}

// Most of what is stolen was promoted from far inside, and waiting threads help.
#[test]
fn all_halves_of_a_recursion_see_the_values_of_their_callers() {
    within(LONG, "recursions", || {
        let five = pool(5);
        for style in styles() {
            let stolen = AtomicUsize::new(0);
            let enough = || stolen.load(SeqCst) > 50;
            for _ in rounds(1000).take_while(|_| !enough()) {
                let leaves = OTHER.set(5, || enter(style, &five, |cx| tree(cx, 10, &stolen)));
                assert_eq!((leaves, depth(), other()), (1 << 10, None, None));
            }
            assert!(enough());
        }
    });
}

/// Runs `a_loop` with a body that says whether it saw `expected`, until a part of it is stolen.
fn loops(expected: Option<usize>, mut a_loop: impl FnMut(&(dyn Fn() + Sync))) {
    let here = thread::current().id();
    let (others, wrong) = (AtomicUsize::new(0), AtomicUsize::new(0));
    for _ in rounds(100_000).take_while(|_| others.load(SeqCst) == 0) {
        a_loop(&|| {
            others.fetch_add(usize::from(thread::current().id() != here), SeqCst);
            wrong.fetch_add(usize::from(depth() != expected), SeqCst);
            work();
        });
    }
    assert!(others.load(SeqCst) > 0, "no part was stolen");
    assert_eq!(wrong.load(SeqCst), 0);
}

#[test]
fn loops_see_the_value() {
    within(LONG, "loops", || {
        let two = pool(2);
        two.install(|| {
            let plain = |body: &(dyn Fn() + Sync)| (0..100).into_par_iter().for_each(|_| body());
            DEPTH.set(1, || loops(Some(1), plain));
            DEPTH.set(1, || {
                let items = (0..1000).into_par_iter().map(|_| depth());
                assert!(items.iter_ordered(8, |mut seen| seen.all(|seen| seen == Some(1))));
            });
            loops(None, plain);
            // Of a scope from outside, after a loop; and of one from inside.
            let mut scope = two.scope();
            DEPTH.set(2, || {
                loops(Some(2), plain);
                if stack_is_in_order() {
                    loops(Some(2), |body| scope.for_each(0..100, |_, _| body()));
                }
                let mut inner = two.scope();
                loops(Some(2), |body| inner.for_each(0..100, |_, _| body()));
                assert_eq!(depth(), Some(2));
            });
            loops(None, |body| scope.for_each(0..100, |_, _| body()));
        });
    });
}

#[test]
fn a_loop_around_the_call_sees_nothing_of_it() {
    within(LONG, "a loop around", || {
        pool(2).install(|| {
            let (taken, wrong) = (AtomicUsize::new(0), AtomicUsize::new(0));
            let here = thread::current().id();
            for _ in rounds(100_000).take_while(|_| taken.load(SeqCst) == 0) {
                (0..100).into_par_iter().for_each(|i| {
                    wrong.fetch_add(usize::from(depth().is_some()), SeqCst);
                    taken.fetch_add(usize::from(thread::current().id() != here), SeqCst);
                    DEPTH.set(i, || {
                        sum(&mut Cx::Join, 0, 4);
                        work();
                    });
                });
            }
            assert!(taken.load(SeqCst) > 0);
            assert_eq!(wrong.load(SeqCst), 0);
        });
    });
}

// The waits run work of their own, in between.
#[test]
fn a_function_that_waits_first() {
    both_styles(|cx| {
        let third = pool(2);
        for _ in 0..20 {
            let seen = DEPTH.set(1, || {
                assert_eq!(sumac::spawn(|| DEPTH.set(5, depth)).join(), Some(5));
                assert_eq!(third.install(|| DEPTH.set(6, depth)), Some(6));
                sumac::scope(|s| s.spawn(|_| assert_eq!(depth(), Some(1))));
                join_stolen(&mut Cx::Join, |_, _| (), work);
                join_stolen(cx, |_, _| depth(), depth)
            });
            assert_eq!(seen, (Some(1), Some(1)));
        }
    });
}

#[test]
fn calls_nest_in_one_another_and_in_those_of_other_keys() {
    both_styles(|cx| {
        let both = || (depth(), other());
        DEPTH.set(1, || {
            OTHER.set(2, || {
                let seen = join_stolen(cx, |_, _| both(), both);
                assert_eq!(seen, ((Some(1), Some(2)), (Some(1), Some(2))));
                DEPTH.set(3, || {
                    let seen = join_stolen(cx, |_, _| both(), both);
                    assert_eq!(seen, ((Some(3), Some(2)), (Some(3), Some(2))));
                });
                assert_eq!(both(), (Some(1), Some(2)));
            });
            assert_eq!(both(), (Some(1), None));
        });
        assert_eq!(both(), (None, None));
    });
}

/// Keys have nothing in them.
#[test]
fn keys_are_not_mistaken_for_one_another() {
    sumac::context! {
        static FIRST: ();
        static SECOND: ();
    }
    static MORE: [ContextKey<()>; 4] = [const { ContextKey::new() }; 4];
    let keys: Vec<_> = MORE.iter().chain([&FIRST, &SECOND]).collect();
    for key in &keys {
        key.set((), || {
            let set = keys.iter().filter(|key| key.get().is_some());
            assert!(set.count() == 1 && key.get().is_some());
        });
    }
}

//! Loops that are really split, in all positions in which safe code can have them. Small, so that
//! Miri can run them too.

use std::{
    cell::{Cell, RefCell},
    mem,
    ops::Range,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Mutex, OnceLock,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
    },
    thread,
};
use sumac_core::{Returned, Scope, Splitting, ThreadPool, join, splitting};
use sumac_test_support::{Cx, dawdle, held, keep_forking, pool, waited};

const ITEMS: u32 = if cfg!(miri) { 8 } else { 64 };

/// The state of a loop: what is left, and how it is split.
struct Left(Cell<Range<u32>>);

impl Left {
    fn new(range: Range<u32>) -> Self {
        Left(Cell::new(range))
    }

    fn next(&self) -> Option<u32> {
        let mut range = self.0.take();
        let item = range.next();
        self.0.set(range);
        item
    }

    fn split(&self) -> Option<Range<u32>> {
        let Range { start, end } = self.0.take();
        let middle = start + (end - start) / 2;
        self.0.set(start..middle);
        (middle < end).then_some(middle..end)
    }
}

/// The items in order, to each of which `step` happens.
fn plain(range: Range<u32>, step: &(impl Fn(u32) + Sync)) -> Vec<u32> {
    let left = Left::new(range);
    splitting(
        &|| left.split(),
        &|range, _: &mut _| plain(range, step),
        |parts| {
            let mut found = Vec::new();
            loop {
                while let Some(item) = left.next() {
                    found.push(item);
                    step(item);
                    parts.poll();
                }
                match parts.take_back() {
                    Some(Returned::Part(range)) => left.0.set(range),
                    Some(Returned::Output(theirs)) => found.extend(theirs),
                    None => return found,
                }
            }
        },
    )
}

/// The same in a scope, which `step` may go on with.
fn scoped(
    scope: &mut Scope<'_>,
    range: Range<u32>,
    step: &(impl Fn(u32, &mut Scope<'_>) + Sync),
) -> Vec<u32> {
    let left = Left::new(range);
    scope.splitting(
        &|| left.split(),
        &|range, scope: &mut _| scoped(scope, range, step),
        |parts| {
            let mut found = Vec::new();
            loop {
                while let Some(item) = left.next() {
                    found.push(item);
                    step(item, parts.scope());
                    parts.poll();
                }
                match parts.take_back() {
                    Some(Returned::Part(range)) => left.0.set(range),
                    Some(Returned::Output(theirs)) => found.extend(theirs),
                    None => return found,
                }
            }
        },
    )
}

fn in_order(found: Vec<u32>) {
    assert!(found.into_iter().eq(0..ITEMS));
}

#[test]
fn both_styles_keep_the_order() {
    for threads in [1, 2, 5] {
        let pool = pool(threads);
        pool.install(|| in_order(plain(0..ITEMS, &|_| dawdle())));
        in_order(scoped(&mut pool.scope(), 0..ITEMS, &|_, _| dawdle()));
    }
}

#[test]
fn loops_split_inside_the_joins_of_their_scope() {
    let pool = pool(2);
    for _ in 0..4 {
        let found = scoped(&mut pool.scope(), 0..ITEMS, &|item, scope| {
            let (a, b) = scope.join(
                |s| {
                    dawdle();
                    s.join(|_| dawdle(), |_| item).1
                },
                |_| {
                    dawdle();
                    item
                },
            );
            assert_eq!((a, b), (item, item));
        });
        in_order(found);
    }
}

#[test]
fn a_loops_scope_may_be_replaced() {
    static OTHER: OnceLock<ThreadPool> = OnceLock::new();
    let other = OTHER.get_or_init(|| pool(1));
    let pool = pool(2);
    let split = || None::<()>;
    let run = |(): (), _: &mut Scope<'_>| {};
    let step = |_: u32, _: &mut Scope<'_>| dawdle();
    pool.scope().splitting(&split, &run, |outer| {
        let mut moved = mem::replace(outer.scope(), other.scope());
        in_order(scoped(&mut moved, 0..ITEMS, &step));
        moved.splitting(&split, &run, |inner| {
            outer.poll();
            in_order(scoped(outer.scope(), 0..ITEMS, &step));
            in_order(scoped(inner.scope(), 0..ITEMS, &step));
        });
        mem::swap(&mut moved, outer.scope());
        in_order(scoped(outer.scope(), 0..ITEMS, &step));
    });
}

/// A part, or an output, that is counted while it lives, and panics in its destructor if it is to.
struct Counted<'c> {
    alive: &'c AtomicUsize,
    range: Range<u32>,
    bomb: bool,
}

impl<'c> Counted<'c> {
    fn new(alive: &'c AtomicUsize, range: Range<u32>, bomb: bool) -> Self {
        alive.fetch_add(1, SeqCst);
        Counted { alive, range, bomb }
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.alive.fetch_sub(1, SeqCst);
        assert!(!self.bomb, "the destructor of {:?}", self.range);
    }
}

/// Where a loop goes wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Wrong {
    Body,
    Split,
    Run,
    /// The body returns and leaves parts behind.
    Leave,
    /// Likewise, and their destructors and those of outputs panic.
    Destructors,
    /// A panic in the body meets those.
    Both,
}

fn goes_wrong(wrong: Wrong, plain: bool, alive: &AtomicUsize) {
    let bomb = matches!(wrong, Wrong::Destructors | Wrong::Both);
    let left = Left::new(0..ITEMS);
    let splits = Cell::new(0);
    let split = || {
        splits.set(splits.get() + 1);
        assert!(wrong != Wrong::Split || splits.get() != 2, "split");
        left.split().map(|range| Counted::new(alive, range, bomb))
    };
    let run = |mut part: Counted<'_>, _: &mut Scope<'_>| {
        dawdle();
        part.bomb = false;
        assert!(wrong != Wrong::Run, "run");
        Counted::new(alive, part.range.clone(), bomb)
    };
    let body = |parts: &mut Splitting<'_, Counted<'_>, Counted<'_>>| {
        while left.next().is_some() {
            dawdle();
            parts.poll();
            parts.keep_offering(3);
        }
        assert!(!matches!(wrong, Wrong::Body | Wrong::Both), "body");
        if matches!(wrong, Wrong::Leave | Wrong::Destructors) {
            return;
        }
        while let Some(back) = parts.take_back() {
            drop(back);
        }
    };
    if plain {
        splitting(&split, &run, body);
    } else {
        Scope::global().splitting(&split, &run, |parts| body(parts));
    }
}

#[test]
fn whatever_goes_wrong_everything_is_dropped_once_and_the_thread_goes_on() {
    use Wrong::{Body, Both, Destructors, Leave, Run, Split};
    let pool = pool(3);
    for wrong in [Body, Split, Run, Leave, Destructors, Both] {
        for plain in [true, false] {
            let alive = AtomicUsize::new(0);
            let attempt = AssertUnwindSafe(|| goes_wrong(wrong, plain, &alive));
            let result = pool.install(|| catch_unwind(attempt));
            assert_eq!(alive.load(SeqCst), 0, "{wrong:?}");
            if matches!(wrong, Split | Leave | Destructors) {
                assert!(result.is_ok(), "{wrong:?}");
            }
            if matches!(wrong, Body | Both) {
                let payload = result.expect_err("the body panics");
                assert_eq!(payload.downcast_ref(), Some(&"body"), "{wrong:?}");
            }
        }
    }
    pool.install(|| in_order(nested()));
}

/// Loops in joins in loops, in both styles.
fn nested() -> Vec<u32> {
    plain(0..ITEMS, &|item| {
        let (a, b) = join(
            || plain(0..item / 4, &|_| dawdle()),
            || {
                let step = |item, scope: &mut Scope<'_>| {
                    scope.join(|_| plain(0..2, &|_| dawdle()), |_| item);
                };
                scoped(&mut Scope::global(), 0..item / 4, &step)
            },
        );
        assert!(a.into_iter().eq(0..item / 4));
        assert!(b.into_iter().eq(0..item / 4));
    })
}

/// The handle of an outer loop is used while a loop inside is running, in all ways there are.
fn outer_handle_inside(inner_scoped: bool) -> Vec<u32> {
    let left = Left::new(0..ITEMS);
    let split = || left.split();
    let run = |range: Range<u32>, _: &mut Scope<'_>| plain(range, &|_| dawdle());
    splitting(&split, &run, |parts| {
        let mut found = Vec::new();
        let parts = RefCell::new(parts);
        let mut spare = Vec::new();
        while let Some(item) = left.next() {
            found.push(item);
            let inner = Left::new(0..4);
            let inner_split = || {
                parts.borrow_mut().poll();
                parts.borrow_mut().keep_offering(2);
                inner.split()
            };
            let mut body = |inner_parts: &mut Splitting<'_, _, Vec<u32>>| {
                while inner.next().is_some() {
                    dawdle();
                    parts.borrow_mut().keep_offering(3);
                    inner_parts.poll();
                    parts.borrow_mut().poll();
                }
                // The outer loop has something left: what was given last goes behind that.
                spare.extend(parts.borrow_mut().take_back());
                while inner_parts.take_back().is_some() {
                    parts.borrow_mut().poll();
                }
            };
            if inner_scoped {
                Scope::global().splitting(&inner_split, &run, |parts| body(parts));
            } else {
                splitting(&inner_split, &run, body);
            }
        }
        let rest = parts.into_inner();
        spare.extend(std::iter::from_fn(|| rest.take_back()));
        for returned in spare {
            match returned {
                Returned::Part(range) => found.extend(range),
                Returned::Output(theirs) => found.extend(theirs),
            }
        }
        found.sort_unstable();
        found
    })
}

#[test]
fn handles_of_outer_loops_may_be_used_inside() {
    for threads in [1, 2, 4] {
        let pool = pool(threads);
        for inner_scoped in [false, true] {
            in_order(pool.install(|| outer_handle_inside(inner_scoped)));
        }
    }
}

#[test]
fn splitting_may_run_joins_and_loops() {
    fn busy_split(range: Range<u32>) -> Vec<u32> {
        let left = Left::new(range);
        let split = || {
            let (a, b) = join(|| plain(0..3, &|_| dawdle()), || plain(0..3, &|_| dawdle()));
            assert_eq!((a.len(), b.len()), (3, 3));
            left.split()
        };
        let run = |range: Range<u32>, _: &mut Scope<'_>| busy_split(range);
        splitting(&split, &run, |parts| {
            let mut found = Vec::new();
            loop {
                while let Some(item) = left.next() {
                    found.push(item);
                    join(dawdle, dawdle);
                    parts.poll();
                }
                match parts.take_back() {
                    Some(Returned::Part(range)) => left.0.set(range),
                    Some(Returned::Output(theirs)) => found.extend(theirs),
                    None => return found,
                }
            }
        })
    }
    pool(2).install(|| in_order(busy_split(0..ITEMS)));
}

#[test]
fn pools_and_foreign_threads_mix() {
    let pools = [pool(1), pool(2), pool(3)];
    let [one, two, three] = &pools;
    let mixed = || {
        one.install(|| {
            plain(0..ITEMS / 4, &|_| {
                let step = |item: u32, scope: &mut Scope<'_>| {
                    let inside = || plain(0..3, &|_| dawdle()).len();
                    let (a, b) = scope.join(|_| three.install(inside), |_| one.install(inside));
                    assert_eq!((item, a, b), (item, 3, 3));
                };
                let found = scoped(&mut two.scope(), 0..4, &step);
                assert!(found.into_iter().eq(0..4));
            })
        })
    };
    thread::scope(|threads| {
        for _ in 0..3 {
            threads.spawn(|| assert!(mixed().into_iter().eq(0..ITEMS / 4)));
        }
    });
}

/// Forks until another thread has taken a half.
fn give_a_half() {
    let taken = AtomicBool::new(false);
    join(
        || assert!(keep_forking(&mut Cx::Join, || taken.load(SeqCst))),
        || taken.store(true, SeqCst),
    );
}

// While a loop waits for a part that its body has left, its thread answers what the part calls. The
// joins of that may give away what lies above the loop; the loop, and what was below it, has ended.
#[test]
fn a_loop_that_waits_for_what_it_has_left_is_no_longer_in_its_chain() {
    let (three, one) = (waited(3), waited(1));
    let (begun, go) = (AtomicBool::new(false), AtomicBool::new(false));
    let held_again = Mutex::new(None);
    let answer = || {
        drop(held_again.lock().expect("no panic").take());
        give_a_half();
    };
    let part = |(), _: &mut Scope<'_>| {
        begun.store(true, SeqCst);
        while !go.load(SeqCst) {
            thread::yield_now();
        }
        one.install(|| three.install(answer));
    };
    three.install(|| {
        splitting(&|| None::<()>, &|(), _| (), |_| {
            let first = held(&three);
            let given = Cell::new(false);
            let split = || (!given.replace(true)).then_some(());
            splitting(&split, &part, |parts| {
                while !begun.load(SeqCst) {
                    parts.poll();
                    thread::yield_now();
                }
                drop(first);
                // From here on the loop is known to have nothing to give.
                give_a_half();
                *held_again.lock().expect("no panic") = Some(held(&three));
                go.store(true, SeqCst);
            });
        });
    });
}

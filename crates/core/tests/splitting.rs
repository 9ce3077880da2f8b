//! Loops that are really split, in all positions in which safe code can have them. Small, so that Miri can run them too.

use std::{cell::Cell, mem, ops::Range, sync::OnceLock, thread};
use sumac_core::{Returned, Scope, ThreadPool, ThreadPoolBuilder, splitting};

const ITEMS: u32 = if cfg!(miri) { 12 } else { 64 };

fn pool(threads: usize) -> ThreadPool {
    ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .expect("a pool")
}

/// Gives others the time to ask and to take.
fn dawdle() {
    for _ in 0..20 {
        thread::yield_now();
    }
}

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

//! Loops on a scope, and their kernel: kernel.rs in small, for ranges only, whose body gets the
//! scope to go on with.
//!
//! What a thread has so far is an `Option<T>`, which it goes on with whatever comes back: its own
//! part, or what another thread has.

use crate::block;
use std::{
    cell::Cell,
    marker::PhantomData,
    ops::{ControlFlow, Range},
    sync::atomic::{AtomicBool, Ordering::Relaxed},
};
use sumac_core::{Returned, Scope, ScopedSplitting, coarse_nanos};

/// The [functions](crate::functions) as methods of a scope; the body gets the scope to go on with,
/// for joins and loops inside.
///
/// # Examples
/// ```
/// use sumac::Scope;
/// use sumac::prelude::*;
///
/// let mut scope = Scope::global();
/// let pairs = scope.map_reduce(
///     0..10,
///     0,
///     |scope, i| {
///         let (a, b) = scope.join(|_| i, |_| 2 * i);
///         a + b
///     },
///     |a, b| a + b,
/// );
/// assert_eq!(pairs, 135);
/// ```
pub trait ScopeLoops {
    /// Calls `body` with each index; see [`for_each`](crate::functions::for_each).
    ///
    /// # Panics
    /// If `body` does.
    fn for_each<F>(&mut self, range: Range<usize>, body: F)
    where
        F: Fn(&mut Scope<'_>, usize) + Sync;

    /// Maps each index with `map` and reduces the results, beginning with `identity`; see
    /// [`map_reduce`](crate::functions::map_reduce).
    ///
    /// # Panics
    /// If `map` or `reduce` does.
    fn map_reduce<T, M, R>(&mut self, range: Range<usize>, identity: T, map: M, reduce: R) -> T
    where
        T: Send,
        M: Fn(&mut Scope<'_>, usize) -> T + Sync,
        R: Fn(T, T) -> T + Sync;

    /// Returns a `Some` that `find` returns; see [`find_any`](crate::functions::find_any).
    ///
    /// # Panics
    /// If `find` does.
    fn find_any<T, F>(&mut self, range: Range<usize>, find: F) -> Option<T>
    where
        T: Send,
        F: Fn(&mut Scope<'_>, usize) -> Option<T> + Sync;
}

impl ScopeLoops for Scope<'_> {
    fn for_each<F>(&mut self, range: Range<usize>, body: F)
    where
        F: Fn(&mut Scope<'_>, usize) + Sync,
    {
        let step = |scope: &mut Scope<'_>, block: Range<usize>, _: &mut Option<()>| {
            for i in block {
                body(scope, i);
            }
            ControlFlow::Continue(())
        };
        drive(self, range, &step, &|(), ()| ());
    }

    fn map_reduce<T, M, R>(&mut self, range: Range<usize>, identity: T, map: M, reduce: R) -> T
    where
        T: Send,
        M: Fn(&mut Scope<'_>, usize) -> T + Sync,
        R: Fn(T, T) -> T + Sync,
    {
        let step = |scope: &mut Scope<'_>, block: Range<usize>, acc: &mut Option<T>| {
            let items = block.map(|i| map(scope, i)).reduce(&reduce);
            *acc = merge(acc.take(), items, &reduce);
            ControlFlow::Continue(())
        };
        match drive(self, range, &step, &reduce) {
            Some(all) => reduce(identity, all),
            None => identity,
        }
    }

    fn find_any<T, F>(&mut self, range: Range<usize>, find: F) -> Option<T>
    where
        T: Send,
        F: Fn(&mut Scope<'_>, usize) -> Option<T> + Sync,
    {
        let step = |scope: &mut Scope<'_>, mut block: Range<usize>, acc: &mut Option<T>| {
            *acc = block.find_map(|i| find(scope, i));
            match acc {
                Some(_) => ControlFlow::Break(()),
                None => ControlFlow::Continue(()),
            }
        };
        drive(self, range, &step, &|first, _| first)
    }
}

fn merge<T>(left: Option<T>, right: Option<T>, f: &impl Fn(T, T) -> T) -> Option<T> {
    match (left, right) {
        (Some(left), Some(right)) => Some(f(left, right)),
        (left, right) => left.or(right),
    }
}

/// Lets `step` work on the range block by block, until it breaks.
fn drive<T, F, M>(scope: &mut Scope<'_>, range: Range<usize>, step: &F, merge: &M) -> Option<T>
where
    T: Send,
    F: Fn(&mut Scope<'_>, Range<usize>, &mut Option<T>) -> ControlFlow<()> + Sync,
    M: Fn(T, T) -> T + Sync,
{
    let job = Loop {
        step,
        merge,
        halted: AtomicBool::new(false),
        item: PhantomData,
    };
    job.run(scope, Rest { range, block: 1 })
}

/// What the threads that work on one loop share.
struct Loop<'f, T, F, M> {
    step: &'f F,
    merge: &'f M,
    /// Something was found or has panicked: no need to go on.
    halted: AtomicBool,
    item: PhantomData<fn() -> T>,
}

/// A part of a loop that has not been run.
#[derive(Default)]
struct Rest {
    range: Range<usize>,
    /// How many indices a block had lately.
    block: usize,
}

/// Where the rest lies while a block is running.
#[derive(Default)]
struct Left {
    rest: Cell<Rest>,
    /// Whether a block is or has been running: before that a single index is not given away.
    begun: Cell<bool>,
}

impl Left {
    /// Takes the upper half; of a single index, that.
    fn split(&self) -> Option<Rest> {
        let Rest { range, block } = self.rest.take();
        let middle = range.start + range.len() / 2;
        let give = range.len() > usize::from(!self.begun.get());
        let (kept, given) = if give {
            (range.start..middle, middle..range.end)
        } else {
            (range, 0..0)
        };
        self.rest.set(Rest { range: kept, block });
        give.then_some(Rest {
            range: given,
            block,
        })
    }
}

/// Tells the other threads that this one has panicked.
struct HaltOnUnwind<'h>(&'h AtomicBool);

impl Drop for HaltOnUnwind<'_> {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

impl<T, F, M> Loop<'_, T, F, M>
where
    T: Send,
    F: Fn(&mut Scope<'_>, Range<usize>, &mut Option<T>) -> ControlFlow<()> + Sync,
    M: Fn(T, T) -> T + Sync,
{
    fn run(&self, scope: &mut Scope<'_>, rest: Rest) -> Option<T> {
        let halt = HaltOnUnwind(&self.halted);
        let left = Left::default();
        left.rest.set(rest);
        let output = scope.splitting(
            &|| left.split(),
            &|rest, scope: &mut Scope<'_>| self.run(scope, rest),
            |parts| self.body(&left, parts),
        );
        std::mem::forget(halt);
        output
    }

    fn body(&self, left: &Left, parts: &mut ScopedSplitting<'_, Rest, Option<T>>) -> Option<T> {
        left.begun.set(true);
        let mut acc = None;
        loop {
            self.run_blocks(left, parts, &mut acc);
            match parts.take_back() {
                None => return acc,
                Some(Returned::Part(rest)) => left.rest.set(rest),
                Some(Returned::Output(theirs)) => acc = merge(acc, theirs, self.merge),
            }
        }
    }

    fn run_blocks(
        &self,
        left: &Left,
        parts: &mut ScopedSplitting<'_, Rest, Option<T>>,
        acc: &mut Option<T>,
    ) {
        let mut since = coarse_nanos();
        loop {
            let Rest { range, block } = left.rest.take();
            if range.is_empty() || self.halted.load(Relaxed) {
                return;
            }
            let len = block.min(range.len());
            let middle = range.start + len;
            left.rest.set(Rest {
                range: middle..range.end,
                block,
            });
            if (self.step)(parts.scope(), range.start..middle, acc).is_break() {
                self.halted.store(true, Relaxed);
                left.rest.take();
                return;
            }
            parts.poll();
            let now = coarse_nanos();
            let mut rest = left.rest.take();
            rest.block = block::next(len, now.saturating_sub(since));
            left.rest.set(rest);
            since = now;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_index_is_given_away_once_a_block_is_running() {
        let left = Left::default();
        left.rest.set(Rest {
            range: 5..8,
            block: 1,
        });
        let split = || left.split().map(|rest| rest.range);
        assert_eq!(split(), Some(6..8));
        assert_eq!(split(), None);
        left.begun.set(true);
        assert_eq!(split(), Some(5..6));
        assert_eq!(split(), None);
    }

    #[test]
    fn a_loop_begins_its_first_block() {
        let pool = sumac_core::ThreadPoolBuilder::new().num_threads(1).build();
        let mut scope = pool.as_ref().map(sumac_core::ThreadPool::scope).unwrap();
        let seen = drive(
            &mut scope,
            0..10,
            &|_, block, acc| {
                *acc = merge(acc.take(), Some(vec![block]), &|a, b| [a, b].concat());
                ControlFlow::Continue(())
            },
            &|a, b| [a, b].concat(),
        );
        let seen = seen.unwrap_or_default();
        assert_eq!(seen[0], 0..1);
        assert!(seen.into_iter().flatten().eq(0..10));
    }
}

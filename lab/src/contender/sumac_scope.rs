//! sumac through its `Scope`, the handle that is passed down from join to join.

use std::error::Error;

use sumac::{Scope, Stats, ThreadPool, ThreadPoolBuilder, Tuning};

use super::Contender;

/// A pool of sumac's; the caller is one of its threads.
pub(crate) struct SumacScope(ThreadPool);

impl Contender for SumacScope {
    type Cx<'s> = Scope<'s>;

    fn pool(threads: usize, tuning: &str) -> Result<Self, Box<dyn Error>> {
        Ok(SumacScope(pool(threads, tuning)?))
    }

    fn counted(&self) -> Option<Stats> {
        Some(self.0.stats())
    }

    fn enter<R, F>(&self, inside: F) -> R
    where
        F: FnOnce(&mut Scope<'_>) -> R + Send,
        R: Send,
    {
        inside(&mut self.0.scope())
    }

    #[inline]
    fn join<A, B, RA, RB>(cx: &mut Scope<'_>, a: A, b: B) -> (RA, RB)
    where
        A: FnOnce(&mut Scope<'_>) -> RA + Send,
        B: FnOnce(&mut Scope<'_>) -> RB + Send,
        RA: Send,
        RB: Send,
    {
        cx.join(a, b)
    }
}

/// A pool that is set up as `tuning` says.
pub(super) fn pool(threads: usize, tuning: &str) -> Result<ThreadPool, Box<dyn Error>> {
    let builder = ThreadPoolBuilder::new().num_threads(threads);
    complete(builder.tuning(tuning.parse()?).build()?)
}

/// Whether a pool can be set up so.
pub(crate) fn check_tuning(tuning: &str) -> Result<(), String> {
    match tuning.parse::<Tuning>() {
        Ok(_) => Ok(()),
        Err(why) => Err(why.to_string()),
    }
}

/// A pool that works with fewer threads than asked for would be measured under a false name.
pub(crate) fn complete(pool: ThreadPool) -> Result<ThreadPool, Box<dyn Error>> {
    match pool.spawn_error() {
        None => Ok(pool),
        Some(refusal) => Err(refusal.to_string().into()),
    }
}

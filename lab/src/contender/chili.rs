//! chili, a port of Spice to Rust: heartbeat scheduling with a `Scope` handed down.
//! It runs its second closure first; its closures are swapped here so that it walks every tree in
//! the same order as the others. The heartbeat runs only while a scope lives, that is while inside.

use std::error::Error;
use std::num::NonZero;

use chili::{Config, Scope, ThreadPool};

use super::Contender;

/// A pool of chili's; the caller is one of its threads.
pub(crate) struct Chili(ThreadPool);

impl Contender for Chili {
    type Cx<'s> = Scope<'s>;

    fn pool(threads: usize, _tuning: &str) -> Result<Self, Box<dyn Error>> {
        Ok(Chili(ThreadPool::with_config(Config {
            thread_count: NonZero::new(threads),
            ..Config::default()
        })))
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
        let (rb, ra) = cx.join(b, a);
        (ra, rb)
    }
}

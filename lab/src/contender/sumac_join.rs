//! sumac through its thread-local `join`, the one with rayon's signature: no handle to pass down.
//! The caller takes part in the pool while it is inside `install`.

use std::error::Error;

use sumac::{Stats, ThreadPool};

use super::{Contender, Loops, sumac_scope};

/// A pool of sumac's; the caller is one of its threads.
pub(crate) struct SumacJoin(ThreadPool);

impl Contender for SumacJoin {
    type Cx<'s> = ();
    const LOOPS: Loops = Loops::Sumac;

    fn pool(threads: usize, tuning: &str) -> Result<Self, Box<dyn Error>> {
        Ok(SumacJoin(sumac_scope::pool(threads, tuning)?))
    }

    fn counted(&self) -> Option<Stats> {
        Some(self.0.stats())
    }

    fn enter<R, F>(&self, inside: F) -> R
    where
        F: FnOnce(&mut ()) -> R + Send,
        R: Send,
    {
        self.0.install(|| inside(&mut ()))
    }

    #[inline]
    fn join<A, B, RA, RB>(_cx: &mut (), a: A, b: B) -> (RA, RB)
    where
        A: FnOnce(&mut ()) -> RA + Send,
        B: FnOnce(&mut ()) -> RB + Send,
        RA: Send,
        RB: Send,
    {
        sumac::join(|| a(&mut ()), || b(&mut ()))
    }
}

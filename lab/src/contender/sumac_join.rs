//! sumac through its thread-local `join`, the one with rayon's signature: no handle to pass down.
//! The caller takes part in the pool while it is inside `install`.

use std::error::Error;

use sumac::{ThreadPool, ThreadPoolBuilder};

use super::{Contender, Loops, sumac_scope};

/// A pool of sumac's; the caller is one of its threads.
pub(crate) struct SumacJoin(ThreadPool);

impl Contender for SumacJoin {
    type Cx<'s> = ();
    const LOOPS: Loops = Loops::Sumac;

    fn with_threads(threads: usize) -> Result<Self, Box<dyn Error>> {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build()?;
        Ok(SumacJoin(sumac_scope::complete(pool)?))
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

//! forte: a heartbeat that each worker keeps by its processor's clock, and workers that take what
//! was shared at it. The caller becomes a member of the pool while it is inside. It runs its second
//! closure first, as chili; its closures are swapped here.

use std::error::Error;

use forte::{ThreadPool, Worker};

use super::Contender;

/// How many members a pool can have, the caller included.
const MEMBERS: usize = 32;

/// A pool of forte's; the caller is one of its threads. It must be static, so only its threads end.
pub(crate) struct Forte(&'static ThreadPool);

impl Contender for Forte {
    type Cx<'s> = &'s Worker;

    fn pool(threads: usize, _tuning: &str) -> Result<Self, Box<dyn Error>> {
        if threads > MEMBERS {
            return Err(format!("its pools have at most {MEMBERS} threads").into());
        }
        let pool = Forte(Box::leak(Box::new(ThreadPool::new())));
        pool.0.resize_to(threads - 1);
        Ok(pool)
    }

    fn enter<R, F>(&self, inside: F) -> R
    where
        F: FnOnce(&mut &Worker) -> R + Send,
        R: Send,
    {
        self.0.with_worker(|mut worker| inside(&mut worker))
    }

    #[inline]
    fn join<A, B, RA, RB>(cx: &mut &Worker, a: A, b: B) -> (RA, RB)
    where
        A: FnOnce(&mut &Worker) -> RA + Send,
        B: FnOnce(&mut &Worker) -> RB + Send,
        RA: Send,
        RB: Send,
    {
        let (rb, ra) = cx.join(|mut worker| b(&mut worker), |mut worker| a(&mut worker));
        (ra, rb)
    }
}

impl Drop for Forte {
    fn drop(&mut self) {
        self.0.depopulate();
    }
}

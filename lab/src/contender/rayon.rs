//! rayon: work stealing from deques. Its workers do the work and the caller waits for them, so
//! `enter` hands over to a worker; that is why whole hot loops run inside one `enter`.

use std::error::Error;

use rayon::{ThreadPool, ThreadPoolBuilder};

use super::{Contender, Loops};

/// The stack of a worker. While it waits it runs whatever it can steal, on top of what it waits
/// for: a recursion of some depth (UTS T3) may need several times the stack that the plain program
/// needs.
const STACK: usize = 64 << 20;

/// A pool of rayon's; the caller is not one of its threads.
pub(crate) struct Rayon(ThreadPool);

impl Contender for Rayon {
    type Cx<'s> = ();
    const LOOPS: Loops = Loops::Rayon;

    fn pool(threads: usize, _tuning: &str) -> Result<Self, Box<dyn Error>> {
        let builder = ThreadPoolBuilder::new().num_threads(threads);
        Ok(Rayon(builder.stack_size(STACK).build()?))
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
        rayon::join(|| a(&mut ()), || b(&mut ()))
    }
}

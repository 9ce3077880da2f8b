//! The baseline: the plain recursive program, a join being two calls one after the other.
//! `Baseline` goes left first as everybody does; `RightFirst` is the other sequential order,
//! which may be the faster one where memory layout matters.

use std::error::Error;

use super::Contender;

/// `enter` and `join` without a runtime: how the closures are called.
macro_rules! plain {
    ($cx:ident, $a:ident, $b:ident => $calls:expr) => {
        fn enter<R, F>(&self, inside: F) -> R
        where
            F: FnOnce(&mut ()) -> R + Send,
            R: Send,
        {
            inside(&mut ())
        }

        #[inline]
        fn join<A, B, RA, RB>($cx: &mut (), $a: A, $b: B) -> (RA, RB)
        where
            A: FnOnce(&mut ()) -> RA + Send,
            B: FnOnce(&mut ()) -> RB + Send,
            RA: Send,
            RB: Send,
        {
            $calls
        }
    };
}
pub(crate) use plain;

/// Two calls, left before right.
pub(crate) struct Baseline;

/// Two calls, right before left.
pub(crate) struct RightFirst;

impl Contender for Baseline {
    type Cx<'s> = ();

    fn pool(_threads: usize, _tuning: &str) -> Result<Self, Box<dyn Error>> {
        Ok(Baseline)
    }

    plain!(cx, a, b => (a(cx), b(cx)));
}

impl Contender for RightFirst {
    type Cx<'s> = ();

    fn pool(_threads: usize, _tuning: &str) -> Result<Self, Box<dyn Error>> {
        Ok(RightFirst)
    }

    plain!(cx, a, b => {
        let rb = b(cx);
        (a(cx), rb)
    });
}

//! Keys that an ordered structure compares by `Ord::cmp` and by nothing else.

use std::cmp::Ordering;

/// A value with its order. `==`, `<` and the like panic, which users may have derived where they
/// contradict `Ord`: those of floating-point numbers do.
#[derive(Clone, Copy, Debug)]
pub struct OnlyOrd<T>(pub T);

impl<T: Ord> Ord for OnlyOrd<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.cmp(&other.0)
    }
}

#[allow(
    clippy::non_canonical_partial_ord_impl,
    reason = "it is not to be called"
)]
impl<T: Ord> PartialOrd for OnlyOrd<T> {
    fn partial_cmp(&self, _: &Self) -> Option<Ordering> {
        panic!("compared by `PartialOrd`, not by `Ord`");
    }
}

impl<T> PartialEq for OnlyOrd<T> {
    fn eq(&self, _: &Self) -> bool {
        panic!("compared by `PartialEq`, not by `Ord`");
    }
}

impl<T> Eq for OnlyOrd<T> {}

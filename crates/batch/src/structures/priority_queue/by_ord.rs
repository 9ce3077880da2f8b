//! Elements for std's heap, which compares by `PartialOrd`: here that is `Ord`, whatever else the
//! elements' own says.

use std::cmp::Ordering;

#[derive(Clone)]
pub(super) struct ByOrd<T>(pub(super) T);

impl<T: Ord> Ord for ByOrd<T> {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.cmp(&other.0)
    }
}

impl<T: Ord> PartialOrd for ByOrd<T> {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T: Ord> PartialEq for ByOrd<T> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<T: Ord> Eq for ByOrd<T> {}

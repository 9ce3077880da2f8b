//! What stands in for the observers of pools without the feature `hooks`: no pool has one.

use crate::join::member::Member;

#[derive(Default)]
pub(crate) struct ObserverOf(());

impl ObserverOf {
    #[inline(always)]
    pub(crate) fn welcome(&self, _: &Member) {}
}

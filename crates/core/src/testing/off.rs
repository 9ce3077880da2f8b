//! What stands in for sessions without the feature `testing`: no thread is in one, which the
//! compiler knows.

pub(crate) mod active {
    #[inline(always)]
    pub(crate) const fn is_active() -> bool {
        false
    }

    #[inline(always)]
    pub(crate) const fn wait() {}
}

#[inline(always)]
pub(crate) const fn turn() {}

#[inline(always)]
pub(crate) fn takes_oldest(_: impl Fn() -> usize) -> bool {
    false
}

#[inline(always)]
pub(crate) const fn clock() -> Option<u64> {
    None
}

//! How many positions a block has: so many that it lasts a microsecond or two.
//!
//! A block is what runs between two polls. It has to be short for an idle thread not to wait, and long for the compiler to make a
//! tight loop of it and for the poll, the clock (8 ns) and the split not to count. A loop begins with a single position, since its
//! items may be seconds each, and from then on goes by the clock; growth is limited, since the first items may be atypical.

/// How long a block should last, in nanoseconds.
const TARGET: u64 = 1_500;
/// How many times larger than the last one a block may be.
const GROWTH: usize = 32;

/// The size of the next block after one of `block` positions that took so many nanoseconds.
#[inline]
pub(crate) fn next(block: usize, took: u64) -> usize {
    let most = block.saturating_mul(GROWTH);
    if took == 0 {
        return most;
    }
    let ideal = (block as u64).saturating_mul(TARGET) / took;
    usize::try_from(ideal).unwrap_or(usize::MAX).clamp(1, most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heavy_items_come_one_at_a_time() {
        assert_eq!(next(1, 10 * TARGET), 1);
        assert_eq!(next(4096, 1_000_000_000), 1);
    }

    #[test]
    fn light_items_come_by_the_thousand() {
        let mut block = 1;
        for _ in 0..5 {
            block = next(block, block as u64);
        }
        assert_eq!(block, usize::try_from(TARGET).unwrap());
    }

    #[test]
    fn growth_is_limited_and_does_not_overflow() {
        assert_eq!(next(1, 0), GROWTH);
        assert_eq!(next(1, 1), GROWTH);
        assert_eq!(next(usize::MAX, 0), usize::MAX);
    }
}

//! How many positions a block has: so many that it lasts a microsecond or two.
//!
//! A block is what runs between two polls. It has to be short for an idle thread not to wait, and
//! long for the compiler to make a tight loop of it and for the poll, the clock (8 ns) and the
//! split not to count. A loop begins with a single position, since its items may be seconds each,
//! and from then on goes by the clock; growth is limited, since the first items may be atypical.

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

/// Blocks begin at multiples of so many positions, once they are large: then vectors of what begins
/// at a multiple of a cache line, as large slices do, do not straddle two.
const ALIGN: usize = 64;

/// Where to cut about `len` positions after `position`.
#[inline]
pub(crate) fn cut(position: usize, len: usize) -> usize {
    if len < 4 * ALIGN {
        return len;
    }
    len - position.wrapping_add(len) % ALIGN
}

/// How many parts a loop that has been asked for work keeps on offer, at most.
pub(crate) const STANDING: usize = 4;
/// How much work such a part should have, in nanoseconds.
const GRAIN: u64 = 20_000;

/// How many parts to keep on offer when the last block of `block` positions took so many
/// nanoseconds and `left` positions are left.
#[inline]
pub(crate) fn standing(block: usize, took: u64, left: usize) -> usize {
    let work = took.saturating_mul((left / block) as u64);
    let grains = (work / GRAIN).max(1);
    (grains.ilog2() as usize).min(STANDING)
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
    fn parts_on_offer_are_worth_it() {
        assert_eq!(standing(1, GRAIN, 1), 0);
        assert_eq!(standing(1, GRAIN, 2), 1);
        assert_eq!(standing(1000, 1_500, 1_000_000), STANDING);
        assert_eq!(standing(1000, 1_500, 10_000), 0);
    }

    #[test]
    fn large_blocks_begin_at_cache_lines() {
        assert_eq!((cut(0, 1), cut(1, 32)), (1, 32));
        for (position, len) in [(33, 1024), (0, 5000), (usize::MAX, 4096)] {
            let cut = cut(position, len);
            assert!(cut <= len && len - cut < ALIGN);
            assert_eq!(position.wrapping_add(cut) % ALIGN, 0);
        }
    }

    #[test]
    fn growth_is_limited_and_does_not_overflow() {
        assert_eq!(next(1, 0), GROWTH);
        assert_eq!(next(1, 1), GROWTH);
        assert_eq!(next(usize::MAX, 0), usize::MAX);
    }
}

//! The number of positions of a block, which lasts a microsecond or two.
//!
//! A block runs between two polls. It has to be short, so that an idle thread need not wait, and
//! long, so that the compiler makes a tight loop of it and the poll, the clock (8 ns) and the split
//! are negligible. A loop starts with a single position, since its items may take seconds each, and
//! from then on follows the clock; growth is limited, since the first items may be atypical.

/// The intended duration of a block, in nanoseconds.
const TARGET: u64 = 1_500;
/// The greatest growth from one block to the next.
const GROWTH: usize = 32;
/// The time since an earlier look at the clock is taken for so many times that of the first block.
/// If it was all the block's, the second one lasts so many times as long as intended.
pub(crate) const GUESS: u64 = 8;

/// Returns the size of the next block after one of `block` positions that took `took` nanoseconds.
#[inline]
pub(crate) fn next(block: usize, took: u64) -> usize {
    let most = block.saturating_mul(GROWTH);
    // Without a division, which would wait for the clock: a branch is predicted.
    if took <= TARGET / GROWTH as u64 {
        return most;
    }
    let ideal = (block as u64).saturating_mul(TARGET) / took;
    usize::try_from(ideal).unwrap_or(usize::MAX).clamp(1, most)
}

/// Large blocks start at multiples of so many positions, so that vector loads from a slice that is
/// aligned to cache lines, as large slices are, do not straddle two.
const ALIGN: usize = 64;

/// Returns where to cut about `len` positions after `position`.
#[inline]
pub(crate) fn cut(position: usize, len: usize) -> usize {
    if len < 4 * ALIGN {
        return len;
    }
    len - position.wrapping_add(len) % ALIGN
}

/// The greatest number of parts that a loop keeps on offer once it has been asked for work.
pub(crate) const STANDING: usize = 4;
/// The least work of such a part, in nanoseconds.
const GRAIN: u64 = 20_000;

/// Returns how many parts to keep on offer when the last block of `block` positions took `took`
/// nanoseconds and `left` positions remain.
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

//! Selection: how many of the greatest elements each of several sorted slices has.
//!
//! For each slice there is a range of possible counts. In each step an element in the middle of the
//! widest range is the *pivot*: binary search finds how many elements of each slice come before it,
//! in descending order. If the pivot is selected, so are these; otherwise no element after it is.
//! So each step halves the widest range, and narrows others: O(k² log² n) for k slices at worst.
//!
//! Equal elements are in the order of their slices. With any `Ord`, each step narrows the widest
//! range, and the possible counts can always sum up to `count`.

use std::ops::Range;

/// Returns how many elements of each slice are among the `count` greatest of all. The slices
/// ascend, and have at least `count` elements in all.
pub(super) fn greatest<T: Ord>(slices: &[&[T]], count: usize) -> Vec<usize> {
    let mut ranges: Vec<Range<usize>> = slices.iter().map(|s| 0..s.len().min(count)).collect();
    loop {
        let widest = (0..ranges.len()).max_by_key(|&i| ranges[i].len());
        let Some(widest) = widest.filter(|&i| !ranges[i].is_empty()) else {
            return ranges.into_iter().map(|range| range.end).collect();
        };
        let middle = ranges[widest].start + ranges[widest].len() / 2;
        let slice = slices[widest];
        let pivot = &slice[slice.len() - 1 - middle];
        let before = |i: usize| {
            let smaller = match i.cmp(&widest) {
                std::cmp::Ordering::Equal => return middle,
                std::cmp::Ordering::Less => {
                    slices[i].partition_point(|item| item.cmp(pivot).is_lt())
                }
                std::cmp::Ordering::Greater => {
                    slices[i].partition_point(|item| item.cmp(pivot).is_le())
                }
            };
            (slices[i].len() - smaller).clamp(ranges[i].start, ranges[i].end)
        };
        let before: Vec<usize> = (0..slices.len()).map(before).collect();
        if before.iter().sum::<usize>() < count {
            for (range, before) in ranges.iter_mut().zip(before) {
                range.start = before;
            }
            ranges[widest].start += 1;
        } else {
            for (range, before) in ranges.iter_mut().zip(before) {
                range.end = before;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::{collection::vec, prelude::*};
    use sumac_test_support::{cases, sized};

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases(256)) })]

        #[test]
        fn they_are_the_greatest(mut slices in vec(vec(0..50_u8, 0..40), 0..6), part in 0.0..1.0) {
            let mut all: Vec<u8> = slices.concat();
            all.sort_unstable();
            let count = (all.len() as f64 * part) as usize;
            slices.iter_mut().for_each(|slice| slice.sort_unstable());
            let slices: Vec<&[u8]> = slices.iter().map(|slice| &**slice).collect();
            let counts = greatest(&slices, count);
            let tails = slices.iter().zip(counts).map(|(slice, count)| &slice[slice.len() - count..]);
            let mut chosen = tails.collect::<Vec<_>>().concat();
            chosen.sort_unstable();
            prop_assert_eq!(&chosen, &all[all.len() - count..]);
        }
    }

    /// An order that makes no sense.
    #[derive(PartialEq, Eq, Debug)]
    struct Odd(u32);

    impl Ord for Odd {
        fn cmp(&self, other: &Self) -> std::cmp::Ordering {
            (self.0.wrapping_mul(2_654_435_761) % 7).cmp(&(other.0.wrapping_mul(40_503) % 5))
        }
    }

    impl PartialOrd for Odd {
        fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
            Some(self.cmp(other))
        }
    }

    #[test]
    fn the_count_is_right_whatever_the_order() {
        let slices: Vec<Vec<Odd>> = (1..sized(20, 4))
            .map(|len| (0..len * len).map(Odd).collect())
            .collect();
        let slices: Vec<&[Odd]> = slices.iter().map(|slice| &**slice).collect();
        let total: usize = slices.iter().map(|slice| slice.len()).sum();
        for count in 0..=total {
            let counts = greatest(&slices, count);
            assert_eq!(counts.iter().sum::<usize>(), count);
            assert!(
                counts
                    .iter()
                    .zip(&slices)
                    .all(|(n, slice)| *n <= slice.len())
            );
        }
    }
}

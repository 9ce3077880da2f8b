//! How high keys are: a geometric distribution, from a generator of the list's own.

use std::hash::{BuildHasher, Hasher, RandomState};

/// A key of height `h` is of height `h + 1` at least with a probability of 1 in `2^BITS`: the
/// expected size of blocks. Unit tests have small blocks, hence many levels.
const BITS: u32 = if cfg!(test) { 2 } else { 6 };

/// What no height exceeds.
pub(super) const MAX_HEIGHT: usize = 63 / BITS as usize;

/// An odd number whose multiples are spread evenly: 2^64 divided by the golden ratio.
const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

/// A source of heights. Its state is counted up, and heights are what a good mixing function makes
/// of the state: so any height of the sequence can be computed at once, in parallel.
#[derive(Clone, Debug)]
pub(super) struct Heights(u64);

impl Heights {
    #[cfg(test)]
    pub(super) fn with_seed(seed: u64) -> Self {
        Heights(seed)
    }

    /// With a seed that cannot be guessed.
    pub(super) fn random() -> Self {
        Heights(RandomState::new().build_hasher().finish())
    }

    /// The next height.
    #[inline]
    pub(super) fn draw(&mut self) -> usize {
        height(self.next())
    }

    /// Another source, independent of what this one gives from now on.
    pub(super) fn fork(&mut self) -> Self {
        Heights(self.next())
    }

    /// The height at this place of the sequence that begins here.
    #[inline]
    pub(super) fn at(&self, index: usize) -> usize {
        height(mix(self.0.wrapping_add((index as u64).wrapping_mul(STEP))))
    }

    #[inline]
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        mix(self.0)
    }
}

/// The height that a random number stands for.
#[inline]
fn height(random: u64) -> usize {
    ((random | 1 << 63).trailing_zeros() / BITS) as usize
}

/// The finalizer of SplitMix64: a bijection whose every output bit depends on every input bit.
#[inline]
fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sumac_test_support::sized;

    #[test]
    fn heights_are_geometric() {
        const LOG: u32 = sized(20, 14);
        let mut heights = Heights::with_seed(7);
        let mut counts = [0_usize; MAX_HEIGHT + 1];
        for _ in 0..1 << LOG {
            counts[heights.draw()] += 1;
        }
        let higher = |h: usize| counts[h..].iter().sum::<usize>() as f64;
        let expected = f64::from(1 << (LOG - BITS));
        assert!((higher(1) / expected - 1.0).abs() < 0.1, "{counts:?}");
        let expected = f64::from(1 << (LOG - 2 * BITS));
        assert!((higher(2) / expected - 1.0).abs() < 0.5, "{counts:?}");
        assert_eq!(height(0), MAX_HEIGHT);
        assert_eq!(height(1), 0);
        assert_eq!(height(1 << BITS), 1);
    }

    #[test]
    fn forks_differ() {
        let mut heights = Heights::with_seed(7);
        let (a, b) = (heights.fork(), heights.fork());
        assert!((0..10_000).any(|i| a.at(i) != b.at(i)));
    }
}

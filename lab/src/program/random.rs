//! Numbers from a seed, the same on every machine and in every run, and digests of what was
//! computed.

use std::convert::Infallible;

use rand::TryRng;

use crate::problem::mix;

/// The seed of every input.
pub(crate) const SEED: u64 = 2026;

/// splitmix64: the n-th number depends on the seed and n alone.
pub(crate) fn scatter(n: u64) -> u64 {
    mix(SEED.wrapping_add(n).wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

/// A number from 0 to 1.
pub(crate) fn fraction(n: u64) -> f64 {
    (scatter(n) >> 11) as f64 / (1u64 << 53) as f64
}

/// The first `count` numbers.
pub(crate) fn numbers(count: usize) -> Vec<u64> {
    (0..count as u64).map(scatter).collect()
}

/// A generator for inputs that are made recursively.
pub(crate) struct Random(u64);

impl Random {
    /// From the start.
    pub(crate) fn new() -> Random {
        Random(0)
    }

    /// From the number at this place.
    pub(crate) fn at(place: u64) -> Random {
        Random(place)
    }

    /// The next number.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 += 1;
        scatter(self.0)
    }

    /// The next number below a limit.
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }
}

/// For the distributions of a library.
impl TryRng for Random {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok((self.next() >> 32) as u32)
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(self.next())
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        for part in bytes.chunks_mut(8) {
            part.copy_from_slice(&self.next().to_le_bytes()[..part.len()]);
        }
        Ok(())
    }
}

/// A number that tells these values, in this order, from any others.
pub(crate) fn digest(values: impl IntoIterator<Item = u64>) -> u64 {
    values
        .into_iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, value| {
            (hash ^ value)
                .wrapping_mul(0x0000_0100_0000_01b3)
                .rotate_left(23)
        })
}

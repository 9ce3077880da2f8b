//! The sum of bytes, as fast as memory can be read: safe code that the compiler makes vectors of,
//! compiled once for each set of instructions that matters and chosen when first called.
//!
//! Lanes are 16 bits wide, twice as many in a register as with 32 bits. A lane adds up [`STEPS`]
//! bytes, which it can hold, before all lanes are emptied into the 64-bit total.

use multiversion::multiversion;

/// Lanes that are added to at once: two cache lines of bytes, so that enough loads are under way to
/// keep memory busy.
const LANES: usize = 128;
/// How many bytes a lane takes: 257 times 255 is the most that fits into 16 bits.
const STEPS: usize = 256;

/// The sum of all bytes.
///
/// # Examples
/// ```
/// assert_eq!(sumac_adders::sum(&[255; 1000]), 255_000);
/// ```
#[multiversion(targets("x86_64+avx+avx2+avx512f+avx512bw", "x86_64+avx+avx2"))]
pub fn sum(bytes: &[u8]) -> u64 {
    let mut total = 0;
    for block in bytes.chunks(LANES * STEPS) {
        let mut lanes = [0_u16; LANES];
        let mut lines = block.chunks_exact(LANES);
        for line in &mut lines {
            for (lane, byte) in lanes.iter_mut().zip(line) {
                *lane += u16::from(*byte);
            }
        }
        total += lanes.iter().map(|lane| u64::from(*lane)).sum::<u64>();
        let rest = lines.remainder().iter();
        total += rest.map(|byte| u64::from(*byte)).sum::<u64>();
    }
    total
}

/// Reads all bytes and does next to nothing with them: a yardstick for sums.
#[multiversion(targets("x86_64+avx+avx2+avx512f+avx512bw", "x86_64+avx+avx2"))]
#[allow(clippy::needless_range_loop)]
pub fn read(bytes: &[u8]) -> u8 {
    let mut lanes = [0; LANES];
    let mut lines = bytes.chunks_exact(LANES);
    for line in &mut lines {
        // By number: the compiler keeps the lanes in registers.
        for lane in 0..LANES {
            lanes[lane] ^= line[lane];
        }
    }
    let rest = lines.remainder().iter();
    lanes.iter().chain(rest).fold(0, |all, byte| all ^ byte)
}

#[cfg(test)]
mod tests {
    use super::{LANES, STEPS, read, sum};
    use proptest::prelude::*;

    #[test]
    fn lanes_do_not_overflow() {
        for len in [LANES * STEPS - 1, LANES * STEPS, LANES * (STEPS + 1) + 3] {
            assert_eq!(sum(&vec![255; len]), 255 * len as u64);
        }
    }

    #[test]
    fn all_are_read() {
        let bytes: Vec<u8> = (0..1003).map(|n| (n * n % 251) as u8).collect();
        assert_eq!(read(&bytes), bytes.iter().fold(0, |all, byte| all ^ byte));
    }

    proptest! {
        #[test]
        fn as_one_by_one(bytes: Vec<u8>, repeats in 1_usize..400) {
            let bytes = bytes.repeat(repeats);
            prop_assert_eq!(sum(&bytes), bytes.iter().map(|byte| u64::from(*byte)).sum::<u64>());
        }
    }
}

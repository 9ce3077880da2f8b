//! Numbers that look random and are the same in every run.

pub fn numbers(count: u64) -> impl Iterator<Item = u64> + Clone {
    (1..=count).map(|i| {
        let mut z = i.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    })
}

/// From 0 up to 1.
#[allow(dead_code)]
pub fn parts(count: u64) -> impl Iterator<Item = f64> + Clone {
    numbers(count).map(|n| (n >> 11) as f64 / (1u64 << 53) as f64)
}

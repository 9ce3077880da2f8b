//! The hash of 200 million bytes.
mod random;

fn main() {
    let bytes: Vec<u8> = random::numbers(25_000_000).flat_map(u64::to_le_bytes).collect();
    let mut hasher = blake3::Hasher::new();
    for _ in 0..3 {
        hasher.update_rayon(&bytes);
        bytes.chunks(100_000).for_each(|part| drop(hasher.update_rayon(part)));
    }
    println!("{}", hasher.finalize());
}

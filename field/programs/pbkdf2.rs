//! A long key derived from a password, its blocks in parallel.
fn main() {
    let mut key = [0; 32 * 64];
    pbkdf2::pbkdf2_hmac::<sha2::Sha256>(b"password", b"salt", 12_000, &mut key);
    println!("{:x}", key.iter().fold(0, |h: u64, &b| h.wrapping_mul(31) + u64::from(b)));
}

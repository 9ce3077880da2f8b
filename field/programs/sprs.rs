//! Products of sparse matrices, their rows divided among threads.
mod random;
use sprs::{CsMat, TriMat};

fn main() {
    let side = 20_000;
    let mut entries = TriMat::new((side, side));
    for n in random::numbers(250_000) {
        let value = (n & 255) as f64;
        entries.add_triplet(n as usize % side, (n >> 32) as usize % side, value);
    }
    let a: CsMat<f64> = entries.to_csr();
    let square = &a * &a;
    let more = &square * &a;
    let sum = more.data().iter().fold(0, |h: u64, x| h.rotate_left(1) ^ x.to_bits());
    println!("{} {} {sum:x}", square.nnz(), more.nnz());
}

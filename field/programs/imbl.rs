//! Persistent vectors, their leaves visited and changed in parallel.
mod random;
use imbl::Vector;
use rayon::prelude::*;

fn main() {
    let mut numbers: Vector<u64> = random::numbers(2_000_000).collect();
    for _ in 0..10 {
        let before = numbers.clone();
        numbers.par_iter_mut().for_each(|n| *n = n.rotate_left(7).wrapping_mul(31));
        let changed = before.par_iter().zip(numbers.par_iter()).filter(|(a, b)| *a > *b);
        println!("{}", changed.count());
    }
}

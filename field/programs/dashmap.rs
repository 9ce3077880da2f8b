//! Words counted into a concurrent map by a parallel loop: locks, held for short.
mod random;
use rayon::prelude::*;

fn main() {
    let numbers: Vec<u64> = random::numbers(3_000_000).collect();
    let map = dashmap::DashMap::<u64, u64>::new();
    numbers.par_iter().for_each(|n| *map.entry(n % 50_000).or_default() += n >> 32);
    let sum: u64 = map.par_iter().map(|entry| entry.value() ^ entry.key()).sum();
    println!("{} {sum}", map.len());
}

//! A map filled from a parallel iterator, visited and changed in parallel.
mod random;
use rayon::prelude::*;

fn main() {
    let numbers: Vec<u64> = random::numbers(400_000).collect();
    let mut map: hashbrown::HashMap<u64, u64> = numbers.par_iter().map(|&n| (n, n >> 7)).collect();
    for _ in 0..30 {
        map.par_values_mut().for_each(|value| *value = value.rotate_left(5) ^ 3);
        map.par_extend(numbers.par_iter().step_by(40).map(|&n| (n ^ 1, n)));
    }
    let sum = map.par_iter().map(|(k, v)| k ^ v).reduce(|| 0, u64::wrapping_add);
    println!("{} {sum}", map.len());
}

//! An ordered map collected, sorted and searched in parallel.
mod random;
use indexmap::IndexMap;
use rayon::prelude::*;

fn main() {
    let numbers: Vec<u64> = random::numbers(600_000).collect();
    let mut map: IndexMap<u64, u64> = numbers.par_iter().map(|&n| (n % 500_009, n)).collect();
    map.par_sort_by(|_, a, _, b| a.cmp(b));
    let first = *map.get_index(0).expect("it is not empty").0;
    map.par_sort_unstable_keys();
    let sum = map.par_values().map(|v| v >> 20).sum::<u64>();
    println!("{} {first} {sum} {}", map.len(), map.par_eq(&map.clone()));
}

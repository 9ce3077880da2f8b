//! A loop of loops with a tiny body, as in a program that is parallel everywhere: n × n.

use super::library::{Loop, each_library, texts};
use super::random::numbers;

/// So many rows of so many.
pub(super) fn nested(size: usize) -> Loop<[Vec<u64>]> {
    let numbers = numbers(size * size);
    let rows: Vec<Vec<u64>> = numbers.chunks_exact(size).map(<[u64]>::to_vec).collect();
    Loop::new(rows, texts!(sum), numbers.iter().map(tiny).sum())
}

fn tiny(value: &u64) -> u64 {
    value >> 32
}

fn sum(rows: &[Vec<u64>]) -> u64 {
    let row = |row: &Vec<u64>| row.iter().map(tiny).sum::<u64>();
    rows.iter().map(row).sum()
}

each_library! {
    pub(super) fn sum(rows: &[Vec<u64>]) -> u64 {
        let row = |row: &Vec<u64>| row.par_iter().map(tiny).sum::<u64>();
        rows.par_iter().map(row).sum()
    }
}

//! How often does each byte occur? Every thread counts into a table of its own, tables are added:
//! `fold` and `reduce`. The oracle has counted while the bytes were made.

use super::share;
use crate::contender::Contender;
use crate::problem::Problem;
use crate::program::random::{digest, scatter};
use crate::program::{by_library, each_library};

/// Boxed, since `fold` hands it on by value from byte to byte.
type Table = Box<[u64; 256]>;

/// Bytes to be counted.
pub(crate) struct Histogram {
    bytes: Vec<u8>,
    expected: u64,
}

impl Histogram {
    /// So many of them.
    pub(crate) fn new(size: usize) -> Histogram {
        let mut table = empty();
        let byte = |n: u64| {
            // The smaller of two, so that the bytes are not all as frequent.
            let byte = (scatter(n) as u8).min((scatter(n) >> 8) as u8);
            table[usize::from(byte)] += 1;
            byte
        };
        Histogram {
            bytes: (0..size as u64).map(byte).collect(),
            expected: weigh(table),
        }
    }
}

/// A sum over the table, so that the sum of parts is that of the whole.
fn weigh(table: Table) -> u64 {
    let terms = (0..)
        .zip(*table)
        .map(|(byte, count)| count.wrapping_mul(digest([byte])));
    terms.fold(0, u64::wrapping_add)
}

fn empty() -> Table {
    Box::new([0; 256])
}

fn count(mut table: Table, byte: &u8) -> Table {
    table[usize::from(*byte)] += 1;
    table
}

fn add(mut a: Table, b: Table) -> Table {
    a.iter_mut().zip(*b).for_each(|(a, b)| *a += b);
    a
}

fn histogram(bytes: &[u8]) -> Table {
    bytes.iter().fold(empty(), count)
}

each_library! {
    pub(super) fn histogram(bytes: &[u8]) -> Table {
        bytes
            .par_iter()
            .fold(empty, count)
            .reduce(empty, add)
    }
}

impl Problem for Histogram {
    fn solve<C: Contender>(&self, _cx: &mut C::Cx<'_>) -> u64 {
        weigh(by_library!(C => histogram(&self.bytes)))
    }

    fn part(&self, part: usize, parts: usize) -> u64 {
        weigh(histogram(&self.bytes[share(self.bytes.len(), part, parts)]))
    }

    fn expected(&self) -> u64 {
        self.expected
    }
}

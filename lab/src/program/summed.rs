//! A summed-area table: each entry becomes the sum of all above and to the left of it. Prefix sums
//! of all rows, a transposition, prefix sums again, each a parallel loop over rows; the table ends
//! up on its side. From domainslib's test programs. The oracle is the usual recurrence.

use super::random::{digest, scatter};
use super::work::Work;
use super::{by_library, each_library};
use crate::contender::Contender;
use crate::problem::Problem;

/// A square, row by row, and room for another.
type Squares = (Vec<u64>, Vec<u64>);

/// A square of numbers.
pub(crate) struct Summed {
    size: usize,
    work: Work<Squares>,
    expected: u64,
}

impl Summed {
    /// Of so many rows.
    pub(crate) fn new(size: usize) -> Summed {
        let square: Vec<u64> = (0..size * size).map(|n| scatter(n as u64) % 256).collect();
        let mut sums = vec![0; size * size];
        for place in 0..size * size {
            let (y, x) = (place / size, place % size);
            let above = if y > 0 { sums[place - size] } else { 0 };
            let left = if x > 0 { sums[place - 1] } else { 0 };
            let both = if x > 0 && y > 0 {
                sums[place - size - 1]
            } else {
                0
            };
            sums[place] = square[place] + above + left - both;
        }
        let on_its_side = (0..size * size).map(|place| sums[place % size * size + place / size]);
        Summed {
            size,
            expected: digest(on_its_side),
            work: Work::new((square, vec![0; size * size])),
        }
    }
}

/// The row's prefix sums.
fn prefixes(row: &mut [u64]) {
    let mut sum = 0;
    for value in row {
        sum += *value;
        *value = sum;
    }
}

/// The column as a row.
fn upright(square: &[u64], size: usize, column: usize, row: &mut [u64]) {
    for (y, value) in row.iter_mut().enumerate() {
        *value = square[y * size + column];
    }
}

fn sum_up((square, turned): &mut Squares, size: usize) {
    square.chunks_exact_mut(size).for_each(prefixes);
    for (x, row) in turned.chunks_exact_mut(size).enumerate() {
        upright(square, size, x, row);
        prefixes(row);
    }
}

each_library! {
    pub(super) fn sum_up((square, turned): &mut Squares, size: usize) {
        square.par_chunks_exact_mut(size).for_each(prefixes);
        turned
            .par_chunks_exact_mut(size)
            .enumerate()
            .for_each(|(x, row)| {
                upright(square, size, x, row);
                prefixes(row);
            });
    }
}

impl Problem for Summed {
    fn solve<C: Contender>(&self, _cx: &mut C::Cx<'_>) -> u64 {
        by_library!(C => sum_up(&mut self.work.lock(), self.size));
        0
    }

    fn expected(&self) -> u64 {
        self.expected
    }

    fn in_place(&self) -> bool {
        true
    }

    fn reset(&self) {
        self.work.reset();
    }

    fn answer(&self, _returned: u64) -> u64 {
        digest(self.work.lock().1.iter().copied())
    }
}

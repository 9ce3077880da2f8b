//! LU decomposition in place, without pivots since the diagonal dominates: a parallel loop over the
//! rows below, once for every column, ever shorter. From domainslib's test programs.

use super::random::{digest_f64, fraction};
use super::work::Work;
use super::{by_library, each_library};
use crate::contender::Contender;
use crate::problem::Problem;

/// A matrix to be decomposed.
pub(crate) struct Lu {
    size: usize,
    work: Work<Vec<f64>>,
    expected: u64,
}

impl Lu {
    /// Of so many rows.
    pub(crate) fn new(size: usize) -> Lu {
        let entry = |place: usize| {
            let diagonal = place / size == place % size;
            fraction(place as u64) + if diagonal { size as f64 } else { 0.0 }
        };
        let matrix: Vec<f64> = (0..size * size).map(entry).collect();
        let mut decomposed = matrix.clone();
        decompose(&mut decomposed, size);
        Lu {
            size,
            work: Work::new(matrix),
            expected: digest_f64(&decomposed),
        }
    }
}

/// The row below without its part in the direction of the pivot's row, which is noted in its place.
fn eliminate(pivot: &[f64], row: &mut [f64], k: usize) {
    let factor = row[k] / pivot[k];
    row[k] = factor;
    for (value, above) in row[k + 1..].iter_mut().zip(&pivot[k + 1..]) {
        *value -= factor * above;
    }
}

fn decompose(matrix: &mut [f64], size: usize) {
    for k in 0..size {
        let (done, below) = matrix.split_at_mut((k + 1) * size);
        let pivot = &done[k * size..];
        for row in below.chunks_exact_mut(size) {
            eliminate(pivot, row, k);
        }
    }
}

each_library! {
    pub(super) fn decompose(matrix: &mut [f64], size: usize) {
        for k in 0..size {
            let (done, below) = matrix.split_at_mut((k + 1) * size);
            let pivot = &done[k * size..];
            below
                .par_chunks_exact_mut(size)
                .for_each(|row| eliminate(pivot, row, k));
        }
    }
}

impl Problem for Lu {
    fn solve<C: Contender>(&self, _cx: &mut C::Cx<'_>) -> u64 {
        by_library!(C => decompose(&mut self.work.lock(), self.size));
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
        digest_f64(&self.work.lock())
    }
}

#[cfg(test)]
#[test]
fn lower_times_upper_is_the_matrix() {
    let (size, lu) = (9, Lu::new(9));
    let mut parts = lu.work.initial().clone();
    decompose(&mut parts, size);
    for (place, entry) in lu.work.initial().iter().enumerate() {
        let (i, j) = (place / size, place % size);
        let lower = |k| if k == i { 1.0 } else { parts[i * size + k] };
        let product: f64 = (0..=i.min(j)).map(|k| lower(k) * parts[k * size + j]).sum();
        assert!((product - entry).abs() < 1e-9);
    }
}

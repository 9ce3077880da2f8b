//! LU decomposition in place, without pivots since the diagonal dominates: a parallel loop over the
//! rows below, once for every column, ever shorter. From domainslib's test programs.

use super::library::{InPlace, each_library, texts};
use super::random::{digest, fraction};

/// The rows of a matrix.
type Matrix = [Vec<f64>];

/// A matrix of so many rows, to be decomposed.
pub(super) fn lu(size: usize) -> InPlace<Matrix> {
    let entry = |row: usize, column: usize| {
        let diagonal = if row == column { size as f64 } else { 0.0 };
        fraction((row * size + column) as u64) + diagonal
    };
    let row = |row: usize| (0..size).map(|column| entry(row, column)).collect();
    let matrix: Vec<Vec<f64>> = (0..size).map(row).collect();
    let mut decomposed = matrix.clone();
    decompose(&mut decomposed);
    InPlace::new(matrix, texts!(decompose), bits, bits(&decomposed))
}

fn bits(matrix: &Matrix) -> u64 {
    digest(matrix.iter().flatten().map(|value| value.to_bits()))
}

/// The row below without its part in the direction of the pivot's row, which is noted in its place.
fn eliminate(pivot: &[f64], row: &mut [f64], k: usize) {
    let factor = row[k] / pivot[k];
    row[k] = factor;
    for (value, above) in row[k + 1..].iter_mut().zip(&pivot[k + 1..]) {
        *value -= factor * above;
    }
}

fn decompose(matrix: &mut Matrix) {
    for k in 0..matrix.len() {
        let (done, below) = matrix.split_at_mut(k + 1);
        below.iter_mut().for_each(|row| eliminate(&done[k], row, k));
    }
}

each_library! {
    pub(super) fn decompose(matrix: &mut Matrix) {
        for k in 0..matrix.len() {
            let (done, below) = matrix.split_at_mut(k + 1);
            below.par_iter_mut().for_each(|row| eliminate(&done[k], row, k));
        }
    }
}

#[cfg(test)]
#[test]
fn lower_times_upper_is_the_matrix() {
    let lu = lu(9);
    let mut parts = lu.work.initial().clone();
    decompose(&mut parts);
    for (i, row) in lu.work.initial().iter().enumerate() {
        for (j, entry) in row.iter().enumerate() {
            let lower = |k| if k == i { 1.0 } else { parts[i][k] };
            let product: f64 = (0..=i.min(j)).map(|k| lower(k) * parts[k][j]).sum();
            assert!((product - entry).abs() < 1e-9);
        }
    }
}

//! The spectral norm of an infinite matrix's corner by the power method: four products of matrix
//! and vector a step, each a parallel loop over rows. From domainslib's test programs, and the
//! benchmarks game before. The answer is the norm to nine places, the same in whatever order rows
//! are done.

use super::{by_library, each_library};
use crate::contender::Contender;
use crate::problem::Problem;

/// How often the vector is multiplied.
const STEPS: usize = 10;

/// A corner of the matrix.
pub(crate) struct Spectral {
    size: usize,
    expected: u64,
}

impl Spectral {
    /// Of so many rows.
    pub(crate) fn new(size: usize) -> Spectral {
        Spectral {
            size,
            expected: rounded(norm(size)),
        }
    }
}

fn rounded(norm: f64) -> u64 {
    (norm * 1e9).round() as u64
}

fn entry(i: usize, j: usize) -> f64 {
    1.0 / ((i + j) * (i + j + 1) / 2 + i + 1) as f64
}

fn row(i: usize, vector: &[f64]) -> f64 {
    vector
        .iter()
        .enumerate()
        .map(|(j, x)| entry(i, j) * x)
        .sum()
}

fn column(i: usize, vector: &[f64]) -> f64 {
    vector
        .iter()
        .enumerate()
        .map(|(j, x)| entry(j, i) * x)
        .sum()
}

fn quotient(u: &[f64], v: &[f64]) -> f64 {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    (dot(u, v) / dot(v, v)).sqrt()
}

fn norm(size: usize) -> f64 {
    let squared = |u: &[f64]| -> Vec<f64> {
        let v: Vec<f64> = (0..size).map(|i| row(i, u)).collect();
        (0..size).map(|i| column(i, &v)).collect()
    };
    let (mut u, mut v) = (vec![1.0; size], Vec::new());
    for _ in 0..STEPS {
        v = squared(&u);
        u = squared(&v);
    }
    quotient(&u, &v)
}

each_library! {
    pub(super) fn norm(size: usize) -> f64 {
        let squared = |u: &[f64]| -> Vec<f64> {
            let v: Vec<f64> = (0..size).into_par_iter().map(|i| row(i, u)).collect();
            (0..size).into_par_iter().map(|i| column(i, &v)).collect()
        };
        let (mut u, mut v) = (vec![1.0; size], Vec::new());
        for _ in 0..STEPS {
            v = squared(&u);
            u = squared(&v);
        }
        quotient(&u, &v)
    }
}

impl Problem for Spectral {
    fn solve<C: Contender>(&self, _cx: &mut C::Cx<'_>) -> u64 {
        rounded(by_library!(C => norm(self.size)))
    }

    fn expected(&self) -> u64 {
        self.expected
    }
}

#[cfg(test)]
#[test]
fn the_norm_is_the_published_one() {
    assert_eq!(rounded(norm(100)), 1_274_219_991);
}

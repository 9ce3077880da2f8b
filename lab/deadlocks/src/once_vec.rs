//! A vector that only grows: who wants an entry first computes all that lack before it, under the
//! vector's lock, in the order of their degrees, each by a parallel pass over a matrix. Entries are
//! wanted for all pairs of degrees at once.
//!
//! <https://github.com/SpectralSequences/sseq/issues/142>

use std::sync::Mutex;

use rayon::prelude::*;

use crate::{Case, Owner};

pub(crate) const CASE: Case = Case {
    name: "once-vec",
    source: "SpectralSequences/sseq#142",
    waits: "item: vector that the item below extends",
    rounds: 200,
    round,
};

fn round() {
    let kernels = Mutex::new(Vec::new());
    (0..16).into_par_iter().for_each(|s| {
        (0..4).into_par_iter().for_each(|t| {
            assert_eq!(kernel(&kernels, s + t), s + t);
        });
    });
}

fn kernel(kernels: &Mutex<Vec<usize>>, degree: usize) -> usize {
    let mut kernels = kernels.lock().expect("no panics");
    for next in kernels.len()..=degree {
        let owner = Owner::here();
        let mut matrix = [0; 8];
        matrix.par_iter_mut().for_each(|row| {
            owner.part();
            *row = next;
        });
        kernels.push(matrix.iter().sum::<usize>() / 8);
    }
    kernels[degree]
}

//! A small language model decodes: for each token, some two hundred products of a quantised matrix
//! and a vector, one after the other, each a parallel loop of some ten microseconds.
//!
//! <https://github.com/huggingface/candle/issues/3134>

use super::library::prelude::*;
use crate::{Call, Case, Form};

pub(super) const CASE: Case = Case {
    name: "decode",
    source: "huggingface/candle#3134",
    threads: None,
    is_about_cpu: false,
    prepare,
};

const PRODUCTS: usize = 28 * 7;
const SIZE: usize = 512;

/// A square matrix of weights, and what is multiplied by it.
pub(super) struct Model {
    weights: Vec<i8>,
    state: Vec<i8>,
    next: Vec<i8>,
}

impl Model {
    pub(super) fn new() -> Model {
        let small = |i: usize| i8::try_from(i * 7 % 15).expect("it is small") - 7;
        Model {
            weights: (0..SIZE * SIZE).map(small).collect(),
            state: vec![0; SIZE],
            next: vec![0; SIZE],
        }
    }

    /// Has the next state computed by products, each of which gets the old and the new one.
    pub(super) fn token(&mut self, products: usize, product: fn(&[i8], &[i8], &mut [i8])) -> u64 {
        self.state.copy_from_slice(&self.weights[..SIZE]);
        for _ in 0..products {
            product(&self.weights, &self.state, &mut self.next);
            std::mem::swap(&mut self.state, &mut self.next);
        }
        self.state
            .iter()
            .map(|&x| u64::from(x.unsigned_abs()))
            .sum()
    }
}

/// An element of a product.
pub(super) fn element(weights: &[i8], state: &[i8], row: usize) -> i8 {
    let row = &weights[row * SIZE..][..SIZE];
    let products = row
        .iter()
        .zip(state)
        .map(|(&a, &b)| i32::from(a) * i32::from(b));
    (products.sum::<i32>() >> 6) as i8
}

fn prepare(form: Form) -> Call {
    form.call(
        Model::new(),
        |model| model.token(PRODUCTS, one_by_one),
        |model| {
            model.token(PRODUCTS, |weights, state, next| {
                let rows = next.par_iter_mut().enumerate();
                rows.with_min_len(128)
                    .with_max_len(512)
                    .for_each(|(row, x)| *x = element(weights, state, row));
            })
        },
    )
}

pub(super) fn one_by_one(weights: &[i8], state: &[i8], next: &mut [i8]) {
    let rows = next.iter_mut().enumerate();
    rows.for_each(|(row, x)| *x = element(weights, state, row));
}

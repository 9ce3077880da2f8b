//! Products of small matrices inside of a parallel loop, each of which forks, too.
//!
//! <https://github.com/SauersML/gam/issues/1045>

use super::library::{join, prelude::*};
use crate::{Call, Case, Form, wrapping};

pub(super) const CASE: Case = Case {
    name: "inner",
    source: "SauersML/gam#1045",
    threads: None,
    is_about_cpu: false,
    prepare,
};

const PRODUCTS: u64 = 64;
const SIZE: usize = 24;
/// So many rows are computed without a fork.
const ROWS: usize = 4;

type Matrix = [[u64; SIZE]; SIZE];

fn prepare(form: Form) -> Call {
    form.call(
        (),
        |()| wrapping((0..PRODUCTS).map(|number| trace(number, false))),
        |()| {
            let products = (0..PRODUCTS)
                .into_par_iter()
                .map(|number| trace(number, true));
            products.reduce(|| 0, u64::wrapping_add)
        },
    )
}

/// The sum of the diagonal of a matrix's fourth power.
fn trace(number: u64, forks: bool) -> u64 {
    let row = |i: usize| std::array::from_fn(|k| number + (i * SIZE + k) as u64);
    let mut matrix: Matrix = std::array::from_fn(row);
    for _ in 0..2 {
        let mut product = [[0; SIZE]; SIZE];
        multiply(&matrix, &matrix, &mut product, forks);
        matrix = product;
    }
    wrapping((0..SIZE).map(|i| matrix[i][i]))
}

fn multiply(a: &[[u64; SIZE]], b: &Matrix, product: &mut [[u64; SIZE]], forks: bool) {
    if forks && a.len() > ROWS {
        let half = a.len() / 2;
        let ((upper, lower), (first, last)) = (a.split_at(half), product.split_at_mut(half));
        join(
            || multiply(upper, b, first, forks),
            || multiply(lower, b, last, forks),
        );
        return;
    }
    for (row, result) in a.iter().zip(product) {
        for (&x, others) in row.iter().zip(b) {
            for (sum, &y) in result.iter_mut().zip(others) {
                *sum = sum.wrapping_add(x.wrapping_mul(y));
            }
        }
    }
}

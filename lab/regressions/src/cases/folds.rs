//! A polynomial is folded in half until one value is left: the first loops are long, the last ones
//! tiny, and each is parallel.
//!
//! <https://github.com/Plonky3/Plonky3/pull/2039>

use super::library::prelude::*;
use crate::{Call, Case, Form};

pub(super) const CASE: Case = Case {
    name: "folds",
    source: "Plonky3/Plonky3#2039",
    threads: None,
    is_about_cpu: false,
    prepare,
};

const VALUES: u64 = 1 << 12;
const PRIME: u64 = 15 * (1 << 27) + 1;

fn prepare(form: Form) -> Call {
    let values: Vec<u64> = (0..VALUES).map(|i| i * i * 12_345 % PRIME).collect();
    form.call(
        values,
        |values| fold(values, |values| values.chunks(2).map(middle).collect()),
        |values| fold(values, |values| values.par_chunks(2).map(middle).collect()),
    )
}

fn fold(values: &[u64], half: fn(&[u64]) -> Vec<u64>) -> u64 {
    let mut values = half(values);
    while values.len() > 1 {
        values = half(&values);
    }
    values[0]
}

fn middle(pair: &[u64]) -> u64 {
    (pair[0] + 123_456_789 * (pair[1] + PRIME - pair[0])) % PRIME
}

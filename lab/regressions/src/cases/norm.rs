//! The example of rayon's README on two thousand numbers.
//!
//! <https://github.com/rayon-rs/rayon/issues/648>

use super::library::prelude::*;
use crate::{Call, Case, Form};

pub(super) const CASE: Case = Case {
    name: "norm",
    source: "rayon-rs/rayon#648",
    threads: None,
    is_about_cpu: false,
    prepare,
};

fn prepare(form: Form) -> Call {
    form.call(
        vec![20.0_f32; 2000],
        |numbers| root(numbers.iter().map(|&x| x * x).sum()),
        |numbers| root(numbers.par_iter().map(|&x| x * x).sum()),
    )
}

/// The sums of these numbers are exact.
fn root(sum: f32) -> u64 {
    u64::from(sum.sqrt().to_bits())
}

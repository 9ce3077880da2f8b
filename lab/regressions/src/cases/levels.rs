//! Sixteen cheap items in parallel, inside of two ordinary loops.
//!
//! <https://github.com/rayon-rs/rayon/issues/1136>

use std::hint::black_box;

use super::library::prelude::*;
use crate::{Call, Case, Form};

pub(super) const CASE: Case = Case {
    name: "levels",
    source: "rayon-rs/rayon#1136",
    threads: None,
    is_about_cpu: false,
    prepare,
};

const OUTER: u64 = 32;

fn prepare(form: Form) -> Call {
    form.call(
        (),
        |()| outer(|x, y| (0..16).map(|z| black_box(x * y * z)).sum()),
        |()| {
            outer(|x, y| {
                (0..16_u64)
                    .into_par_iter()
                    .map(|z| black_box(x * y * z))
                    .sum()
            })
        },
    )
}

fn outer(inner: fn(u64, u64) -> u64) -> u64 {
    let row = |x| (0..OUTER).map(move |y| inner(x, y)).sum::<u64>();
    (0..OUTER).map(row).sum()
}

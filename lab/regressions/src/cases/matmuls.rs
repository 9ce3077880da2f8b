//! Fifty products a token, each of a few tens of microseconds, on more threads than are of use:
//! each loop's fork and join takes longer, the more threads there are.
//!
//! <https://github.com/gradium-ai/xn/pull/64>

use super::decode::{Model, element, one_by_one};
use super::library::prelude::*;
use crate::{Call, Case, Form};

pub(super) const CASE: Case = Case {
    name: "matmuls",
    source: "gradium-ai/xn#64",
    threads: Some(8),
    is_about_cpu: false,
    prepare,
};

const PRODUCTS: usize = 50;
const CHUNK: usize = 16;

fn prepare(form: Form) -> Call {
    form.call(
        Model::new(),
        |model| model.token(PRODUCTS, one_by_one),
        |model| {
            model.token(PRODUCTS, |weights, state, next| {
                let chunks = next.par_chunks_mut(CHUNK).enumerate();
                chunks.for_each(|(chunk, xs)| {
                    for (i, x) in xs.iter_mut().enumerate() {
                        *x = element(weights, state, chunk * CHUNK + i);
                    }
                });
            })
        },
    )
}

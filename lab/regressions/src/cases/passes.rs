//! A bundler's passes over the modules of a graph, each a parallel loop of small items, in a pool
//! of one thread.
//!
//! <https://github.com/web-infra-dev/rspack/pull/14078>

use super::library::prelude::*;
use crate::{Call, Case, Form, wrapping};

pub(super) const CASE: Case = Case {
    name: "passes",
    source: "web-infra-dev/rspack#14078",
    threads: Some(1),
    is_about_cpu: false,
    prepare,
};

const MODULES: usize = 500;
const PASSES: u64 = 40;

/// What a module depends on.
type Graph = Vec<Vec<usize>>;

fn prepare(form: Form) -> Call {
    let dependencies = |i: usize| (0..i % 6).map(|k| (i * 31 + k * 17) % MODULES).collect();
    form.call(
        (0..MODULES).map(dependencies).collect::<Graph>(),
        |graph| passes(|used, pass| graph.iter().map(|own| exports(own, used, pass)).collect()),
        |graph| {
            passes(|used, pass| {
                graph
                    .par_iter()
                    .map(|own| exports(own, used, pass))
                    .collect()
            })
        },
    )
}

fn passes(pass: impl Fn(&[u64], u64) -> Vec<u64>) -> u64 {
    wrapping((0..PASSES).fold(vec![1; MODULES], |used, number| pass(&used, number)))
}

fn exports(dependencies: &[usize], used: &[u64], pass: u64) -> u64 {
    let used = dependencies
        .iter()
        .map(|&module| used[module].rotate_left(5));
    used.fold(pass, |all, used| all.wrapping_mul(31) ^ used)
}

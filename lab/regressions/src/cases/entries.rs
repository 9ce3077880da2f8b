//! Vectors are verified in a pool of their own, most of which have one entry.
//!
//! <https://github.com/solana-labs/solana/pull/28077>

use super::library::{ThreadPool, ThreadPoolBuilder, prelude::*};
use crate::{Call, Case, Form, compute, wrapping};

pub(super) const CASE: Case = Case {
    name: "entries",
    source: "solana-labs/solana#28077",
    threads: None,
    is_about_cpu: false,
    prepare,
};

const VECTORS: u64 = 200;
const STEPS: u32 = 800;

fn prepare(form: Form) -> Call {
    let pool = ThreadPoolBuilder::new().build().expect("a pool");
    let vectors: Vec<Vec<u64>> = (0..VECTORS).map(|entry| vec![entry]).collect();
    form.call(
        (pool, vectors),
        |(_, vectors)| wrapping(vectors.iter().map(|all| wrapping(all.iter().map(verify)))),
        |(pool, vectors)| wrapping(vectors.iter().map(|all| in_pool(pool, all))),
    )
}

fn verify(entry: &u64) -> u64 {
    compute(*entry, STEPS)
}

fn in_pool(pool: &ThreadPool, entries: &[u64]) -> u64 {
    pool.install(|| {
        entries
            .par_iter()
            .map(verify)
            .reduce(|| 0, u64::wrapping_add)
    })
}

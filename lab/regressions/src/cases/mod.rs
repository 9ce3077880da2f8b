//! The cases, on the library that `super` names.

mod batch;
mod callers;
mod decode;
mod entries;
mod flags;
mod folds;
mod inner;
mod levels;
mod matmuls;
mod norm;
mod passes;
mod pools;
mod rays;
mod spawn;
mod template;
mod tick;

use super::library;
use crate::Case;

pub(crate) const CASES: [Case; 16] = [
    flags::CASE,
    decode::CASE,
    matmuls::CASE,
    passes::CASE,
    callers::CASE,
    pools::CASE,
    batch::CASE,
    entries::CASE,
    template::CASE,
    folds::CASE,
    inner::CASE,
    norm::CASE,
    levels::CASE,
    rays::CASE,
    tick::CASE,
    spawn::CASE,
];

/// Sets the number of the global pool's threads.
pub(crate) fn set_threads(threads: usize) {
    let pool = library::ThreadPoolBuilder::new().num_threads(threads);
    pool.build_global().expect("the first pool");
}

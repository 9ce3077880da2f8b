//! The loops: small experiments about iterators and tasks, each with a goal (`goals.rs`). They have
//! the same form as the programs; the inputs are made once per experiment.

pub(crate) mod catalogue;

mod collect;
mod heavy;
mod histogram;
mod nested;
mod saxpy;
mod scan;
mod small;
mod sort;
mod spawn;
mod strings;
mod sums;

#[cfg(test)]
mod tests;

/// The bounds of one of so many equal parts.
fn share(len: usize, part: usize, parts: usize) -> std::ops::Range<usize> {
    len * part / parts..len * (part + 1) / parts
}

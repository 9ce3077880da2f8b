//! The programs that people bring: an input made from a seed, a text, an oracle. One file each,
//! under a page. Join recursions are generic over the contender; loops are one text of rayon's
//! interface, instantiated for each library (`library.rs`), beside the plain text. `catalogue.rs`
//! lists them all.

mod bvh;
pub(crate) mod catalogue;
mod heavy;
mod json;
mod library;
mod lu;
mod mandelbrot;
mod mergesort;
mod nested;
mod prefix;
mod queens;
pub(crate) mod random;
mod saxpy;
mod small;
mod sort;
mod spawn;
mod sum;
mod uts;
mod work;

/// The bounds of one of so many equal parts.
fn share(len: usize, part: usize, parts: usize) -> std::ops::Range<usize> {
    len * part / parts..len * (part + 1) / parts
}

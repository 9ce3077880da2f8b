//! The programs that people bring: an input made from a seed, a text, an oracle. One file each,
//! under a page. Join recursions are generic over the contender; loops are one text of rayon's
//! interface, instantiated for each library (`library.rs`), beside the plain text. `catalogue.rs`
//! lists them all.

mod bvh;
pub(crate) mod catalogue;
mod floyd;
mod hull;
mod json;
mod library;
mod life;
mod lu;
pub(crate) mod mandelbrot;
mod mergesort;
mod nbody;
mod prefix;
mod queens;
mod quicksort;
pub(crate) mod random;
mod spectral;
mod summed;
mod trees;
pub(crate) mod triangular;
pub(crate) mod uts;
mod visitor;
pub(crate) mod work;

#[cfg(test)]
pub(crate) mod tests;

pub(crate) use library::{by_library, each_library};

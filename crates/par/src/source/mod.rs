//! Sources, one per file.

mod range;
pub(crate) mod slice;
mod vec;

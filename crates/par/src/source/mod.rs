//! Sources, one per file.

pub mod array;
mod bounds;
pub mod collections;
mod delegate;
mod number;
pub mod option;
pub mod range;
pub mod range_inclusive;
pub(crate) mod repeat;
pub(crate) mod slice;
pub mod vec;

//! Sources, one per file.

pub mod array;
mod bounds;
pub(crate) mod bridge;
pub mod collections;
pub(crate) mod delegate;
mod either;
mod number;
pub mod option;
pub mod range;
pub mod range_inclusive;
pub(crate) mod repeat;
pub mod result;
pub(crate) mod slice;
pub mod string;
pub mod text;
pub(crate) mod tree;
pub mod vec;
pub mod vec_deque;

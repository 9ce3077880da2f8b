//! `with_min_len`, `by_exponential_blocks`, `by_uniform_blocks`: hints for code written for rayon.
//! They do nothing, since loops are split only when an idle thread asks for work. (`with_max_len`
//! has an effect on some consumers: `max_len.rs`.)

use crate::{
    iter::{IndexedParallelIterator, ParallelIterator},
    source::delegate::delegate,
};

delegate! {
    /// See [`IndexedParallelIterator::with_min_len`].
    #[derive(Clone, Debug)]
    MinLen [I] [I: IndexedParallelIterator] => I, I::Item, indexed
}

delegate! {
    /// See [`IndexedParallelIterator::by_uniform_blocks`].
    #[derive(Clone, Debug)]
    UniformBlocks [I] [I: ParallelIterator] => I, I::Item
}

delegate! {
    /// See [`IndexedParallelIterator::by_exponential_blocks`].
    #[derive(Clone, Debug)]
    ExponentialBlocks [I] [I: ParallelIterator] => I, I::Item
}

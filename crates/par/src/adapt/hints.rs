//! `with_min_len`, `by_exponential_blocks`, `by_uniform_blocks`: hints that no loop needs here,
//! since they are split only when an idle thread asks for work. They are there for code that comes
//! from rayon, and change nothing. (`with_max_len` does, where it can be seen: `max_len.rs`.)

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

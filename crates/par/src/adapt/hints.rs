//! `with_min_len`, `by_exponential_blocks`, `by_uniform_blocks`: hints that no loop needs here,
//! since they are split only when an idle thread asks for work. They are there for code that comes
//! from rayon, and change nothing. (`with_max_len` does, where it can be seen: `max_len.rs`.)

use crate::{
    iter::{IndexedParallelIterator, ParallelIterator},
    shape::{Seal, Sink},
};

macro_rules! hint {
    ($Adaptor:ident, $doc:literal) => {
        #[doc = $doc]
        #[derive(Clone, Debug)]
        #[must_use = "iterator adaptors are lazy"]
        pub struct $Adaptor<I> {
            pub(crate) base: I,
        }

        impl<I: ParallelIterator> ParallelIterator for $Adaptor<I> {
            type Item = I::Item;

            fn drive<S: Sink<I::Item>>(self, sink: &S) -> S::Output {
                self.base.drive(sink)
            }

            fn exact_len(&self, seal: Seal) -> Option<usize> {
                self.base.exact_len(seal)
            }
        }
    };
}

macro_rules! indexed {
    ($Adaptor:ident) => {
        impl<I: IndexedParallelIterator> IndexedParallelIterator for $Adaptor<I> {
            type Producer<'p>
                = I::Producer<'p>
            where
                Self: 'p;

            fn len(&self) -> usize {
                self.base.len()
            }

            fn producer(&mut self, seal: Seal) -> Self::Producer<'_> {
                self.base.producer(seal)
            }
        }
    };
}

hint!(MinLen, "See [`IndexedParallelIterator::with_min_len`].");
indexed!(MinLen);
hint!(
    UniformBlocks,
    "See [`IndexedParallelIterator::by_uniform_blocks`]."
);
hint!(
    ExponentialBlocks,
    "See [`IndexedParallelIterator::by_exponential_blocks`]."
);

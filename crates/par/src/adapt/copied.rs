//! `copied` and `cloned`.

use crate::{
    iter::{IndexedParallelIterator, ParallelIterator},
    shape::{Producer, Seal, Sink, forward},
};
use std::iter;

macro_rules! by_value {
    ($Trait:ident, $Adaptor:ident, $Sink:ident, $Producer:ident, $method:ident, $doc:literal) => {
        #[doc = $doc]
        #[derive(Clone, Debug)]
        #[must_use = "iterator adaptors are lazy"]
        pub struct $Adaptor<I> {
            pub(crate) base: I,
        }

        impl<'a, T, I> ParallelIterator for $Adaptor<I>
        where
            T: 'a + $Trait + Send + Sync,
            I: ParallelIterator<Item = &'a T>,
        {
            type Item = T;

            fn drive<S: Sink<T>>(self, sink: &S) -> S::Output {
                self.base.drive(&$Sink { base: sink })
            }

            fn exact_len(&self, seal: Seal) -> Option<usize> {
                self.base.exact_len(seal)
            }
        }

        struct $Sink<'s, S> {
            base: &'s S,
        }

        impl<'a, T: 'a + $Trait, S: Sink<T>> Sink<&'a T> for $Sink<'_, S> {
            forward!();

            #[inline]
            fn push_all<J: Iterator<Item = &'a T>>(&self, acc: &mut S::Acc, items: J) {
                self.base.push_all(acc, items.$method());
            }
        }

        impl<'a, T, I> IndexedParallelIterator for $Adaptor<I>
        where
            T: 'a + $Trait + Send + Sync,
            I: IndexedParallelIterator<Item = &'a T>,
        {
            type Producer<'p>
                = $Producer<I::Producer<'p>>
            where
                Self: 'p;

            fn len(&self) -> usize {
                self.base.len()
            }

            fn producer(&mut self, seal: Seal) -> Self::Producer<'_> {
                $Producer {
                    base: self.base.producer(seal),
                }
            }
        }

        #[doc = concat!("What is left of a [`", stringify!($Adaptor), "`].")]
        #[derive(Debug)]
        pub struct $Producer<P> {
            base: P,
        }

        impl<'a, T, P> Producer for $Producer<P>
        where
            T: 'a + $Trait,
            P: Producer<Item = &'a T>,
        {
            type Item = T;
            type State = P::State;
            type Iter = iter::$Adaptor<P::Iter>;

            fn len(&self) -> usize {
                self.base.len()
            }

            fn split_at(self, at: usize) -> (Self, Self) {
                let (left, right) = self.base.split_at(at);
                ($Producer { base: left }, $Producer { base: right })
            }

            fn state(&self) -> P::State {
                self.base.state()
            }

            fn iter(self, state: &P::State) -> Self::Iter {
                self.base.iter(state).$method()
            }
        }
    };
}

by_value!(
    Copy,
    Copied,
    CopiedSink,
    CopiedProducer,
    copied,
    "See [`ParallelIterator::copied`]."
);
by_value!(
    Clone,
    Cloned,
    ClonedSink,
    ClonedProducer,
    cloned,
    "See [`ParallelIterator::cloned`]."
);

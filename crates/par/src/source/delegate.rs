//! Parallel iterators of collections that wrap those of vectors or slices.

use crate::{
    iter::{IndexedParallelIterator, ParallelIterator},
    shape::{Seal, Sink},
};
use std::marker::PhantomData;

/// A parallel iterator over items that were taken out of a collection, which stays borrowed.
#[derive(Debug)]
#[must_use = "iterators are lazy"]
pub struct Lent<'a, I> {
    base: I,
    collection: PhantomData<&'a mut ()>,
}

impl<I> Lent<'_, I> {
    pub(crate) fn new(base: I) -> Self {
        Lent {
            base,
            collection: PhantomData,
        }
    }
}

impl<I: ParallelIterator> ParallelIterator for Lent<'_, I> {
    type Item = I::Item;

    fn drive<S: Sink<I::Item>>(self, sink: &S) -> S::Output {
        self.base.drive(sink)
    }

    fn exact_len(&self, seal: Seal) -> Option<usize> {
        self.base.exact_len(seal)
    }

    fn into_vec(self, seal: Seal) -> Vec<I::Item> {
        self.base.into_vec(seal)
    }
}

impl<I: IndexedParallelIterator> IndexedParallelIterator for Lent<'_, I> {
    type Producer<'p>
        = I::Producer<'p>
    where
        Self: 'p;

    fn len(&self) -> usize {
        self.base.len()
    }

    fn producer(&mut self, seal: Seal) -> I::Producer<'_> {
        self.base.producer(seal)
    }
}

/// `delegate! { /// docs … Name [params] [params with bounds] => Base, Item }`, with `, indexed` at
/// the end if it is to be indexed.
macro_rules! delegate {
    ($(#[$attr:meta])* $Name:ident [$($params:tt)*] [$($bounds:tt)*] => $Base:ty, $Item:ty, indexed) => {
        $crate::source::delegate::delegate! {
            $(#[$attr])* $Name [$($params)*] [$($bounds)*] => $Base, $Item
        }

        impl<$($bounds)*> $crate::iter::IndexedParallelIterator for $Name<$($params)*> {
            type Producer<'p>
                = <$Base as $crate::iter::IndexedParallelIterator>::Producer<'p>
            where
                Self: 'p;

            fn len(&self) -> usize {
                $crate::iter::IndexedParallelIterator::len(&self.base)
            }

            fn producer(&mut self, seal: $crate::shape::Seal) -> Self::Producer<'_> {
                self.base.producer(seal)
            }
        }
    };
    ($(#[$attr:meta])* $Name:ident [$($params:tt)*] [$($bounds:tt)*] => $Base:ty, $Item:ty) => {
        $(#[$attr])*
        #[must_use = "iterators are lazy"]
        pub struct $Name<$($params)*> {
            pub(crate) base: $Base,
        }

        impl<$($bounds)*> $crate::iter::ParallelIterator for $Name<$($params)*> {
            type Item = $Item;

            fn drive<S_: $crate::shape::Sink<Self::Item>>(self, sink: &S_) -> S_::Output {
                self.base.drive(sink)
            }

            fn exact_len(&self, seal: $crate::shape::Seal) -> Option<usize> {
                self.base.exact_len(seal)
            }

            fn into_vec(self, seal: $crate::shape::Seal) -> Vec<Self::Item> {
                self.base.into_vec(seal)
            }

            #[inline]
            fn push_few<S_, Few>(
                self,
                sink: &S_,
                run: &mut Option<S_::Acc>,
                position: usize,
                few: Few,
                seal: $crate::shape::Seal,
            ) -> Option<Self>
            where
                S_: $crate::shape::Sink<Self::Item>,
                Few: FnOnce(usize) -> bool,
            {
                let left = self.base.push_few(sink, run, position, few, seal);
                left.map(|base| $Name { base })
            }
        }
    };
}
pub(crate) use delegate;

/// `impl IntoParallelIterator`:
/// `into! { [params with bounds] Collection => Iterator, Item, |collection| base }`.
macro_rules! into {
    ([$($bounds:tt)*] $Collection:ty => $Iter:ident [$($params:tt)*], $Item:ty, |$c:ident| $base:expr) => {
        impl<$($bounds)*> $crate::iter::IntoParallelIterator for $Collection {
            type Iter = $Iter<$($params)*>;
            type Item = $Item;

            fn into_par_iter(self) -> Self::Iter {
                let $c = self;
                $Iter { base: $base }
            }
        }
    };
}
pub(crate) use into;

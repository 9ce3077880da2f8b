//! Tuples of up to twelve indexed iterators, iterated in step: `zip` of `zip`s, with flat items.

use super::each::{Do, Each};
use crate::{
    iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator, Zip},
    shape::{Producer, Seal, Sink, forward},
};

/// `N` iterators in step: what a tuple of them becomes. It is as long as the shortest one.
///
/// # Examples
///
/// ```
/// use sumac_par::prelude::*;
///
/// let (a, b, mut c) = (vec![1, 2, 3], vec![10, 20, 30], vec![0; 3]);
/// (&a, &b, &mut c).into_par_iter().for_each(|(a, b, c)| *c = a + b);
/// assert_eq!(c, [11, 22, 33]);
/// ```
#[derive(Clone, Debug)]
#[must_use = "iterator adaptors are lazy"]
pub struct MultiZip<Z, const N: usize> {
    zip: Z,
}

/// Makes a flat tuple of `N` of a nested one.
#[derive(Clone, Copy, Debug)]
pub struct Flat<const N: usize>;

impl<Z, const N: usize> ParallelIterator for MultiZip<Z, N>
where
    Z: ParallelIterator,
    Flat<N>: Do<Z::Item, Output: Send>,
{
    type Item = <Flat<N> as Do<Z::Item>>::Output;

    fn drive<S: Sink<Self::Item>>(self, sink: &S) -> S::Output {
        self.zip.drive(&FlatSink::<S, N> { base: sink })
    }

    fn exact_len(&self, seal: Seal) -> Option<usize> {
        self.zip.exact_len(seal)
    }
}

struct FlatSink<'a, S, const N: usize> {
    base: &'a S,
}

impl<T, S, const N: usize> Sink<T> for FlatSink<'_, S, N>
where
    Flat<N>: Do<T>,
    S: Sink<<Flat<N> as Do<T>>::Output>,
{
    forward!();

    #[inline]
    fn push_all<J: Iterator<Item = T>>(&self, acc: &mut S::Acc, items: J) {
        self.base
            .push_all(acc, items.map(|item| Flat::<N>.to(item)));
    }
}

impl<Z, const N: usize> IndexedParallelIterator for MultiZip<Z, N>
where
    Z: IndexedParallelIterator,
    Flat<N>: Do<Z::Item, Output: Send>,
{
    type Producer<'p>
        = MultiZipProducer<Z::Producer<'p>, N>
    where
        Self: 'p;

    fn len(&self) -> usize {
        self.zip.len()
    }

    fn producer(&mut self, seal: Seal) -> Self::Producer<'_> {
        MultiZipProducer {
            zip: self.zip.producer(seal),
        }
    }
}

/// What is left of a [`MultiZip`].
#[derive(Debug)]
pub struct MultiZipProducer<P, const N: usize> {
    zip: P,
}

impl<P, const N: usize> Producer for MultiZipProducer<P, N>
where
    P: Producer,
    Flat<N>: Do<P::Item>,
{
    type Item = <Flat<N> as Do<P::Item>>::Output;
    type State = P::State;
    type Iter = Each<P::Iter, Flat<N>>;

    fn len(&self) -> usize {
        self.zip.len()
    }

    fn split_at(self, at: usize) -> (Self, Self) {
        let (left, right) = self.zip.split_at(at);
        (
            MultiZipProducer { zip: left },
            MultiZipProducer { zip: right },
        )
    }

    fn state(&self) -> P::State {
        self.zip.state()
    }

    fn iter(self, state: &P::State) -> Self::Iter {
        Each {
            items: self.zip.iter(state),
            action: Flat,
        }
    }
}

/// Nests a tuple to the left: as types with `Zip`, as a pattern, or as values with `zip`.
macro_rules! nested {
    (types $one:ty) => { $one };
    (types $a:ty, $b:ty $(, $rest:ty)*) => { nested!(types Zip<$a, $b> $(, $rest)*) };
    (items $one:ty) => { $one };
    (items $a:ty, $b:ty $(, $rest:ty)*) => { nested!(items ($a, $b) $(, $rest)*) };
    (pattern $one:pat) => { $one };
    (pattern $a:pat, $b:pat $(, $rest:pat)*) => { nested!(pattern ($a, $b) $(, $rest)*) };
    (zip $one:expr) => { $one };
    (zip $a:expr, $b:expr $(, $rest:expr)*) => { nested!(zip $a.zip($b) $(, $rest)*) };
}

macro_rules! multizip {
    ($n:literal: $($A:ident $a:ident),+) => {
        impl<$($A),+> Do<nested!(items $($A),+)> for Flat<$n> {
            type Output = ($($A,)+);

            #[inline]
            fn to(&mut self, nested!(pattern $($a),+): nested!(items $($A),+)) -> Self::Output {
                ($($a,)+)
            }
        }

        impl<$($A),+> IntoParallelIterator for ($($A,)+)
        where
            $($A: IntoParallelIterator<Iter: IndexedParallelIterator>,)+
        {
            type Iter = MultiZip<nested!(types $($A::Iter),+), $n>;
            type Item = ($($A::Item,)+);

            fn into_par_iter(self) -> Self::Iter {
                let ($($a,)+) = self;
                MultiZip { zip: nested!(zip $($a.into_par_iter()),+) }
            }
        }

        impl<'a, $($A),+> IntoParallelIterator for &'a ($($A,)+)
        where
            $(&'a $A: IntoParallelIterator<Iter: IndexedParallelIterator>,)+
        {
            type Iter = MultiZip<nested!(types $(<&'a $A as IntoParallelIterator>::Iter),+), $n>;
            type Item = ($(<&'a $A as IntoParallelIterator>::Item,)+);

            fn into_par_iter(self) -> Self::Iter {
                let ($($a,)+) = self;
                ($($a,)+).into_par_iter()
            }
        }

        impl<'a, $($A),+> IntoParallelIterator for &'a mut ($($A,)+)
        where
            $(&'a mut $A: IntoParallelIterator<Iter: IndexedParallelIterator>,)+
        {
            type Iter = MultiZip<nested!(types $(<&'a mut $A as IntoParallelIterator>::Iter),+), $n>;
            type Item = ($(<&'a mut $A as IntoParallelIterator>::Item,)+);

            fn into_par_iter(self) -> Self::Iter {
                let ($($a,)+) = self;
                ($($a,)+).into_par_iter()
            }
        }
    };
}

multizip!(1: A a);
multizip!(2: A a, B b);
multizip!(3: A a, B b, C c);
multizip!(4: A a, B b, C c, D d);
multizip!(5: A a, B b, C c, D d, E e);
multizip!(6: A a, B b, C c, D d, E e, F f);
multizip!(7: A a, B b, C c, D d, E e, F f, G g);
multizip!(8: A a, B b, C c, D d, E e, F f, G g, H h);
multizip!(9: A a, B b, C c, D d, E e, F f, G g, H h, I i);
multizip!(10: A a, B b, C c, D d, E e, F f, G g, H h, I i, J j);
multizip!(11: A a, B b, C c, D d, E e, F f, G g, H h, I i, J j, K k);
multizip!(12: A a, B b, C c, D d, E e, F f, G g, H h, I i, J j, K k, L l);

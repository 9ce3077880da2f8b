//! Tuples of up to twelve indexed iterators, iterated in step: `zip` of `zip`s, with flat items.

use super::each::{Acting, Action, Each, Items};
use crate::iter::{IndexedParallelIterator, IntoParallelIterator, Zip};
use std::fmt;

/// A parallel iterator over tuples of the items of `N` iterators. It is as long as the shortest
/// one.
///
/// # Examples
///
/// ```
/// use sumac::prelude::*;
///
/// let (a, b, mut c) = (vec![1, 2, 3], vec![10, 20, 30], vec![0; 3]);
/// (&a, &b, &mut c).into_par_iter().for_each(|(a, b, c)| *c = a + b);
/// assert_eq!(c, [11, 22, 33]);
/// ```
pub type MultiZip<Z, const N: usize> = Each<Z, Flat<N>>;

impl<Z: fmt::Debug, const N: usize> fmt::Debug for MultiZip<Z, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut printed = f.debug_struct("MultiZip");
        printed.field("zip", &self.base).finish()
    }
}

/// Flattens nested tuples into tuples of `N`.
#[derive(Clone, Debug)]
pub struct Flat<const N: usize>;

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
        impl<$($A: Send),+> Action<nested!(items $($A),+)> for Flat<$n> {
            type Output = ($($A,)+);
            type State = ();
            type Shared = ();
            type Block<'p, J_: Items<nested!(items $($A),+)>> = Acting<'p, J_, Self, ()>;

            fn begin(&self) {}

            #[inline]
            fn act(
                &self,
                (): &mut (),
                nested!(pattern $($a),+): nested!(items $($A),+),
            ) -> Self::Output {
                ($($a,)+)
            }

            #[inline]
            fn block<J_: Items<nested!(items $($A),+)>>(
                &self,
                (): &(),
                items: J_,
            ) -> Self::Block<'_, J_> {
                Acting::new(items, self, &())
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
                Each::new(nested!(zip $($a.into_par_iter()),+), Flat)
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

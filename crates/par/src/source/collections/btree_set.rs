//! `BTreeSet`, through a `Vec`.

use crate::{
    iter::{IntoParallelIterator, ParallelDrainFull},
    source::{
        delegate::{Lent, delegate, into},
        vec,
    },
};
use std::collections::BTreeSet;

delegate! {
    /// A parallel iterator over the items of a set.
    #[derive(Clone, Debug)]
    Iter ['a, T] ['a, T: Sync] => vec::IntoIter<&'a T>, &'a T
}

into! { ['a, T: Ord + Sync] &'a BTreeSet<T> => Iter['a, T], &'a T, |set| {
    set.iter().collect::<Vec<_>>().into_par_iter()
} }

delegate! {
    /// A parallel iterator over the items of a set, by value.
    #[derive(Clone, Debug)]
    IntoIter [T] [T: Send] => vec::IntoIter<T>, T
}

into! { [T: Ord + Send] BTreeSet<T> => IntoIter[T], T, |set| {
    set.into_iter().collect::<Vec<_>>().into_par_iter()
} }

delegate! {
    /// A parallel iterator that moves all items out of a set.
    #[derive(Debug)]
    Drain ['a, T] ['a, T: Send] => Lent<'a, vec::IntoIter<T>>, T
}

impl<'a, T: Ord + Send> ParallelDrainFull for &'a mut BTreeSet<T> {
    type Iter = Drain<'a, T>;
    type Item = T;

    fn par_drain(self) -> Self::Iter {
        Drain {
            base: Lent::new(
                std::mem::take(self)
                    .into_iter()
                    .collect::<Vec<_>>()
                    .into_par_iter(),
            ),
        }
    }
}

//! `LinkedList`, through a `Vec`.

use crate::{
    iter::{IntoParallelIterator, ParallelDrainFull},
    source::{
        delegate::{Lent, delegate, into},
        vec,
    },
};
use std::collections::LinkedList;

delegate! {
    /// A parallel iterator over the items of a list.
    #[derive(Clone, Debug)]
    Iter ['a, T] ['a, T: Sync] => vec::IntoIter<&'a T>, &'a T
}

into! { ['a, T: Sync] &'a LinkedList<T> => Iter['a, T], &'a T, |list| {
    list.iter().collect::<Vec<_>>().into_par_iter()
} }

delegate! {
    /// A parallel iterator over the items of a list, mutably.
    #[derive(Debug)]
    IterMut ['a, T] ['a, T: Send] => vec::IntoIter<&'a mut T>, &'a mut T
}

into! { ['a, T: Send] &'a mut LinkedList<T> => IterMut['a, T], &'a mut T, |list| {
    list.iter_mut().collect::<Vec<_>>().into_par_iter()
} }

delegate! {
    /// A parallel iterator over the items of a list, by value.
    #[derive(Clone, Debug)]
    IntoIter [T] [T: Send] => vec::IntoIter<T>, T
}

into! { [T: Send] LinkedList<T> => IntoIter[T], T, |list| {
    list.into_iter().collect::<Vec<_>>().into_par_iter()
} }

delegate! {
    /// A parallel iterator that moves all items out of a list.
    #[derive(Debug)]
    Drain ['a, T] ['a, T: Send] => Lent<'a, vec::IntoIter<T>>, T
}

impl<'a, T: Send> ParallelDrainFull for &'a mut LinkedList<T> {
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

//! `BinaryHeap`, through a `Vec`.

use crate::{
    iter::{IntoParallelIterator, ParallelDrainFull},
    source::{
        delegate::{Lent, delegate, into},
        vec,
    },
};
use std::collections::BinaryHeap;

delegate! {
    /// A parallel iterator over the items of a heap, in no particular order.
    #[derive(Clone, Debug)]
    Iter ['a, T] ['a, T: Sync] => vec::IntoIter<&'a T>, &'a T, indexed
}

into! { ['a, T: Ord + Sync] &'a BinaryHeap<T> => Iter['a, T], &'a T, |heap| {
    heap.iter().collect::<Vec<_>>().into_par_iter()
} }

delegate! {
    /// A parallel iterator over the items of a heap, in no particular order, by value.
    #[derive(Clone, Debug)]
    IntoIter [T] [T: Send] => vec::IntoIter<T>, T, indexed
}

into! { [T: Ord + Send] BinaryHeap<T> => IntoIter[T], T, |heap| {
    heap.into_vec().into_par_iter()
} }

delegate! {
    /// A parallel iterator that moves all items out of a heap, in no particular order.
    #[derive(Debug)]
    Drain ['a, T] ['a, T: Send] => Lent<'a, vec::IntoIter<T>>, T, indexed
}

impl<'a, T: Ord + Send> ParallelDrainFull for &'a mut BinaryHeap<T> {
    type Iter = Drain<'a, T>;
    type Item = T;

    fn par_drain(self) -> Self::Iter {
        Drain {
            base: Lent::new(self.drain().collect::<Vec<_>>().into_par_iter()),
        }
    }
}

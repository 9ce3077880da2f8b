//! `BTreeMap`, through a `Vec`.

use crate::{
    iter::{IntoParallelIterator, ParallelDrainFull},
    source::{
        delegate::{Lent, delegate, into},
        vec,
    },
};
use std::collections::BTreeMap;

delegate! {
    /// A parallel iterator over the entries of a map.
    #[derive(Clone, Debug)]
    Iter ['a, K, V] ['a, K: Sync, V: Sync] => vec::IntoIter<(&'a K, &'a V)>, (&'a K, &'a V)
}

into! { ['a, K: Ord + Sync, V: Sync] &'a BTreeMap<K, V> => Iter['a, K, V], (&'a K, &'a V), |map| {
    map.iter().collect::<Vec<_>>().into_par_iter()
} }

delegate! {
    /// A parallel iterator over the entries of a map, with mutable values.
    #[derive(Debug)]
    IterMut ['a, K, V] ['a, K: Sync, V: Send] => vec::IntoIter<(&'a K, &'a mut V)>, (&'a K, &'a mut V)
}

into! { ['a, K: Ord + Sync, V: Send] &'a mut BTreeMap<K, V> => IterMut['a, K, V], (&'a K, &'a mut V), |map| {
    map.iter_mut().collect::<Vec<_>>().into_par_iter()
} }

delegate! {
    /// A parallel iterator over the entries of a map, by value.
    #[derive(Debug)]
    IntoIter [K, V] [K: Send, V: Send] => vec::IntoIter<(K, V)>, (K, V)
}

into! { [K: Ord + Send, V: Send] BTreeMap<K, V> => IntoIter[K, V], (K, V), |map| {
    map.into_iter().collect::<Vec<_>>().into_par_iter()
} }

delegate! {
    /// A parallel iterator that moves all items out of a map.
    #[derive(Debug)]
    Drain ['a, K, V] ['a, K: Send, V: Send] => Lent<'a, vec::IntoIter<(K, V)>>, (K, V)
}

impl<'a, K: Ord + Send, V: Send> ParallelDrainFull for &'a mut BTreeMap<K, V> {
    type Iter = Drain<'a, K, V>;
    type Item = (K, V);

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

//! `HashMap`, through a `Vec`.

use crate::{
    iter::{IntoParallelIterator, ParallelDrainFull},
    source::{
        delegate::{Lent, delegate, into},
        vec,
    },
};
use std::{
    collections::HashMap,
    hash::{BuildHasher, Hash},
};

delegate! {
    /// A parallel iterator over the entries of a map.
    #[derive(Clone, Debug)]
    Iter ['a, K, V] ['a, K: Sync, V: Sync] => vec::IntoIter<(&'a K, &'a V)>, (&'a K, &'a V)
}

into! { ['a, K: Hash + Eq + Sync, V: Sync, S: BuildHasher] &'a HashMap<K, V, S> => Iter['a, K, V], (&'a K, &'a V), |map| {
    map.iter().collect::<Vec<_>>().into_par_iter()
} }

delegate! {
    /// A parallel iterator over the entries of a map, with mutable values.
    #[derive(Debug)]
    IterMut ['a, K, V] ['a, K: Sync, V: Send] => vec::IntoIter<(&'a K, &'a mut V)>, (&'a K, &'a mut V)
}

into! { ['a, K: Hash + Eq + Sync, V: Send, S: BuildHasher] &'a mut HashMap<K, V, S> => IterMut['a, K, V], (&'a K, &'a mut V), |map| {
    map.iter_mut().collect::<Vec<_>>().into_par_iter()
} }

delegate! {
    /// A parallel iterator over the entries of a map, by value.
    #[derive(Debug)]
    IntoIter [K, V] [K: Send, V: Send] => vec::IntoIter<(K, V)>, (K, V)
}

into! { [K: Hash + Eq + Send, V: Send, S: BuildHasher] HashMap<K, V, S> => IntoIter[K, V], (K, V), |map| {
    map.into_iter().collect::<Vec<_>>().into_par_iter()
} }

delegate! {
    /// A parallel iterator that moves all items out of a map.
    #[derive(Debug)]
    Drain ['a, K, V] ['a, K: Send, V: Send] => Lent<'a, vec::IntoIter<(K, V)>>, (K, V)
}

impl<'a, K: Hash + Eq + Send, V: Send, S: BuildHasher> ParallelDrainFull
    for &'a mut HashMap<K, V, S>
{
    type Iter = Drain<'a, K, V>;
    type Item = (K, V);

    fn par_drain(self) -> Self::Iter {
        Drain {
            base: Lent::new(self.drain().collect::<Vec<_>>().into_par_iter()),
        }
    }
}

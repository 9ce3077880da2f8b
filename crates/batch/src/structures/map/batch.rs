//! How an ordered map carries out a batch, whatever it is made of.

use super::{
    group::MapRequest,
    op::{MapAnswer, MapOp},
    sort,
};
use std::ops::Bound;
use sumac_core::Scope;
use sumac_par::prelude::*;

/// What an ordered map must be able to do for `run`.
pub(crate) trait Store<K, V>: Sync {
    fn len(&self) -> usize;

    /// The entry with the smallest key within the bound.
    fn first_from(&self, bound: Bound<&K>) -> Option<(&K, &V)>;

    /// The entry with the greatest key within the bound.
    fn last_to(&self, bound: Bound<&K>) -> Option<(&K, &V)>;

    /// All entries within the bounds, in order.
    fn entries(&self, from: Bound<&K>, to: Bound<&K>) -> Vec<(K, V)>;

    /// The same, one after the other.
    fn iter<'a>(&'a self, from: Bound<&K>, to: Bound<&K>) -> impl Iterator<Item = (&'a K, &'a V)>
    where
        K: 'a,
        V: 'a;

    fn get(&self, key: &K) -> Option<&V>;

    fn insert(&mut self, key: K, value: V) -> Option<V>;

    fn remove(&mut self, key: &K) -> Option<V>;

    /// Answers requests that concern one key each; they are sorted by key, and by arrival where
    /// keys are equal. In parallel, on disjoint parts of the map. More than one.
    fn settle(&mut self, scope: &mut Scope<'_>, requests: &mut [MapRequest<K, V>]);
}

/// Makes a `Store` an ordered map that can be shared, and compared.
macro_rules! ordered_map {
    ($Map:ident) => {
        impl<K, V> $crate::BatchedStructure for $Map<K, V>
        where
            K: Ord + Clone + Send + Sync,
            V: Clone + Send + Sync,
        {
            type Op = $crate::MapOp<K, V>;
            type Answer = $crate::MapAnswer<K, V>;

            fn run(
                &mut self,
                scope: &mut sumac_core::Scope<'_>,
                requests: &mut [$crate::Request<Self::Op, Self::Answer>],
            ) {
                $crate::structures::map::batch::run(self, scope, requests);
            }

            const READS: Option<$crate::Reads<Self>> =
                Some($crate::Reads::new($crate::MapOp::only_looks, |map, op| {
                    $crate::structures::map::batch::look(map, &op)
                }));

            #[inline]
            fn run_one(&mut self, op: Self::Op) -> Result<Self::Answer, Self::Op> {
                match op {
                    // It may fork.
                    $crate::MapOp::Range(_) => Err(op),
                    op => Ok($crate::structures::map::batch::run_one(self, op)),
                }
            }
        }

        impl<K, V> $crate::OrderedMap for $Map<K, V>
        where
            K: Ord + Clone + Send + Sync,
            V: Clone + Send + Sync,
        {
            type Key = K;
            type Value = V;
        }

        /// Keys are the same if `Ord` says so.
        impl<K: Ord, V: PartialEq> PartialEq for $Map<K, V> {
            fn eq(&self, other: &Self) -> bool {
                let mut pairs = self.iter().zip(other);
                self.len == other.len && pairs.all(|((k, v), (l, w))| k.cmp(l).is_eq() && v == w)
            }
        }

        impl<K: Ord, V: Eq> Eq for $Map<K, V> {}
    };
}
pub(crate) use ordered_map;

/// Carries out a batch.
pub(crate) fn run<K, V, S>(store: &mut S, scope: &mut Scope<'_>, batch: &mut [MapRequest<K, V>])
where
    K: Ord + Clone + Send + Sync,
    V: Clone + Send + Sync,
    S: Store<K, V>,
{
    sort::sort(batch, MapOp::key);
    let wide = batch.partition_point(|request| request.op().key().is_none());
    let (wide, narrow) = batch.split_at_mut(wide);
    if !wide.is_empty() {
        let store = &*store;
        wide.par_iter_mut().for_each(|request| {
            let answer = look(store, request.op());
            request.answer(answer);
        });
    }
    match narrow {
        [] => {}
        [request] => {
            let answer = run_one(store, request.take_op());
            request.answer(answer);
        }
        _ => store.settle(scope, narrow),
    }
}

/// Carries out one operation.
#[inline]
pub(crate) fn run_one<K, V, S>(store: &mut S, op: MapOp<K, V>) -> MapAnswer<K, V>
where
    K: Clone,
    V: Clone,
    S: Store<K, V>,
{
    match op {
        MapOp::Insert(key, value) => MapAnswer::Value(store.insert(key, value)),
        MapOp::Remove(key) => MapAnswer::Value(store.remove(&key)),
        op => look(store, &op),
    }
}

/// Answers an operation that only looks.
#[inline]
pub(crate) fn look<K: Clone, V: Clone, S: Store<K, V>>(
    store: &S,
    op: &MapOp<K, V>,
) -> MapAnswer<K, V> {
    use Bound::{Excluded, Unbounded};
    let entry = |entry: Option<(&K, &V)>| {
        MapAnswer::Entry(entry.map(|(key, value)| (key.clone(), value.clone())))
    };
    match op {
        MapOp::Get(key) => MapAnswer::Value(store.get(key).cloned()),
        MapOp::Contains(key) => MapAnswer::Found(store.get(key).is_some()),
        MapOp::Successor(key) => entry(store.first_from(Excluded(key))),
        MapOp::Predecessor(key) => entry(store.last_to(Excluded(key))),
        MapOp::First => entry(store.first_from(Unbounded)),
        MapOp::Last => entry(store.last_to(Unbounded)),
        MapOp::Len => MapAnswer::Len(store.len()),
        MapOp::Range(bounds) => {
            let (from, to) = &**bounds;
            MapAnswer::Entries(store.entries(from.as_ref(), to.as_ref()))
        }
        MapOp::TakeRange(n, bounds) => {
            let (from, to) = &**bounds;
            let entries = store.iter(from.as_ref(), to.as_ref()).take(*n);
            let entries = entries.map(|(key, value)| (key.clone(), value.clone()));
            MapAnswer::Entries(entries.collect())
        }
        MapOp::Insert(..) | MapOp::Remove(_) => unreachable!("it only looks"),
    }
}

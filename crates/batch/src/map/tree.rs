//! placeholder

use super::{
    batch::{self, OrderedMap, Store},
    group::MapRequest,
    op::{MapAnswer, MapOp},
};
use crate::{BatchedStructure, Request};
use std::{collections::BTreeMap, ops::Bound};
use sumac_core::Scope;

/// An ordered map.
#[derive(Clone, Debug)]
pub struct Tree<K, V>(BTreeMap<K, V>);

impl<K: Ord, V> Default for Tree<K, V> {
    fn default() -> Self {
        Tree(BTreeMap::new())
    }
}

impl<K, V> BatchedStructure for Tree<K, V>
where
    K: Ord + Clone + Send + Sync,
    V: Clone + Send + Sync,
{
    type Op = MapOp<K, V>;
    type Answer = MapAnswer<K, V>;

    fn run(&mut self, scope: &mut Scope<'_>, requests: &mut [Request<Self::Op, Self::Answer>]) {
        batch::run(self, scope, requests);
    }
}

impl<K, V> OrderedMap for Tree<K, V>
where
    K: Ord + Clone + Send + Sync,
    V: Clone + Send + Sync,
{
    type Key = K;
    type Value = V;
}

impl<K, V> Store<K, V> for Tree<K, V>
where
    K: Ord + Clone + Send + Sync,
    V: Clone + Send + Sync,
{
    fn len(&self) -> usize {
        self.0.len()
    }

    fn first_from(&self, bound: Bound<&K>) -> Option<(&K, &V)> {
        self.0.range((bound, Bound::Unbounded)).next()
    }

    fn last_to(&self, bound: Bound<&K>) -> Option<(&K, &V)> {
        self.0.range((Bound::Unbounded, bound)).next_back()
    }

    fn entries(&self, from: Bound<&K>, to: Bound<&K>) -> Vec<(K, V)> {
        self.0
            .range((from, to))
            .map(|(k, v)| (k.clone(), v.clone()))
            .collect()
    }

    fn settle(&mut self, _: &mut Scope<'_>, mut requests: &mut [MapRequest<K, V>]) {
        while !requests.is_empty() {
            let (group, rest) = requests.split_at_mut(super::group::group_len(requests));
            let before = self.0.remove(super::group::key_of(&group[0]));
            if let (key, Some(value)) = super::group::settle(group, before) {
                self.0.insert(key, value);
            }
            requests = rest;
        }
    }
}

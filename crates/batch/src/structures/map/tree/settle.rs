//! Batches: split the requests among the nodes, join what the nodes have become.

use super::{Tree, node::Node, row::Row};
use crate::structures::map::{
    batch::Store,
    group::{MapRequest, key_of},
    prefetch::{GROUP, prefetch_paths},
};
use std::{
    mem,
    ops::Bound,
    panic::{self, AssertUnwindSafe},
};
use sumac_core::Scope;
use sumac_par::prelude::*;

/// What requests have made of a node.
pub(super) struct Change<K, V> {
    /// By how much the number of entries has changed.
    pub(super) delta: isize,
    /// What comes in the place of the node, if it cannot stay: a complete row. A node that stays
    /// may be small, or void.
    pub(super) row: Option<Row<K, V>>,
}

/// What requests have made of neighbouring nodes.
struct Changes<K, V> {
    delta: isize,
    /// What comes in the place of which node, in order.
    rows: Vec<(usize, Row<K, V>)>,
    /// Some node has become small.
    small: bool,
}

impl<K, V> Default for Changes<K, V> {
    fn default() -> Self {
        Changes {
            delta: 0,
            rows: Vec::new(),
            small: false,
        }
    }
}

impl<K, V> Store<K, V> for Tree<K, V>
where
    K: Ord + Clone + Send + Sync,
    V: Clone + Send + Sync,
{
    fn len(&self) -> usize {
        self.len
    }

    fn first_from(&self, bound: Bound<&K>) -> Option<(&K, &V)> {
        self.root.first_from(bound)
    }

    fn last_to(&self, bound: Bound<&K>) -> Option<(&K, &V)> {
        self.root.last_to(bound)
    }

    fn entries(&self, from: Bound<&K>, to: Bound<&K>) -> Vec<(K, V)> {
        let mut cursor = self.cursor(from, to);
        let mut blocks = vec![cursor.block()];
        while cursor.next_leaf() {
            blocks.push(cursor.block());
        }
        let clones = |(keys, values): (&[K], &[V])| {
            let entries = keys.iter().cloned().zip(values.iter().cloned());
            entries.collect::<Vec<_>>()
        };
        if let [block] = blocks[..] {
            return clones(block);
        }
        blocks.into_par_iter().flat_map_iter(clones).collect()
    }

    fn iter<'a>(&'a self, from: Bound<&K>, to: Bound<&K>) -> impl Iterator<Item = (&'a K, &'a V)>
    where
        K: 'a,
        V: 'a,
    {
        self.range((from, to))
    }

    fn get(&self, key: &K) -> Option<&V> {
        self.get(key)
    }

    fn insert(&mut self, key: K, value: V) -> Option<V> {
        self.insert(key, value)
    }

    fn remove(&mut self, key: &K) -> Option<V> {
        self.remove(key)
    }

    fn settle(&mut self, scope: &mut Scope<'_>, requests: &mut [MapRequest<K, V>]) {
        let root = &mut self.root;
        let done = panic::catch_unwind(AssertUnwindSafe(|| {
            if requests.len() <= GROUP {
                prefetch_paths(requests, |_| Some(&*root));
            }
            let change = root.update(scope, requests);
            if let Some(row) = change.row {
                *root = row.raise();
            }
            change.delta
        }));
        match done {
            Ok(delta) => {
                self.len = self.len.saturating_add_signed(delta);
                self.lower();
            }
            Err(payload) => {
                self.rescue();
                panic::resume_unwind(payload);
            }
        }
    }
}

impl<K, V> Tree<K, V>
where
    K: Ord + Clone + Send + Sync,
    V: Clone + Send + Sync,
{
    /// Builds the tree anew from what is left of it, after a panic in a batch: nodes may have been
    /// left too small or too large, or been lost on their way. If that panics too, nothing is left.
    fn rescue(&mut self) {
        let left = mem::take(self);
        let anew = panic::catch_unwind(AssertUnwindSafe(|| {
            let mut entries = Vec::new();
            left.root.pour(&mut entries);
            Tree::build(entries)
        }));
        if let Ok(anew) = anew {
            *self = anew;
        }
    }
}

impl<K, V> Node<K, V> {
    /// Moves all entries out, in order.
    fn pour(self, entries: &mut Vec<(K, V)>) {
        match self {
            Node::Leaf(leaf) => entries.extend(leaf.keys.into_iter().zip(leaf.values)),
            Node::Inner(row) => row.nodes.into_iter().for_each(|node| node.pour(entries)),
        }
    }
}

impl<K, V> Node<K, V>
where
    K: Ord + Clone + Send + Sync,
    V: Clone + Send + Sync,
{
    fn update(&mut self, scope: &mut Scope<'_>, requests: &mut [MapRequest<K, V>]) -> Change<K, V> {
        match self {
            Node::Leaf(leaf) => leaf.update(scope, requests),
            Node::Inner(row) => row.update(scope, requests),
        }
    }
}

impl<K, V> Row<K, V>
where
    K: Ord + Clone + Send + Sync,
    V: Clone + Send + Sync,
{
    fn update(&mut self, scope: &mut Scope<'_>, requests: &mut [MapRequest<K, V>]) -> Change<K, V> {
        let changes = spread(scope, 0, &mut self.nodes, &self.separators, requests);
        let delta = changes.delta;
        let splits = changes.rows.iter().all(|(_, row)| row.nodes.len() > 1);
        if splits && !changes.small && changes.rows.len() <= Self::FEW {
            self.splice(changes.rows);
        } else {
            self.renew(changes.rows);
        }
        let row = (self.nodes.len() > Self::MAX).then(|| mem::take(self).fold());
        Change { delta, row }
    }

    /// So many rows are put in their places one by one.
    const FEW: usize = Self::MAX / 8;

    /// Puts rows in the places of nodes. No node of theirs or ours is small.
    fn splice(&mut self, rows: Vec<(usize, Row<K, V>)>) {
        for (i, row) in rows.into_iter().rev() {
            self.separators.splice(i..i, row.separators);
            self.nodes.splice(i..=i, row.nodes);
        }
    }

    /// Puts rows in the places of nodes, and joins nodes that have become small with neighbours.
    fn renew(&mut self, rows: Vec<(usize, Row<K, V>)>) {
        let old = mem::take(self);
        let more: usize = rows.iter().map(|(_, row)| row.nodes.len()).sum();
        *self = Row::with_capacity(Self::MAX.max(old.nodes.len() + more));
        let mut rows = rows.into_iter().peekable();
        let mut separators = old.separators.into_iter();
        let mut separator = None;
        for (i, node) in old.nodes.into_iter().enumerate() {
            match rows.next_if(|&(at, _)| at == i) {
                Some((_, row)) => self.append(separator, row),
                None => self.push(separator, node),
            }
            separator = separators.next();
        }
    }
}

/// Lets neighbours carry out the requests for them, in parallel. The first of them is the
/// `first`-th of its row.
fn spread<K, V>(
    scope: &mut Scope<'_>,
    first: usize,
    nodes: &mut [Node<K, V>],
    separators: &[K],
    requests: &mut [MapRequest<K, V>],
) -> Changes<K, V>
where
    K: Ord + Clone + Send + Sync,
    V: Clone + Send + Sync,
{
    let [one, .., other] = &*requests else {
        return match requests {
            [request] => {
                let i = separators.partition_point(|s| s.cmp(key_of(request)).is_le());
                at_one(scope, first, i, nodes, requests)
            }
            _ => Changes::default(),
        };
    };
    // Only the nodes from `from` to `to` are concerned, and these two certainly are.
    let from = separators.partition_point(|s| s.cmp(key_of(one)).is_le());
    let to = from + separators[from..].partition_point(|s| s.cmp(key_of(other)).is_le());
    if from == to {
        return at_one(scope, first, from, nodes, requests);
    }
    if requests.len() <= GROUP {
        return sweep(scope, first, from, nodes, separators, requests);
    }
    let middle = from + (to - from).div_ceil(2);
    let separator = &separators[middle - 1];
    let cut = requests.partition_point(|request| key_of(request).cmp(separator).is_lt());
    let (left, right) = requests.split_at_mut(cut);
    let (left_nodes, right_nodes) = nodes.split_at_mut(middle);
    let (mut changes, mut others) = scope.join(
        |s| {
            let nodes = &mut left_nodes[from..];
            spread_half(s, first + from, nodes, &separators[from..middle - 1], left)
        },
        |s| {
            let nodes = &mut right_nodes[..=to - middle];
            spread_half(s, first + middle, nodes, &separators[middle..to], right)
        },
    );
    changes.delta += others.delta;
    changes.rows.append(&mut others.rows);
    changes.small |= others.small;
    changes
}

/// The same for a half of what was too much for a group. The thread that carries out a group asks
/// for its memory.
fn spread_half<K, V>(
    scope: &mut Scope<'_>,
    first: usize,
    nodes: &mut [Node<K, V>],
    separators: &[K],
    requests: &mut [MapRequest<K, V>],
) -> Changes<K, V>
where
    K: Ord + Clone + Send + Sync,
    V: Clone + Send + Sync,
{
    if requests.len() <= GROUP {
        let nodes = &*nodes;
        prefetch_paths(requests, |key| {
            nodes.get(separators.partition_point(|s| s.cmp(key).is_le()))
        });
    }
    spread(scope, first, nodes, separators, requests)
}

/// Lets neighbours carry out a group of requests, one node after the other, beginning with the
/// `i`-th: looking for cuts costs more than these are worth.
fn sweep<K, V>(
    scope: &mut Scope<'_>,
    first: usize,
    mut i: usize,
    nodes: &mut [Node<K, V>],
    separators: &[K],
    mut requests: &mut [MapRequest<K, V>],
) -> Changes<K, V>
where
    K: Ord + Clone + Send + Sync,
    V: Clone + Send + Sync,
{
    let mut changes = Changes::default();
    loop {
        let end = separators.get(i).map_or(requests.len(), |separator| {
            let mut here = requests.iter();
            let beyond = here.position(|request| key_of(request).cmp(separator).is_ge());
            beyond.unwrap_or(requests.len())
        });
        let (here, rest) = requests.split_at_mut(end);
        if !here.is_empty() {
            let mut change = at_one(scope, first, i, nodes, here);
            changes.delta += change.delta;
            changes.rows.append(&mut change.rows);
            changes.small |= change.small;
        }
        let Some(next) = rest.first() else {
            return changes;
        };
        i += 1;
        i += separators[i..].partition_point(|s| s.cmp(key_of(next)).is_le());
        requests = rest;
    }
}

/// Lets one node carry out the requests.
fn at_one<K, V>(
    scope: &mut Scope<'_>,
    first: usize,
    i: usize,
    nodes: &mut [Node<K, V>],
    requests: &mut [MapRequest<K, V>],
) -> Changes<K, V>
where
    K: Ord + Clone + Send + Sync,
    V: Clone + Send + Sync,
{
    let Change { delta, row } = nodes[i].update(scope, requests);
    Changes {
        delta,
        small: row.is_none() && nodes[i].is_small(),
        rows: row.map_or_else(Vec::new, |row| vec![(first + i, row)]),
    }
}

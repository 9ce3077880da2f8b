//! How a leaf carries out requests.

use super::{leaf::Leaf, node::Node, row::Row, settle::Change};
use crate::structures::map::{
    group::{MapRequest, key_of},
    op::{MapAnswer, MapOp},
};
use std::mem;
use sumac_core::Scope;

impl<K, V> Change<K, V> {
    /// The row that comes in the place of the node.
    fn row_of(self, node: &mut Leaf<K, V>) -> Row<K, V> {
        let row = self.row;
        row.unwrap_or_else(|| Row::of(Node::Leaf(mem::take(node))))
    }
}

impl<K, V> Leaf<K, V>
where
    K: Ord + Clone + Send + Sync,
    V: Clone + Send + Sync,
{
    /// So many requests are carried out one after the other. A leaf that is cut in two has place
    /// for as many more entries.
    const FEW: usize = Self::MAX / 2;

    /// Many requests are cut as if all of them were insertions, into parts that fill their leaves
    /// as bulk loading does: so what a batch leaves behind takes no more memory than what single
    /// insertions leave.
    pub(super) fn update(
        &mut self,
        scope: &mut Scope<'_>,
        requests: &mut [MapRequest<K, V>],
    ) -> Change<K, V> {
        let cut = match requests.len() {
            few if few <= Self::FEW || self.len() + few <= Self::MAX => None,
            many => {
                let leaves = (self.len() + many).div_ceil(Self::FILL);
                boundary(requests, many * (leaves / 2) / leaves)
            }
        };
        let Some(cut) = cut else {
            return self.serve(requests);
        };
        let separator = key_of(&requests[cut]).clone();
        let place = self.keys.partition_point(|key| key.cmp(&separator).is_lt());
        let mut right = self.split_off(place);
        let (left_requests, right_requests) = requests.split_at_mut(cut);
        let (mine, others) = scope.join(
            |s| self.update(s, left_requests),
            |s| right.update(s, right_requests),
        );
        self.joined(mine, separator, right, others)
    }

    /// Carries out requests one after the other.
    fn serve(&mut self, requests: &mut [MapRequest<K, V>]) -> Change<K, V> {
        let mut delta = 0;
        let mut place = 0;
        for i in 0..requests.len() {
            let request = &requests[i];
            let found = self.find_from(place, key_of(request));
            if self.len() >= Self::MAX && found.is_err() {
                if let MapOp::Insert(..) = request.op() {
                    let mut change = self.burst(&mut requests[i..]);
                    change.delta += delta;
                    return change;
                }
            }
            delta += self.serve_one(&mut requests[i], found);
            place = found.unwrap_or_else(|place| place);
        }
        Change { delta, row: None }
    }

    /// Carries out requests that begin with one for which the leaf must be cut in two.
    fn burst(&mut self, requests: &mut [MapRequest<K, V>]) -> Change<K, V> {
        let (separator, mut right) = self.split(key_of(&requests[0]));
        let cut = requests.partition_point(|request| key_of(request).cmp(&separator).is_lt());
        let (left_requests, right_requests) = requests.split_at_mut(cut);
        let mine = self.serve(left_requests);
        let others = right.serve(right_requests);
        self.joined(mine, separator, right, others)
    }

    /// The leaf and what has become of it, and the one on its right and what has become of that. If
    /// they have place in one, it is as if there had been no cut: requests that only look change no
    /// leaf.
    fn joined(
        &mut self,
        mine: Change<K, V>,
        separator: K,
        mut right: Self,
        others: Change<K, V>,
    ) -> Change<K, V> {
        let delta = mine.delta + others.delta;
        let whole = mine.row.is_none() && others.row.is_none();
        if whole && self.len() + right.len() <= Self::MAX {
            self.join(&mut right);
            return Change { delta, row: None };
        }
        let mut row = mine.row_of(self);
        row.append(Some(separator), others.row_of(&mut right));
        Change {
            delta,
            row: Some(row),
        }
    }

    /// Carries out a request whose key has been looked for. Returns by how much the number of
    /// entries has changed.
    #[inline]
    fn serve_one(&mut self, request: &mut MapRequest<K, V>, found: Result<usize, usize>) -> isize {
        let (answer, delta) = match (request.take_op(), found) {
            (MapOp::Insert(key, value), Ok(place)) => {
                drop(key);
                let old = mem::replace(&mut self.values[place], value);
                (MapAnswer::Value(Some(old)), 0)
            }
            (MapOp::Insert(key, value), Err(place)) => {
                self.insert(place, key, value);
                (MapAnswer::Value(None), 1)
            }
            (MapOp::Remove(_), Ok(place)) => {
                let (key, value) = self.remove(place);
                drop(key);
                (MapAnswer::Value(Some(value)), -1)
            }
            (MapOp::Get(_), Ok(place)) => (MapAnswer::Value(Some(self.values[place].clone())), 0),
            (MapOp::Remove(_) | MapOp::Get(_), Err(_)) => (MapAnswer::Value(None), 0),
            (MapOp::Contains(_), found) => (MapAnswer::Found(found.is_ok()), 0),
            _ => unreachable!("it concerns one key"),
        };
        request.answer(answer);
        delta
    }
}

/// A place near `middle` among the requests where the key changes, if there is one. There are
/// requests on both of its sides, whatever `Ord` answers: so cutting there comes to an end.
fn boundary<K: Ord, V>(requests: &[MapRequest<K, V>], middle: usize) -> Option<usize> {
    let middle = key_of(requests.get(middle)?);
    let start = requests.partition_point(|request| key_of(request).cmp(middle).is_lt());
    let end = || requests.partition_point(|request| key_of(request).cmp(middle).is_le());
    let cut = if start > 0 { start } else { end() };
    (0 < cut && cut < requests.len()).then_some(cut)
}

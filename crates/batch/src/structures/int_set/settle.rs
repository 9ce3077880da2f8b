//! Batches: the changes are shared out among the nodes.

use super::{
    node::{LIST, Node, Row, SPARSE, digit, level_of},
    op::{IntSetAnswer, IntSetOp},
};
use crate::Request;
use sumac_core::Scope;

pub(super) type SetRequest = Request<IntSetOp, IntSetAnswer>;

/// So many requests are carried out one by one, each on its own way through the node.
const FEW: usize = if cfg!(any(test, miri)) { 3 } else { 128 };

/// The number that a request changes.
#[inline]
fn key_of(request: &SetRequest) -> u64 {
    *request.op().changed().expect("it is a change")
}

/// The number that it puts in.
#[inline]
fn inserted(request: &SetRequest) -> Option<u64> {
    match request.op() {
        IntSetOp::Insert(key) => Some(*key),
        _ => None,
    }
}

impl Node {
    /// Carries out changes, sorted by number and by arrival. Returns by how much the numbers have
    /// become more.
    pub(super) fn settle(&mut self, scope: &mut Scope<'_>, requests: &mut [SetRequest]) -> isize {
        if requests.len() > FEW {
            self.make_room(requests);
            if let Node::Row(row) = self {
                let more = row.settle(scope, requests);
                self.tidy();
                return more;
            }
        }
        let one_by_one = requests.iter_mut().map(|request| self.settle_one(request));
        one_by_one.sum()
    }

    #[inline]
    fn settle_one(&mut self, request: &mut SetRequest) -> isize {
        let (done, more) = match request.take_op() {
            IntSetOp::Insert(key) => (self.insert(key), 1),
            IntSetOp::Remove(key) => (self.remove(key), -1),
            _ => unreachable!("it is a change"),
        };
        request.answer(IntSetAnswer::Yes(done));
        if done { more } else { 0 }
    }

    /// Lets all numbers that come have a place: in a row they will be in parallel. Not where few of
    /// them come to few.
    fn make_room(&mut self, requests: &[SetRequest]) {
        let spans = |this: &Self, key| match this {
            Node::Row(row) => row.spans(key),
            _ => false,
        };
        if let [first, .., last] = requests {
            if spans(self, key_of(first)) && spans(self, key_of(last)) {
                return;
            }
        }
        let mut new = requests.iter().filter_map(inserted);
        let Some(first) = new.next() else { return };
        let last = new.next_back().unwrap_or(first);
        let (from, to, len) = match self {
            Node::Word { bits: 0, .. } => (first, last, Some(0)),
            Node::Word { base, bits } => {
                let len = bits.count_ones();
                (*base, *base | 63, (len <= SPARSE).then_some(len as usize))
            }
            Node::List(keys) => (keys[0], keys[keys.len() - 1], Some(keys.len())),
            Node::Row(row) => (row.base, row.end(), None),
        };
        let level = level_of(from.min(first), to.max(last));
        let there = matches!(self, Node::Row(row) if row.level >= level);
        if level > 0 && !there && len.is_none_or(|len| len + distinct(requests) > LIST) {
            self.raise(level, first);
        }
    }
}

/// How many numbers are put in; more than a list can have are not counted.
fn distinct(requests: &[SetRequest]) -> usize {
    let mut last = None;
    let new = requests.iter().filter_map(inserted);
    let new = new.filter(|&key| last.replace(key) != Some(key));
    new.take(LIST + 1).count()
}

/// Answers requests for numbers of which none is there or comes.
fn absent(requests: &mut [SetRequest]) {
    for request in requests {
        request.answer(IntSetAnswer::Yes(false));
    }
}

impl Row {
    /// Carries out changes. What does not belong here is not put in.
    fn settle(&mut self, scope: &mut Scope<'_>, requests: &mut [SetRequest]) -> isize {
        let requests = within(requests, |key| key < self.base, |key| key <= self.end());
        self.make_nodes(requests);
        let more = share_out(scope, self.level, self.digits, &mut self.nodes, requests);
        let mut left = self.digits;
        self.nodes.retain(|node| {
            let lowest = left & left.wrapping_neg();
            left ^= lowest;
            if node.is_empty() {
                self.digits ^= lowest;
            }
            !node.is_empty()
        });
        more
    }

    /// Makes empty nodes for the numbers that will be put in.
    fn make_nodes(&mut self, requests: &[SetRequest]) {
        let mut rest = requests;
        while let Some(first) = rest.first() {
            let key = key_of(first);
            let of_digit =
                |request: &SetRequest| digit(key_of(request), self.level) == digit(key, self.level);
            let group;
            (group, rest) = rest.split_at(rest.partition_point(of_digit));
            if self.place(key).is_err() && group.iter().any(|request| inserted(request).is_some()) {
                self.node_of(key);
            }
        }
    }
}

/// Shares requests out among the nodes of a row that have these digits, in parallel.
fn share_out(
    scope: &mut Scope<'_>,
    level: u32,
    digits: u64,
    nodes: &mut [Node],
    requests: &mut [SetRequest],
) -> isize {
    if requests.is_empty() {
        return 0;
    }
    let low = digits.trailing_zeros();
    match nodes {
        [] => {
            absent(requests);
            0
        }
        [node] => {
            let requests = within(
                requests,
                |key| digit(key, level) < low,
                |key| digit(key, level) <= low,
            );
            node.settle(scope, requests)
        }
        _ => {
            let middle = nodes.len() / 2;
            let upper = (0..middle).fold(digits, |digits, _| digits & (digits - 1));
            let first = upper.trailing_zeros();
            let cut = requests.partition_point(|request| digit(key_of(request), level) < first);
            let (left, right) = requests.split_at_mut(cut);
            let (left_nodes, right_nodes) = nodes.split_at_mut(middle);
            let (more, others) = scope.join(
                |scope| share_out(scope, level, digits & !upper, left_nodes, left),
                |scope| share_out(scope, level, upper, right_nodes, right),
            );
            more + others
        }
    }
}

/// The requests that are not below, up to those that still belong. The others are for numbers that
/// are not there.
fn within(
    requests: &mut [SetRequest],
    below: impl Fn(u64) -> bool,
    belongs: impl Fn(u64) -> bool,
) -> &mut [SetRequest] {
    let from = requests.partition_point(|request| below(key_of(request)));
    let (before, requests) = requests.split_at_mut(from);
    let to = requests.partition_point(|request| belongs(key_of(request)));
    let (requests, after) = requests.split_at_mut(to);
    absent(before);
    absent(after);
    requests
}

//! `split` and `walk_tree`: the remaining work is a stack of nodes, the next one on top.
//!
//! A step takes the top node, which puts others in its place and may have an item. A part is the
//! lower half of the stack.

use crate::{
    iter::ParallelIterator,
    kernel::{self, Pump, Step},
    shape::Sink,
};
use std::{
    cell::{Cell, RefCell},
    collections::VecDeque,
    option,
};
use sumac_core::Splitting;

/// One thread's stack. `visit` turns a node into an item, and puts other nodes, in order, into the
/// vector.
struct Stack<'v, N, V> {
    /// The next node is at the back.
    nodes: RefCell<VecDeque<N>>,
    /// Whether a step has started: before that a single node is not given away.
    begun: Cell<bool>,
    visit: &'v V,
}

impl<T, N, V> Pump for Stack<'_, N, V>
where
    N: Send,
    V: Fn(N, &mut Vec<N>) -> Option<T>,
{
    type Item = T;
    type Part = VecDeque<N>;
    /// A buffer for the nodes that a node becomes.
    type Run = Vec<N>;
    type Items<'r>
        = option::IntoIter<T>
    where
        Self: 'r;

    fn split(&self) -> Option<VecDeque<N>> {
        let mut nodes = self.nodes.borrow_mut();
        if nodes.is_empty() || nodes.len() == 1 && !self.begun.get() {
            return None;
        }
        let given = nodes.len().div_ceil(2);
        let mine = nodes.split_off(given);
        Some(std::mem::replace(&mut nodes, mine))
    }

    fn put_back(&self, part: VecDeque<N>) {
        self.nodes.replace(part);
    }

    fn begin<R>(&self, _: &mut Splitting<'_, Self::Part, R>) -> (Vec<N>, usize) {
        (Vec::new(), 0)
    }

    fn step(&self, fresh: &mut Vec<N>) -> Option<Step<option::IntoIter<T>>> {
        let node = self.nodes.borrow_mut().pop_back()?;
        self.begun.set(true);
        let item = (self.visit)(node, fresh);
        self.nodes.borrow_mut().extend(fresh.drain(..).rev());
        Some(Step {
            items: item.into_iter(),
            positions: 0,
            last: false,
        })
    }

    fn stop(&self) {
        self.nodes.take();
    }
}

/// Pushes the items of `root` into the sink.
fn drive<T, N, V, S>(root: N, visit: &V, sink: &S) -> S::Output
where
    N: Send,
    V: Fn(N, &mut Vec<N>) -> Option<T> + Sync,
    S: Sink<T>,
{
    let stack = |nodes: VecDeque<N>| Stack {
        nodes: RefCell::new(nodes),
        begun: Cell::new(false),
        visit,
    };
    kernel::pump(VecDeque::from([root]), sink, stack)
}

/// Returns a parallel iterator over the parts of `data` that cannot be split further: `splitter`
/// splits a part in two, or returns it with `None`.
///
/// ```
/// use std::ops::Range;
/// use sumac::{iter::split, prelude::*};
///
/// let halve = |Range { start, end }: Range<u32>| {
///     let middle = start + (end - start) / 2;
///     if end - start > 10 { (start..middle, Some(middle..end)) } else { (start..end, None) }
/// };
/// assert_eq!(split(0..1000, halve).map(|part| part.sum::<u32>()).sum::<u32>(), 499_500);
/// ```
pub fn split<D, F>(data: D, splitter: F) -> Split<D, F>
where
    D: Send,
    F: Fn(D) -> (D, Option<D>) + Sync,
{
    Split { data, splitter }
}

/// See [`split`].
#[derive(Clone)]
#[must_use = "iterators are lazy"]
pub struct Split<D, F> {
    data: D,
    splitter: F,
}

crate::debug::debug! { Split [D, F] [D] data = data }

impl<D: Send, F: Fn(D) -> (D, Option<D>) + Sync + Send> ParallelIterator for Split<D, F> {
    type Item = D;

    fn drive<S: Sink<D>>(self, sink: &S) -> S::Output {
        let visit = |data, parts: &mut Vec<D>| match (self.splitter)(data) {
            (whole, None) => Some(whole),
            (left, Some(right)) => {
                parts.extend([left, right]);
                None
            }
        };
        drive(self.data, &visit, sink)
    }
}

/// A node of a tree that is still to be visited, or whose descendants have been visited.
enum Visit<N> {
    Enter(N),
    Leave(N),
}

/// Returns a parallel iterator over a tree in prefix order: each node, then the subtrees of its
/// children from left to right.
///
/// ```
/// use sumac::{iter::walk_tree_prefix, prelude::*};
/// let children = |&n: &u32| (2 * n..=2 * n + 1).filter(|&child| child < 8);
/// let nodes: Vec<u32> = walk_tree_prefix(1, children).collect();
/// assert_eq!(nodes, [1, 2, 4, 5, 3, 6, 7]);
/// ```
pub fn walk_tree_prefix<N, C, I>(root: N, children_of: C) -> WalkTreePrefix<N, C>
where
    N: Send,
    C: Fn(&N) -> I + Sync + Send,
    I: IntoIterator<Item = N>,
{
    Walk { root, children_of }
}

/// See [`walk_tree_prefix`].
pub type WalkTreePrefix<N, C> = Walk<N, C, true>;

crate::debug::debug! { WalkTreePrefix [N, C] [N] root = root }

/// A tree in prefix or postfix order.
#[derive(Clone)]
#[must_use = "iterators are lazy"]
pub struct Walk<N, C, const PREFIX: bool> {
    root: N,
    children_of: C,
}

impl<N, C, I, const PREFIX: bool> ParallelIterator for Walk<N, C, PREFIX>
where
    N: Send,
    C: Fn(&N) -> I + Sync + Send,
    I: IntoIterator<Item = N>,
{
    type Item = N;

    fn drive<S: Sink<N>>(self, sink: &S) -> S::Output {
        if PREFIX {
            let visit = |node, below: &mut Vec<N>| {
                below.extend((self.children_of)(&node));
                Some(node)
            };
            return drive(self.root, &visit, sink);
        }
        let visit = |visit, then: &mut Vec<Visit<N>>| match visit {
            Visit::Leave(node) => Some(node),
            Visit::Enter(node) => {
                let children = (self.children_of)(&node).into_iter();
                then.extend(children.map(Visit::Enter));
                then.push(Visit::Leave(node));
                None
            }
        };
        drive(Visit::Enter(self.root), &visit, sink)
    }
}

/// Returns a parallel iterator over a tree in postfix order: the subtrees of a node's children from
/// left to right, then the node.
///
/// ```
/// use sumac::{iter::walk_tree_postfix, prelude::*};
/// let children = |&n: &u32| (2 * n..=2 * n + 1).filter(|&child| child < 8);
/// let nodes: Vec<u32> = walk_tree_postfix(1, children).collect();
/// assert_eq!(nodes, [4, 5, 2, 6, 7, 3, 1]);
/// ```
pub fn walk_tree_postfix<N, C, I>(root: N, children_of: C) -> WalkTreePostfix<N, C>
where
    N: Send,
    C: Fn(&N) -> I + Sync + Send,
    I: IntoIterator<Item = N>,
{
    Walk { root, children_of }
}

/// See [`walk_tree_postfix`].
pub type WalkTreePostfix<N, C> = Walk<N, C, false>;

crate::debug::debug! { WalkTreePostfix [N, C] [N] root = root }

/// Returns a parallel iterator over the nodes of a tree, in no particular order.
///
/// ```
/// use sumac::{iter::walk_tree, prelude::*};
/// let children = |&n: &u32| (2 * n..=2 * n + 1).filter(|&child| child < 8);
/// assert_eq!(walk_tree(1, children).sum::<u32>(), 28);
/// ```
pub fn walk_tree<N, C, I>(root: N, children_of: C) -> WalkTree<N, C>
where
    N: Send,
    C: Fn(&N) -> I + Sync + Send,
    I: IntoIterator<Item = N>,
{
    Walk { root, children_of }
}

/// See [`walk_tree`].
pub type WalkTree<N, C> = WalkTreePrefix<N, C>;

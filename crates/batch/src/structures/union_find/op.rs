//! The operations of a union-find.

use super::UnionFind;
use crate::Operation;

/// An operation on a [`UnionFind`]. Callers use the types of single operations: [`Union`],
/// [`Same`], [`Find`], [`Sets`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnionFindOp {
    /// See [`Union`].
    Union(usize, usize),
    /// See [`Same`].
    Same(usize, usize),
    /// See [`Find`].
    Find(usize),
    /// See [`Sets`].
    Sets,
}

impl UnionFindOp {
    /// Returns an element of it that is not below `len`.
    #[inline]
    pub(super) fn outside(self, len: usize) -> Option<usize> {
        let (a, b) = match self {
            UnionFindOp::Union(a, b) | UnionFindOp::Same(a, b) => (a, b),
            UnionFindOp::Find(a) => (a, a),
            UnionFindOp::Sets => return None,
        };
        let greatest = a.max(b);
        (greatest >= len).then_some(greatest)
    }

    /// Panics if an element of it is not below `len`.
    #[inline]
    #[track_caller]
    pub(super) fn check(self, len: usize) {
        if let Some(element) = self.outside(len) {
            no_element(element, len);
        }
    }
}

/// The answer to a [`UnionFindOp`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnionFindAnswer {
    /// To `Union`, `Same`.
    Yes(bool),
    /// To `Find`, `Sets`.
    Number(usize),
    /// To an operation with an element that does not exist, which has done nothing.
    NoElement {
        /// The argument of the operation.
        element: usize,
        /// The elements are `0..len`.
        len: usize,
    },
}

/// Unites the sets of two elements, and returns whether they were two sets.
///
/// Taking the answer panics, in the caller's thread, if one of them is not an element; the
/// structure is unchanged then.
///
/// ```
/// use sumac::batch::{Batched, Same, Sets, Union, UnionFind};
///
/// let sets = Batched::new(UnionFind::new(4));
/// assert_eq!((sets.apply(Union(0, 1)), sets.apply(Union(1, 0))), (true, false));
/// assert!(sets.apply(Same(0, 1)));
/// assert_eq!(sets.apply(Sets), 3);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Union(pub usize, pub usize);

/// Returns whether two elements are in the same set.
///
/// Taking the answer panics, in the caller's thread, if one of them is not an element.
///
/// ```
/// use sumac::batch::{Batched, Same, Union, UnionFind};
///
/// let sets = Batched::new(UnionFind::new(4));
/// sets.apply_all(vec![Union(0, 1), Union(1, 2)]);
/// assert!(sets.apply(Same(0, 2)));
/// assert!(!sets.apply(Same(0, 3)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Same(pub usize, pub usize);

/// Returns the element that represents the set of this one. It is the same for all elements of the
/// set, until the set is united with another.
///
/// Taking the answer panics, in the caller's thread, if it is not an element.
///
/// ```
/// use sumac::batch::{Batched, Find, Union, UnionFind};
///
/// let sets = Batched::new(UnionFind::new(4));
/// sets.apply(Union(2, 3));
/// assert_eq!(sets.apply(Find(2)), sets.apply(Find(3)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Find(pub usize);

/// Returns the number of sets.
///
/// ```
/// use sumac::batch::{Batched, Sets, Union, UnionFind};
///
/// let sets = Batched::new(UnionFind::new(4));
/// sets.apply(Union(0, 1));
/// assert_eq!(sets.apply(Sets), 3);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sets;

#[cold]
#[track_caller]
fn no_element(element: usize, len: usize) -> ! {
    panic!("{element} is not an element of a union-find of {len}")
}

/// Implements `Operation`: `Type => answer, conversion to UnionFindOp, conversion of the answer`.
macro_rules! operations {
    ($($name:ty => $answer:ty, |$op:ident| $into:expr, $variant:ident;)*) => {$(
        impl Operation<UnionFind> for $name {
            type Answer = $answer;

            #[inline]
            fn into_op(self) -> UnionFindOp {
                let $op = self;
                $into
            }

            #[inline]
            fn answer(answer: UnionFindAnswer) -> $answer {
                match answer {
                    UnionFindAnswer::$variant(answer) => answer,
                    UnionFindAnswer::NoElement { element, len } => no_element(element, len),
                    _ => unreachable!("a union-find answers in kind"),
                }
            }
        }
    )*};
}

operations! {
    Union => bool, |op| UnionFindOp::Union(op.0, op.1), Yes;
    Same => bool, |op| UnionFindOp::Same(op.0, op.1), Yes;
    Find => usize, |op| UnionFindOp::Find(op.0), Number;
    Sets => usize, |_op| UnionFindOp::Sets, Number;
}

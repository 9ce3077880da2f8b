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
    /// An element that it names and that is not below `len`.
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

    /// Panics if it names what is not below `len`.
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
    /// To an operation with an element that does not exist; it has done nothing.
    NoElement {
        /// What was named as an element.
        element: usize,
        /// The elements are `0..len`.
        len: usize,
    },
}

/// Unites the sets of two elements; the answer is whether these were two.
///
/// Taking the answer panics, in the caller's thread, if one of them is not an element; the
/// structure has not been touched then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Union(pub usize, pub usize);

/// The answer is whether two elements are in the same set.
///
/// Taking the answer panics, in the caller's thread, if one of them is not an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Same(pub usize, pub usize);

/// The answer is the element that represents the set of this one. It is the same for all elements
/// of the set, until that is united with another.
///
/// Taking the answer panics, in the caller's thread, if it is not an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Find(pub usize);

/// The answer is the number of sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sets;

#[cold]
#[track_caller]
fn no_element(element: usize, len: usize) -> ! {
    panic!("{element} is not an element of a union-find of {len}")
}

/// Makes a type an operation: `Type => answer, how it becomes a UnionFindOp, which answer it has`.
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

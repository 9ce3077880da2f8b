//! The operations of a set of integers.

use super::IntSet;
use crate::{
    Contains, First, Last, Len, Operation, Predecessor, Range, Remove, Successor, TakeRange,
};
use std::ops::Bound;

/// An operation on an [`IntSet`]. Callers use the types of single operations: [`InsertKey`],
/// [`Remove`] and so on.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum IntSetOp {
    /// See [`InsertKey`].
    Insert(u64),
    /// See [`Remove`].
    Remove(u64),
    /// See [`Contains`].
    Contains(u64),
    /// See [`Successor`].
    Successor(u64),
    /// See [`Predecessor`].
    Predecessor(u64),
    /// See [`Range`].
    Range(Box<(Bound<u64>, Bound<u64>)>),
    /// See [`TakeRange`].
    TakeRange(usize, Box<(Bound<u64>, Bound<u64>)>),
    /// See [`First`].
    First,
    /// See [`Last`].
    Last,
    /// See [`Len`].
    Len,
}

impl IntSetOp {
    /// The number that it may put in or take out. None: it only looks.
    #[inline]
    pub(super) fn changed(&self) -> Option<&u64> {
        match self {
            IntSetOp::Insert(key) | IntSetOp::Remove(key) => Some(key),
            _ => None,
        }
    }
}

/// The answer to an [`IntSetOp`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum IntSetAnswer {
    /// To `Insert`: whether the number was not there. To `Remove`, `Contains`: whether it was.
    Yes(bool),
    /// To `Successor`, `Predecessor`, `First`, `Last`.
    Key(Option<u64>),
    /// To `Range`, `TakeRange`.
    Keys(Vec<u64>),
    /// To `Len`.
    Len(usize),
}

/// Puts a number into an [`IntSet`]; the answer is whether it was not there before.
///
/// # Examples
///
/// ```
/// use sumac::batch::{Batched, InsertKey, IntSet};
///
/// let set = Batched::new(IntSet::new());
/// assert!(set.apply(InsertKey(7)));
/// assert!(!set.apply(InsertKey(7)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InsertKey(pub u64);

/// Makes a type an operation: `Type => answer, how it becomes an IntSetOp, which answer it has`.
macro_rules! operations {
    ($($name:ty => $answer:ty, |$op:ident| $into:expr, $variant:ident;)*) => {$(
        impl Operation<IntSet> for $name {
            type Answer = $answer;

            #[inline]
            fn into_op(self) -> IntSetOp {
                let $op = self;
                $into
            }

            #[inline]
            fn answer(answer: IntSetAnswer) -> $answer {
                match answer {
                    IntSetAnswer::$variant(answer) => answer,
                    _ => unreachable!("sets answer in kind"),
                }
            }
        }
    )*};
}

operations! {
    InsertKey => bool, |op| IntSetOp::Insert(op.0), Yes;
    Remove<u64> => bool, |op| IntSetOp::Remove(op.0), Yes;
    Contains<u64> => bool, |op| IntSetOp::Contains(op.0), Yes;
    Successor<u64> => Option<u64>, |op| IntSetOp::Successor(op.0), Key;
    Predecessor<u64> => Option<u64>, |op| IntSetOp::Predecessor(op.0), Key;
    Range<u64> => Vec<u64>, |op| IntSetOp::Range(op.0), Keys;
    TakeRange<u64> => Vec<u64>, |op| IntSetOp::TakeRange(op.0, op.1), Keys;
    First => Option<u64>, |_op| IntSetOp::First, Key;
    Last => Option<u64>, |_op| IntSetOp::Last, Key;
    Len => usize, |_op| IntSetOp::Len, Len;
}

//! The operations of a priority queue.

use super::PriorityQueue;
use crate::{Len, Operation};

/// An operation on a [`PriorityQueue`]. Callers use the types of single operations: [`Push`],
/// [`Pop`], [`Peek`], [`Len`].
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum PriorityQueueOp<T> {
    /// See [`Push`].
    Push(T),
    /// See [`Pop`].
    Pop,
    /// See [`Peek`]. With what clones an element: `T::clone`.
    Peek(fn(&T) -> T),
    /// See [`Len`].
    Len,
}

/// The answer to a [`PriorityQueueOp`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PriorityQueueAnswer<T> {
    /// To `Push`.
    Pushed,
    /// To `Pop`, `Peek`.
    Item(Option<T>),
    /// To `Len`.
    Len(usize),
}

/// Puts an element into a [`PriorityQueue`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Push<T>(pub T);

/// Takes the greatest element out of a [`PriorityQueue`]; the answer is this element, or `None` if
/// there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pop;

/// The answer is a clone of the greatest element of a [`PriorityQueue`], if there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peek;

/// Makes a type an operation:
/// `[bounds] Type => answer, how it becomes a PriorityQueueOp, which answer it has`.
macro_rules! operations {
    ($([$($bound:tt)*] $name:ty => $answer:ty, |$op:ident| $into:expr, $variant:pat => $value:expr;)*) => {$(
        impl<T: Ord + Send + Sync $($bound)*> Operation<PriorityQueue<T>> for $name {
            type Answer = $answer;

            #[inline]
            fn into_op(self) -> PriorityQueueOp<T> {
                let $op = self;
                $into
            }

            #[inline]
            fn answer(answer: PriorityQueueAnswer<T>) -> $answer {
                match answer {
                    $variant => $value,
                    _ => unreachable!("a priority queue answers in kind"),
                }
            }
        }
    )*};
}

operations! {
    [] Push<T> => (), |op| PriorityQueueOp::Push(op.0), PriorityQueueAnswer::Pushed => ();
    [] Pop => Option<T>, |_op| PriorityQueueOp::Pop, PriorityQueueAnswer::Item(item) => item;
    [+ Clone] Peek => Option<T>, |_op| PriorityQueueOp::Peek(T::clone), PriorityQueueAnswer::Item(item) => item;
    [] Len => usize, |_op| PriorityQueueOp::Len, PriorityQueueAnswer::Len(len) => len;
}

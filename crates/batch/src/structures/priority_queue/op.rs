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
    /// See [`Peek`]. With the function that clones an element: `T::clone`.
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

/// Adds an element to a [`PriorityQueue`].
///
/// ```
/// use sumac::batch::{Batched, Peek, Pop, PriorityQueue, Push};
///
/// let queue = Batched::new(PriorityQueue::new());
/// queue.apply(Push(2));
/// queue.apply(Push(5));
/// assert_eq!(queue.apply(Peek), Some(5));
/// assert_eq!(queue.apply(Pop), Some(5));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Push<T>(pub T);

/// Removes the greatest element of a [`PriorityQueue`] and returns it, if there is one.
///
/// ```
/// use sumac::batch::{Batched, Pop, PriorityQueue};
///
/// let queue = Batched::new(PriorityQueue::from(vec![1, 4, 2]));
/// assert_eq!(queue.apply_all(vec![Pop, Pop]), [Some(4), Some(2)]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pop;

/// Returns a clone of the greatest element of a [`PriorityQueue`], if there is one.
///
/// ```
/// use sumac::batch::{Batched, Peek, PriorityQueue};
///
/// let queue = Batched::new(PriorityQueue::from(vec![1, 4, 2]));
/// assert_eq!(queue.apply(Peek), Some(4));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peek;

/// Implements `Operation`: `[bounds] Type => answer, conversion to PriorityQueueOp, conversion of
/// the answer`.
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

//! The operations of ordered maps, one type each, and the enum that a batch consists of.

use crate::{BatchedStructure, Operation};
use std::ops::{Bound, RangeBounds};

/// An ordered map whose operations come in batches, such as [`Tree`](crate::Tree).
///
/// Keys are compared by [`Ord::cmp`] and by nothing else: a key type whose `==` or `<` contradicts
/// its `Ord`, as those of floating-point numbers do, is a key type as others.
///
/// A batch is as if those operations came first that look at more than one key ([`First`],
/// [`Last`], [`Len`], [`Successor`], [`Predecessor`], [`Range`], [`TakeRange`]): they see the map
/// as it was before. Then come those on one key, in their order of arrival.
///
/// [`First`]: crate::First
/// [`Last`]: crate::Last
/// [`Len`]: crate::Len
/// [`Successor`]: crate::Successor
/// [`Predecessor`]: crate::Predecessor
/// [`Range`]: crate::Range
/// [`TakeRange`]: crate::TakeRange
pub trait OrderedMap:
    BatchedStructure<Op = MapOp<Self::Key, Self::Value>, Answer = MapAnswer<Self::Key, Self::Value>>
{
    /// What it is ordered by.
    type Key: Ord + Clone + Send + Sync;
    /// What it keeps for each key.
    type Value: Clone + Send + Sync;
}

/// An operation on an ordered map. Callers use the types of single operations: [`Insert`], [`Get`]
/// and so on.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum MapOp<K, V> {
    /// See [`Insert`].
    Insert(K, V),
    /// See [`Remove`].
    Remove(K),
    /// See [`Get`].
    Get(K),
    /// See [`Contains`].
    Contains(K),
    /// See [`Successor`].
    Successor(K),
    /// See [`Predecessor`].
    Predecessor(K),
    /// See [`Range`].
    Range(Box<(Bound<K>, Bound<K>)>),
    /// See [`TakeRange`].
    TakeRange(usize, Box<(Bound<K>, Bound<K>)>),
    /// See [`First`].
    First,
    /// See [`Last`].
    Last,
    /// See [`Len`].
    Len,
}

/// The answer to a [`MapOp`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MapAnswer<K, V> {
    /// To `Insert`, `Remove`, `Get`.
    Value(Option<V>),
    /// To `Contains`.
    Found(bool),
    /// To `Successor`, `Predecessor`, `First`, `Last`.
    Entry(Option<(K, V)>),
    /// To `Range`, `TakeRange`.
    Entries(Vec<(K, V)>),
    /// To `Len`.
    Len(usize),
}

impl<K, V> MapOp<K, V> {
    /// It changes nothing, and does not fork, as a range without a limit does.
    #[inline]
    pub(crate) fn only_looks(&self) -> bool {
        !matches!(self, MapOp::Insert(..) | MapOp::Remove(_) | MapOp::Range(_))
    }

    /// The key, if the operation concerns just one.
    #[inline]
    pub(crate) fn key(&self) -> Option<&K> {
        match self {
            MapOp::Insert(key, _) | MapOp::Remove(key) | MapOp::Get(key) | MapOp::Contains(key) => {
                Some(key)
            }
            _ => None,
        }
    }
}

/// Stores a value for a key; the answer is the key's previous value.
///
/// ```
/// use sumac::batch::{Batched, Insert, Tree};
///
/// let ages = Batched::new(Tree::new());
/// assert_eq!(ages.apply(Insert("Ada", 35)), None);
/// assert_eq!(ages.apply(Insert("Ada", 36)), Some(35));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Insert<K, V>(pub K, pub V);

/// Removes a key; the answer is its value.
///
/// ```
/// use sumac::batch::{Batched, Remove, Tree};
///
/// let ages = Batched::new(Tree::from_iter([("Ada", 36)]));
/// assert_eq!(ages.apply(Remove("Ada")), Some(36));
/// assert_eq!(ages.apply(Remove("Ada")), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Remove<K>(pub K);

/// The answer is a clone of the key's value.
///
/// ```
/// use sumac::batch::{Batched, Get, Tree};
///
/// let ages = Batched::new(Tree::from_iter([("Ada", 36)]));
/// assert_eq!(ages.apply(Get("Ada")), Some(36));
/// assert_eq!(ages.apply(Get("Alan")), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Get<K>(pub K);

/// The answer is whether the key is there.
///
/// ```
/// use sumac::batch::{Batched, Contains, Tree};
///
/// let ages = Batched::new(Tree::from_iter([("Ada", 36)]));
/// assert!(ages.apply(Contains("Ada")));
/// assert!(!ages.apply(Contains("Alan")));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contains<K>(pub K);

/// The answer is the entry with the smallest key that is greater.
///
/// ```
/// use sumac::batch::{Batched, Successor, Tree};
///
/// let squares = Batched::new(Tree::from_iter((0..10).map(|n| (n * n, n))));
/// assert_eq!(squares.apply(Successor(16)), Some((25, 5)));
/// assert_eq!(squares.apply(Successor(81)), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Successor<K>(pub K);

/// The answer is the entry with the greatest key that is smaller.
///
/// ```
/// use sumac::batch::{Batched, Predecessor, Tree};
///
/// let squares = Batched::new(Tree::from_iter((0..10).map(|n| (n * n, n))));
/// assert_eq!(squares.apply(Predecessor(16)), Some((9, 3)));
/// assert_eq!(squares.apply(Predecessor(0)), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Predecessor<K>(pub K);

/// The answer is all entries with keys in a range, in order.
///
/// It sees the map at one time: in a batch, as it was before that. Where it meets no other it is a
/// batch of its own, and others wait for it; where few entries are wanted, [`take`](Self::take)
/// them.
///
/// # Examples
///
/// ```
/// use sumac::batch::{Batched, Range, Tree};
///
/// let squares = Batched::new(Tree::from_iter((0..100).map(|n| (n, n * n))));
/// assert_eq!(squares.apply(Range::new(3..5)), [(3, 9), (4, 16)]);
/// assert_eq!(squares.apply(Range::new(98..)), [(98, 9_604), (99, 9_801)]);
/// assert_eq!(squares.apply(Range::new(..)).len(), 100);
/// ```
///
/// # Cost
/// Logarithmic, then constant for each entry; in parallel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range<K>(pub(crate) Box<(Bound<K>, Bound<K>)>);

impl<K: Clone> Range<K> {
    /// Returns the entries with keys in `range`. An empty range has no entries, also where it
    /// begins after its end.
    pub fn new(range: impl RangeBounds<K>) -> Self {
        Range(Box::new((
            range.start_bound().cloned(),
            range.end_bound().cloned(),
        )))
    }
}

impl<K> Range<K> {
    /// Returns the first `n` of these entries, or all if they are fewer.
    ///
    /// # Examples
    ///
    /// ```
    /// use sumac::batch::{Batched, Range, Tree};
    ///
    /// let squares = Batched::new(Tree::from_iter((0..100).map(|n| (n, n * n))));
    /// assert_eq!(squares.apply(Range::new(10..).take(2)), [(10, 100), (11, 121)]);
    /// assert_eq!(squares.apply(Range::new(99..).take(2)), [(99, 9_801)]);
    /// ```
    pub fn take(self, n: usize) -> TakeRange<K> {
        TakeRange(n, self.0)
    }
}

/// The answer is the first entries with keys in a range, in order; from [`Range::take`].
///
/// It sees the map at one time: in a batch, as it was before that. Where no batch runs, it is
/// carried out beside other operations that only look.
///
/// # Cost
/// Logarithmic, then constant for each entry; on one thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TakeRange<K>(pub(crate) usize, pub(crate) Box<(Bound<K>, Bound<K>)>);

/// The answer is the entry with the smallest key.
///
/// ```
/// use sumac::batch::{Batched, First, Tree};
///
/// let squares = Batched::new(Tree::from_iter((1..10).map(|n| (n, n * n))));
/// assert_eq!(squares.apply(First), Some((1, 1)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct First;

/// The answer is the entry with the greatest key.
///
/// ```
/// use sumac::batch::{Batched, Last, Tree};
///
/// let squares = Batched::new(Tree::from_iter((1..10).map(|n| (n, n * n))));
/// assert_eq!(squares.apply(Last), Some((9, 81)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Last;

/// The answer is the number of keys.
///
/// ```
/// use sumac::batch::{Batched, Len, Tree};
///
/// let squares = Batched::new(Tree::from_iter((1..10).map(|n| (n, n * n))));
/// assert_eq!(squares.apply(Len), 9);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Len;

/// Makes a type an operation: `Type => answer, how it becomes a MapOp, which answer it has`.
macro_rules! operations {
    ($($name:ty => $answer:ty, |$op:ident| $into:expr, $variant:ident;)*) => {$(
        impl<M: OrderedMap> Operation<M> for $name {
            type Answer = $answer;

            #[inline]
            fn into_op(self) -> MapOp<M::Key, M::Value> {
                let $op = self;
                $into
            }

            #[inline]
            fn answer(answer: MapAnswer<M::Key, M::Value>) -> $answer {
                match answer {
                    MapAnswer::$variant(answer) => answer,
                    _ => unreachable!("maps answer in kind"),
                }
            }
        }
    )*};
}

operations! {
    Insert<M::Key, M::Value> => Option<M::Value>, |op| MapOp::Insert(op.0, op.1), Value;
    Remove<M::Key> => Option<M::Value>, |op| MapOp::Remove(op.0), Value;
    Get<M::Key> => Option<M::Value>, |op| MapOp::Get(op.0), Value;
    Contains<M::Key> => bool, |op| MapOp::Contains(op.0), Found;
    Successor<M::Key> => Option<(M::Key, M::Value)>, |op| MapOp::Successor(op.0), Entry;
    Predecessor<M::Key> => Option<(M::Key, M::Value)>, |op| MapOp::Predecessor(op.0), Entry;
    Range<M::Key> => Vec<(M::Key, M::Value)>, |op| MapOp::Range(op.0), Entries;
    TakeRange<M::Key> => Vec<(M::Key, M::Value)>, |op| MapOp::TakeRange(op.0, op.1), Entries;
    First => Option<(M::Key, M::Value)>, |_op| MapOp::First, Entry;
    Last => Option<(M::Key, M::Value)>, |_op| MapOp::Last, Entry;
    Len => usize, |_op| MapOp::Len, Len;
}

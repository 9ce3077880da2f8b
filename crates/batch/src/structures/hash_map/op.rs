//! The operations of a hash map.

use super::HashMap;
use crate::{Contains, Get, Insert, Len, Operation, Remove};
use std::hash::{BuildHasher, Hash};

/// An operation on a [`HashMap`]. Callers use the types of single operations: [`Insert`], [`Get`]
/// and so on.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HashMapOp<K, V> {
    /// See [`Insert`].
    Insert(K, V),
    /// See [`Remove`].
    Remove(K),
    /// See [`Get`].
    Get(K),
    /// See [`Contains`].
    Contains(K),
    /// See [`Len`].
    Len,
}

impl<K, V> HashMapOp<K, V> {
    /// Whether it changes nothing.
    #[inline]
    pub(super) fn only_looks(&self) -> bool {
        !matches!(self, HashMapOp::Insert(..) | HashMapOp::Remove(_))
    }

    /// The key that it concerns; `Len` concerns all.
    #[inline]
    pub(super) fn key(&self) -> Option<&K> {
        match self {
            HashMapOp::Insert(key, _)
            | HashMapOp::Remove(key)
            | HashMapOp::Get(key)
            | HashMapOp::Contains(key) => Some(key),
            HashMapOp::Len => None,
        }
    }
}

/// The answer to a [`HashMapOp`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HashMapAnswer<V> {
    /// To `Insert`, `Remove`, `Get`.
    Value(Option<V>),
    /// To `Contains`.
    Found(bool),
    /// To `Len`.
    Len(usize),
}

/// Makes a type an operation: `Type => answer, how it becomes a HashMapOp, which answer it has`.
macro_rules! operations {
    ($($name:ty => $answer:ty, |$op:ident| $into:expr, $variant:ident;)*) => {$(
        impl<K, V, S> Operation<HashMap<K, V, S>> for $name
        where
            K: Hash + Eq + Send + Sync,
            V: Clone + Send + Sync,
            S: BuildHasher + Send + Sync,
        {
            type Answer = $answer;

            #[inline]
            fn into_op(self) -> HashMapOp<K, V> {
                let $op = self;
                $into
            }

            #[inline]
            fn answer(answer: HashMapAnswer<V>) -> $answer {
                match answer {
                    HashMapAnswer::$variant(answer) => answer,
                    _ => unreachable!("hash maps answer in kind"),
                }
            }
        }
    )*};
}

operations! {
    Insert<K, V> => Option<V>, |op| HashMapOp::Insert(op.0, op.1), Value;
    Remove<K> => Option<V>, |op| HashMapOp::Remove(op.0), Value;
    Get<K> => Option<V>, |op| HashMapOp::Get(op.0), Value;
    Contains<K> => bool, |op| HashMapOp::Contains(op.0), Found;
    Len => usize, |_op| HashMapOp::Len, Len;
}

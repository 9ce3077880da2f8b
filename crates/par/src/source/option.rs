//! One item or none: `Option`, `once`, `empty`; also the base of `Result` (`result.rs`).

use crate::{
    iter::IntoParallelIterator,
    shape::{Producer, indexed_source},
    source::delegate::{delegate, into},
};
use std::{fmt, option};

/// A parallel iterator over one item or none.
///
/// ```
/// use sumac::prelude::*;
///
/// let all: Vec<u32> = Some(1).into_par_iter().chain(2..4).collect();
/// assert_eq!(all, [1, 2, 3]);
/// ```
#[derive(Clone, Debug)]
#[must_use = "iterators are lazy"]
pub struct IntoIter<T> {
    item: Option<T>,
}

impl<T> IntoIter<T> {
    pub(crate) fn new(item: Option<T>) -> Self {
        IntoIter { item }
    }
}

indexed_source! { [T: Send] IntoIter<T> => T, |iter| IntoIter::new(iter.item.take()) }

impl<T: Send> Producer for IntoIter<T> {
    type Item = T;
    type State = ();
    type Iter = option::IntoIter<T>;

    fn len(&self) -> usize {
        usize::from(self.item.is_some())
    }

    fn split_at(self, at: usize) -> (Self, Self) {
        let none = IntoIter::new(None);
        if at == 0 { (none, self) } else { (self, none) }
    }

    fn state(&self) {}

    fn iter(self, (): &()) -> option::IntoIter<T> {
        self.item.into_iter()
    }
}

impl<T: Send> IntoParallelIterator for Option<T> {
    type Iter = IntoIter<T>;
    type Item = T;

    fn into_par_iter(self) -> IntoIter<T> {
        IntoIter::new(self)
    }
}

delegate! {
    /// A parallel iterator over a reference to the item of an `Option`, if it has one.
    #[derive(Debug)]
    Iter ['a, T] ['a, T: Sync] => IntoIter<&'a T>, &'a T, indexed
}

into! { ['a, T: Sync] &'a Option<T> => Iter['a, T], &'a T, |option| IntoIter::new(option.as_ref()) }

impl<T> Clone for Iter<'_, T> {
    fn clone(&self) -> Self {
        Iter {
            base: self.base.clone(),
        }
    }
}

delegate! {
    /// A parallel iterator over a mutable reference to the item of an `Option`, if it has one.
    #[derive(Debug)]
    IterMut ['a, T] ['a, T: Send] => IntoIter<&'a mut T>, &'a mut T, indexed
}

into! { ['a, T: Send] &'a mut Option<T> => IterMut['a, T], &'a mut T, |option| {
    IntoIter::new(option.as_mut())
} }

/// Returns a parallel iterator over one item.
///
/// ```
/// use sumac::{iter::once, prelude::*};
/// assert_eq!(once(7).collect::<Vec<_>>(), [7]);
/// ```
pub fn once<T: Send>(item: T) -> Once<T> {
    Once {
        base: IntoIter::new(Some(item)),
    }
}

delegate! {
    /// A parallel iterator over one item; see [`once`].
    #[derive(Clone, Debug)]
    Once [T] [T: Send] => IntoIter<T>, T, indexed
}

/// Returns a parallel iterator over no items.
///
/// ```
/// use sumac::{iter::empty, prelude::*};
/// assert_eq!(empty::<i32>().count(), 0);
/// ```
pub fn empty<T: Send>() -> Empty<T> {
    Empty {
        base: IntoIter::new(None),
    }
}

delegate! {
    /// A parallel iterator over no items; see [`empty`].
    Empty [T] [T: Send] => IntoIter<T>, T, indexed
}

impl<T> Clone for Empty<T> {
    fn clone(&self) -> Self {
        Empty {
            base: IntoIter::new(None),
        }
    }
}

impl<T> fmt::Debug for Empty<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Empty")
    }
}

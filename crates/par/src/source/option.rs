//! One item or none: `Option`, `Result`, `once`, `empty`.

use crate::{
    iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator},
    shape::{Producer, Seal, drive_indexed},
};
use std::option;

/// A parallel iterator over one item or none.
#[derive(Clone, Debug)]
#[must_use = "iterators are lazy"]
pub struct IntoIter<T> {
    item: Option<T>,
}

impl<T: Send> ParallelIterator for IntoIter<T> {
    type Item = T;

    drive_indexed!();
}

impl<T: Send> IndexedParallelIterator for IntoIter<T> {
    type Producer<'p>
        = IntoIterProducer<T>
    where
        Self: 'p;

    fn len(&self) -> usize {
        usize::from(self.item.is_some())
    }

    fn producer(&mut self, _: Seal) -> IntoIterProducer<T> {
        IntoIterProducer {
            item: self.item.take(),
        }
    }
}

/// What is left of an [`IntoIter`].
#[derive(Debug)]
pub struct IntoIterProducer<T> {
    item: Option<T>,
}

impl<T: Send> Producer for IntoIterProducer<T> {
    type Item = T;
    type State = ();
    type Iter = option::IntoIter<T>;

    fn len(&self) -> usize {
        usize::from(self.item.is_some())
    }

    fn split_at(self, at: usize) -> (Self, Self) {
        let none = IntoIterProducer { item: None };
        if at == 0 { (none, self) } else { (self, none) }
    }

    fn state(&self) {}

    fn iter(self, (): &()) -> option::IntoIter<T> {
        self.item.into_iter()
    }
}

/// `None` or an error has no item.
macro_rules! one_or_none {
    ($([$($generics:tt)*] $Source:ty => $Item:ty, $item:expr;)*) => {$(
        impl<$($generics)*> IntoParallelIterator for $Source {
            type Iter = IntoIter<$Item>;
            type Item = $Item;

            fn into_par_iter(self) -> Self::Iter {
                IntoIter { item: $item(self) }
            }
        }
    )*};
}

one_or_none! {
    [T: Send] Option<T> => T, std::convert::identity;
    ['a, T: Sync] &'a Option<T> => &'a T, Option::as_ref;
    ['a, T: Send] &'a mut Option<T> => &'a mut T, Option::as_mut;
    [T: Send, E] Result<T, E> => T, Result::ok;
    ['a, T: Sync, E] &'a Result<T, E> => &'a T, |result: Self| result.as_ref().ok();
    ['a, T: Send, E] &'a mut Result<T, E> => &'a mut T, |result: Self| result.as_mut().ok();
}

/// A parallel iterator over this item.
///
/// ```
/// use sumac_par::{iter::once, prelude::*};
/// assert_eq!(once(7).collect::<Vec<_>>(), [7]);
/// ```
pub fn once<T: Send>(item: T) -> Once<T> {
    Some(item).into_par_iter()
}

/// A parallel iterator over one item; see [`once`].
pub type Once<T> = IntoIter<T>;

/// A parallel iterator over no items.
///
/// ```
/// use sumac_par::{iter::empty, prelude::*};
/// assert_eq!(empty::<i32>().count(), 0);
/// ```
pub fn empty<T: Send>() -> Empty<T> {
    None.into_par_iter()
}

/// A parallel iterator over no items; see [`empty`].
pub type Empty<T> = IntoIter<T>;

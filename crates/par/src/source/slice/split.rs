//! Slices in pieces of unequal length: `par_split` and `par_split_inclusive`.
//!
//! The remaining items are a slice, and positions are elements; a split searches from its position
//! for the next place to cut. A piece of `par_split` has one position more than elements (that of
//! its separator, or the end), so that the empty piece behind a separator at the end has one as
//! well.

use super::pieces::{clone_pieces, pieces};
use crate::shape::Producer;
use std::{iter::Flatten, option, slice};

/// Returns the index of the first separator at or behind `from`.
fn separator<T>(slice: &[T], from: usize, is_separator: impl Fn(&T) -> bool) -> Option<usize> {
    let found = slice[from..].iter().position(is_separator);
    found.map(|distance| from + distance)
}

/// Pieces without their separators.
macro_rules! split {
    ($(#[$attr:meta])* $Name:ident, $NameProducer:ident, $method:ident, $split_at:ident, $split_first:ident, [$T:ident: $bound:path] $Slice:ty) => {
        pieces! {
            $(#[$attr])* $Name [$T: $bound] $Slice, Fn(&$T),
            |slice, f| $NameProducer { slice: Some(slice), f }
        }

        struct $NameProducer<'data, 'f, $T, F> {
            /// `None` after the last piece.
            slice: Option<$Slice>,
            f: &'f F,
        }

        impl<'data, 'f, $T, F> Producer for $NameProducer<'data, 'f, $T, F>
        where
            $T: $bound,
            F: Fn(&$T) -> bool + Sync,
        {
            type Item = $Slice;
            type State = ();
            type Iter = Flatten<option::IntoIter<slice::$Name<'data, $T, &'f F>>>;

            fn len(&self) -> usize {
                self.slice.as_ref().map_or(0, |slice| slice.len().saturating_add(1))
            }

            fn split_at(self, at: usize) -> (Self, Self) {
                let f = self.f;
                let part = |slice| $NameProducer { slice, f };
                let Some(slice) = self.slice else {
                    return (part(None), part(None));
                };
                match separator(slice, at - 1, f) {
                    None => (part(Some(slice)), part(None)),
                    Some(separator) => {
                        let (left, right) = slice.$split_at(separator);
                        let right = right.$split_first().map(|(_, right)| right);
                        (part(Some(left)), part(right))
                    }
                }
            }

            fn state(&self) {}

            fn iter(self, (): &()) -> Self::Iter {
                self.slice.map(|slice| slice.$method(self.f)).into_iter().flatten()
            }
        }
    };
}

split! {
    /// See [`par_split`](crate::slice::ParallelSlice::par_split).
    Split, SplitProducer, split, split_at, split_first, [T: Sync] &'data [T]
}

split! {
    /// See [`par_split_mut`](crate::slice::ParallelSliceMut::par_split_mut).
    SplitMut, SplitMutProducer, split_mut, split_at_mut, split_first_mut, [T: Send] &'data mut [T]
}

/// Pieces that end with their separators.
macro_rules! split_inclusive {
    ($(#[$attr:meta])* $Name:ident, $NameProducer:ident, $method:ident, $split_at:ident, [$T:ident: $bound:path] $Slice:ty) => {
        pieces! {
            $(#[$attr])* $Name [$T: $bound] $Slice, Fn(&$T),
            |slice, f| $NameProducer { slice, f }
        }

        struct $NameProducer<'data, 'f, $T, F> {
            slice: $Slice,
            f: &'f F,
        }

        impl<'data, 'f, $T, F> Producer for $NameProducer<'data, 'f, $T, F>
        where
            $T: $bound,
            F: Fn(&$T) -> bool + Sync,
        {
            type Item = $Slice;
            type State = ();
            type Iter = slice::$Name<'data, $T, &'f F>;

            fn len(&self) -> usize {
                self.slice.len()
            }

            fn split_at(self, at: usize) -> (Self, Self) {
                let $NameProducer { slice, f } = self;
                let cut = separator(slice, at - 1, f).map_or(slice.len(), |last| last + 1);
                let (left, right) = slice.$split_at(cut);
                let part = |slice| $NameProducer { slice, f };
                (part(left), part(right))
            }

            fn state(&self) {}

            fn iter(self, (): &()) -> Self::Iter {
                self.slice.$method(self.f)
            }
        }
    };
}

split_inclusive! {
    /// See [`par_split_inclusive`](crate::slice::ParallelSlice::par_split_inclusive).
    SplitInclusive, SplitInclusiveProducer, split_inclusive, split_at, [T: Sync] &'data [T]
}

split_inclusive! {
    /// See [`par_split_inclusive_mut`](crate::slice::ParallelSliceMut::par_split_inclusive_mut).
    SplitInclusiveMut, SplitInclusiveMutProducer, split_inclusive_mut, split_at_mut, [T: Send] &'data mut [T]
}

clone_pieces! { Split SplitInclusive }

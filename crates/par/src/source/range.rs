//! Ranges of integers.

use crate::{
    iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator},
    shape::{Producer, drive_indexed},
};
use std::ops::Range;

/// A parallel iterator over a range.
#[derive(Clone, Debug)]
#[must_use = "iterators are lazy"]
pub struct Iter<T> {
    range: Range<T>,
}

/// What is left of an [`Iter`].
#[derive(Debug)]
pub struct IterProducer<T> {
    range: Range<T>,
}

macro_rules! indexed {
    ($($t:ty)*) => {$(
        impl IntoParallelIterator for Range<$t> {
            type Iter = Iter<$t>;
            type Item = $t;

            fn into_par_iter(self) -> Iter<$t> {
                Iter { range: self }
            }
        }

        impl ParallelIterator for Iter<$t> {
            type Item = $t;

            drive_indexed!();
        }

        impl IndexedParallelIterator for Iter<$t> {
            type Producer<'p> = IterProducer<$t>;

            fn len(&self) -> usize {
                self.range.len()
            }

            fn producer(&mut self) -> IterProducer<$t> {
                IterProducer {
                    range: self.range.clone(),
                }
            }
        }

        impl Producer for IterProducer<$t> {
            type Item = $t;
            type State = ();
            type Iter = Range<$t>;

            fn len(&self) -> usize {
                self.range.len()
            }

            #[allow(clippy::cast_possible_truncation, reason = "`at` is below the length")]
            fn split_at(self, at: usize) -> (Self, Self) {
                let Range { start, end } = self.range;
                let middle = start.wrapping_add(at as $t);
                (
                    IterProducer { range: start..middle },
                    IterProducer { range: middle..end },
                )
            }

            fn state(&self) {}

            fn iter(self, (): &()) -> Range<$t> {
                self.range
            }
        }
    )*};
}

indexed! { u8 u16 u32 usize i8 i16 i32 isize }

//! Vectors: by value, and drained.
//!
//! A vector that is iterated by value forgets its items (its length is set to the start of the
//! range) and lends their slots to producers. Invariants:
//! * **Owned.** The slots that a [`DrainProducer`] or [`Items`] holds are initialised, and its own:
//!   it moves each item out once and forgets the slot, or drops it. A split divides the slots.
//! * **Forgotten.** While slots are lent, the vector's length is below them. Code that leaks a
//!   producer leaks items and nothing else.

#![allow(unsafe_code)]

use crate::{
    iter::{IndexedParallelIterator, IntoParallelIterator, ParallelDrainRange, ParallelIterator},
    shape::{Producer, Seal, drive_indexed},
    source::bounds,
};
use std::{
    mem::{self, MaybeUninit},
    ops::{Range, RangeBounds},
    ptr,
    slice::IterMut,
};

impl<T: Send> IntoParallelIterator for Vec<T> {
    type Iter = IntoIter<T>;
    type Item = T;

    fn into_par_iter(self) -> IntoIter<T> {
        IntoIter { vec: self }
    }
}

/// A parallel iterator over the items of a vector, by value.
///
/// ```
/// use sumac::prelude::*;
///
/// let words = vec![String::from("fork"), String::from("join")];
/// assert_eq!(words.into_par_iter().collect::<String>(), "forkjoin");
/// ```
#[derive(Clone, Debug)]
#[must_use = "iterators are lazy"]
pub struct IntoIter<T> {
    vec: Vec<T>,
}

impl<T: Send> ParallelIterator for IntoIter<T> {
    type Item = T;

    drive_indexed!();

    fn into_vec(self, _: Seal) -> Vec<T> {
        self.vec
    }
}

impl<T: Send> IndexedParallelIterator for IntoIter<T> {
    type Producer<'p>
        = DrainProducer<'p, T>
    where
        Self: 'p;

    fn len(&self) -> usize {
        self.vec.len()
    }

    fn producer(&mut self, _: Seal) -> DrainProducer<'_, T> {
        let len = self.vec.len();
        DrainProducer::new(&mut self.vec, 0..len)
    }
}

impl<'data, T: Send> ParallelDrainRange<usize> for &'data mut Vec<T> {
    type Iter = Drain<'data, T>;
    type Item = T;

    fn par_drain<R: RangeBounds<usize>>(self, range: R) -> Drain<'data, T> {
        let range = bounds::within(&range, self.len());
        Drain {
            range,
            behind: None,
            vec: self,
        }
    }
}

/// A parallel iterator that moves a range of items out of a vector. They are removed also if the
/// iterator is dropped early.
#[derive(Debug)]
#[must_use = "iterators are lazy"]
pub struct Drain<'data, T> {
    vec: &'data mut Vec<T>,
    range: Range<usize>,
    /// The number of items behind the range, once those in it have been lent.
    behind: Option<usize>,
}

impl<T: Send> ParallelIterator for Drain<'_, T> {
    type Item = T;

    drive_indexed!();
}

impl<T: Send> IndexedParallelIterator for Drain<'_, T> {
    type Producer<'p>
        = DrainProducer<'p, T>
    where
        Self: 'p;

    fn len(&self) -> usize {
        self.range.len()
    }

    fn producer(&mut self, _: Seal) -> DrainProducer<'_, T> {
        if self.behind.is_some() {
            return DrainProducer { slots: &mut [] };
        }
        self.behind = Some(self.vec.len() - self.range.end);
        DrainProducer::new(self.vec, self.range.clone())
    }
}

impl<T> Drop for Drain<'_, T> {
    fn drop(&mut self) {
        let Range { start, end } = self.range;
        let Some(behind) = self.behind else {
            self.vec.drain(start..end);
            return;
        };
        let items = self.vec.as_mut_ptr();
        let (from, to) = (items.wrapping_add(end), items.wrapping_add(start));
        // SAFETY: `producer` counted the items behind the range, and the vector has been borrowed
        // since; the items in the range are moved out or dropped: their producers have ended, since
        // they borrowed us (*owned*).
        unsafe { ptr::copy(from, to, behind) };
        // SAFETY: `start` items before the range, and those just moved.
        unsafe { self.vec.set_len(start + behind) };
    }
}

/// The remaining items of an [`IntoIter`] or a [`Drain`].
#[derive(Debug)]
pub struct DrainProducer<'p, T> {
    slots: &'p mut [MaybeUninit<T>],
}

impl<'p, T> DrainProducer<'p, T> {
    /// Takes the items in `range`, and makes the vector forget all from its start on.
    fn new(vec: &'p mut Vec<T>, range: Range<usize>) -> Self {
        assert!(range.start <= range.end && range.end <= vec.len());
        // SAFETY: not longer than it was.
        unsafe { vec.set_len(range.start) };
        DrainProducer {
            // Initialised, and *forgotten* by the vector: ours now.
            slots: &mut vec.spare_capacity_mut()[..range.len()],
        }
    }
}

impl<T> Drop for DrainProducer<'_, T> {
    fn drop(&mut self) {
        drop_all(mem::take(&mut self.slots));
    }
}

/// Drops the items in slots that their owner gives up.
fn drop_all<T>(slots: &mut [MaybeUninit<T>]) {
    let items = ptr::from_mut(slots) as *mut [T];
    // SAFETY: initialised, and owned by the caller (*owned*), which does not use them again.
    unsafe { ptr::drop_in_place(items) };
}

impl<'p, T: Send> Producer for DrainProducer<'p, T> {
    type Item = T;
    type State = ();
    type Iter = Items<'p, T>;

    fn len(&self) -> usize {
        self.slots.len()
    }

    fn split_at(mut self, at: usize) -> (Self, Self) {
        let (left, right) = mem::take(&mut self.slots).split_at_mut(at);
        (
            DrainProducer { slots: left },
            DrainProducer { slots: right },
        )
    }

    fn state(&self) {}

    fn iter(mut self, (): &()) -> Items<'p, T> {
        Items {
            slots: mem::take(&mut self.slots).iter_mut(),
        }
    }
}

/// A sequential iterator over items that it owns.
#[derive(Debug)]
pub struct Items<'p, T> {
    slots: IterMut<'p, MaybeUninit<T>>,
}

/// Moves the item out of a slot that is not used again.
#[inline]
fn take<T>(slot: &mut MaybeUninit<T>) -> T {
    // SAFETY: initialised, and owned by the caller (*owned*), which got it from an iterator over
    // slots that yields each once.
    unsafe { slot.assume_init_read() }
}

impl<T> Iterator for Items<'_, T> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        self.slots.next().map(take)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.slots.size_hint()
    }
}

impl<T> DoubleEndedIterator for Items<'_, T> {
    #[inline]
    fn next_back(&mut self) -> Option<T> {
        self.slots.next_back().map(take)
    }
}

impl<T> ExactSizeIterator for Items<'_, T> {}

impl<T> Drop for Items<'_, T> {
    #[inline]
    fn drop(&mut self) {
        drop_all(mem::take(&mut self.slots).into_slice());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaked_producers() {
        let mut v = vec![1, 2, 3, 4];
        let mut drain = v.par_drain(1..3);
        mem::forget(drain.producer(Seal(())));
        drop(drain.producer(Seal(())));
        drop(drain);
        assert_eq!(v, [1, 4]);
        let mut drain = v.par_drain(1..);
        drop(drain.producer(Seal(())));
        mem::forget(drain);
        assert_eq!(v, [1]);
    }
}

//! Collecting into the spare capacity of a `Vec`, each item at its position.
//!
//! Invariants:
//! * **Disjoint.** A run writes only to slots at positions that it was allotted, and none is
//!   allotted twice (*allotted once*, shape.rs). Parts of slots have none in common. So all writes
//!   go to different slots, even if iterators report wrong lengths.
//! * **Written.** The slots `start..start + len` of a [`Written`] are initialised and belong to it:
//!   it drops them unless they are passed on.

#![allow(unsafe_code)]

use crate::{
    iter::{IntoParallelIterator, ParallelIterator},
    shape::{Seal, Sink},
};
use std::{marker::PhantomData, mem, ptr};

/// Collects the items of an iterator with exact positions, of which there are `len`.
pub(crate) fn collect<I: ParallelIterator>(items: I, len: usize) -> Vec<I::Item> {
    debug_assert_eq!(items.exact_len(Seal(())), Some(len));
    let mut vec = Vec::new();
    append(&mut vec, items, len);
    vec
}

/// Appends the items of an iterator with exact positions, of which there are `len`.
///
/// # Panics
/// If the number of items is not `len`.
pub(crate) fn append<I: ParallelIterator>(vec: &mut Vec<I::Item>, items: I, len: usize) {
    let slots = Slots::at_end_of(vec, len);
    let written = items.drive(&slots);
    slots.pass_on(written, vec);
}

/// Appends the pairs of an iterator with exact positions, of which there are `len`, to two vectors.
///
/// # Panics
/// If the number of items is not `len`.
pub(crate) fn append_pairs<A, B, I>(left: &mut Vec<A>, right: &mut Vec<B>, items: I, len: usize)
where
    A: Send,
    B: Send,
    I: ParallelIterator<Item = (A, B)>,
{
    let slots = Pairs(Slots::at_end_of(left, len), Slots::at_end_of(right, len));
    let written = items.drive(&slots);
    slots.0.pass_on(written.0, left);
    slots.1.pass_on(written.1, right);
}

/// Appends the items of many vectors, moved in parallel.
pub(crate) fn append_lists<T: Send>(vec: &mut Vec<T>, lists: Vec<Vec<T>>) {
    let slots = Slots::at_end_of(vec, lists.iter().map(Vec::len).sum());
    let mut written = slots.finish(slots.begin(0));
    for list in lists {
        let part = slots.part(written.len, list.len());
        written.merge(list.into_par_iter().drive(&part));
    }
    slots.pass_on(written, vec);
}

/// Slots for `len` items.
struct Slots<T> {
    start: *mut T,
    len: usize,
    items: PhantomData<fn(T)>,
}

impl<T> Slots<T> {
    /// Reserves slots for `len` items at the end of a vector.
    fn at_end_of(vec: &mut Vec<T>, len: usize) -> Self {
        if vec.is_empty() {
            vec.reserve_exact(len);
        } else {
            vec.reserve(len);
        }
        let room = &mut vec.spare_capacity_mut()[..len];
        Slots {
            start: room.as_mut_ptr().cast(),
            len,
            items: PhantomData,
        }
    }

    /// Returns `len` of these slots, which belong to no other part.
    fn part(&self, start: usize, len: usize) -> Self {
        assert!(
            start <= self.len && len <= self.len - start,
            "no such slots"
        );
        Slots {
            start: self.start.wrapping_add(start),
            len,
            items: PhantomData,
        }
    }

    /// Passes the items in these slots on to the vector that owns the slots.
    fn pass_on(&self, written: Written<T>, vec: &mut Vec<T>) {
        let complete = written.start == self.start && written.len == self.len;
        assert!(
            complete,
            "the iterator had {} items instead of {}",
            written.len, self.len
        );
        assert!(
            ptr::eq(vec.spare_capacity_mut().as_ptr().cast(), self.start),
            "another vector's slots"
        );
        mem::forget(written);
        let new_len = vec.len() + self.len;
        // SAFETY: room for so many was reserved, and those from the old length on are *written* and
        // passed on to us.
        unsafe { vec.set_len(new_len) };
    }
}

// SAFETY: threads write to different slots (*disjoint*), which moves items between them: they are
// `Send`.
unsafe impl<T: Send> Sync for Slots<T> {}

/// The slots that a run has written.
struct Written<T> {
    start: *mut T,
    len: usize,
    items: PhantomData<T>,
}

// SAFETY: owns its items (*written*), which are `Send`.
unsafe impl<T: Send> Send for Written<T> {}

impl<T> Drop for Written<T> {
    fn drop(&mut self) {
        let items = ptr::slice_from_raw_parts_mut(self.start, self.len);
        // SAFETY: initialised, and ours (*written*).
        unsafe { ptr::drop_in_place(items) };
    }
}

impl<T> Written<T> {
    fn end(&self) -> *mut T {
        self.start.wrapping_add(self.len)
    }

    /// Takes over the items directly behind. If there is a gap, the items behind it are dropped,
    /// and if nothing has panicked, `Slots::pass_on` will.
    #[inline]
    fn merge(&mut self, right: Written<T>) {
        if self.end() == right.start {
            self.len += right.len;
            mem::forget(right);
        }
    }
}

/// The items a run has written, and the number of slots from its start that are its own.
struct Run<T> {
    written: Written<T>,
    room: usize,
    /// The number of slots from its start.
    most: usize,
}

impl<T> Run<T> {
    #[inline]
    fn allot(&mut self, positions: usize) {
        self.room = self.room.saturating_add(positions).min(self.most);
    }

    #[inline]
    fn push(&mut self, item: T) {
        let Run { written, room, .. } = self;
        assert!(
            written.len < *room,
            "the iterator has more items than it said"
        );
        // SAFETY: within the room (just checked), hence within the slots, and no other run's
        // (*disjoint*).
        unsafe { written.end().write(item) };
        written.len += 1;
    }
}

impl<T: Send> Sink<T> for Slots<T> {
    type Acc = Run<T>;
    type Output = Written<T>;

    #[inline]
    fn begin(&self, position: usize) -> Run<T> {
        let position = position.min(self.len);
        Run {
            written: Written {
                start: self.start.wrapping_add(position),
                len: 0,
                items: PhantomData,
            },
            room: 0,
            most: self.len - position,
        }
    }

    #[inline]
    fn allot(&self, run: &mut Run<T>, positions: usize) {
        run.allot(positions);
    }

    #[inline]
    fn push_all<I: Iterator<Item = T>>(&self, run: &mut Run<T>, items: I) {
        items.for_each(|item| run.push(item));
    }

    #[inline]
    fn finish(&self, run: Run<T>) -> Written<T> {
        run.written
    }

    #[inline]
    fn merge(&self, mut left: Written<T>, right: Written<T>) -> Written<T> {
        left.merge(right);
        left
    }
}

/// Slots for the halves of pairs.
struct Pairs<A, B>(Slots<A>, Slots<B>);

impl<A: Send, B: Send> Sink<(A, B)> for Pairs<A, B> {
    type Acc = (Run<A>, Run<B>);
    type Output = (Written<A>, Written<B>);

    #[inline]
    fn begin(&self, position: usize) -> Self::Acc {
        (self.0.begin(position), self.1.begin(position))
    }

    #[inline]
    fn allot(&self, (left, right): &mut Self::Acc, positions: usize) {
        left.allot(positions);
        right.allot(positions);
    }

    #[inline]
    fn push_all<I: Iterator<Item = (A, B)>>(&self, (left, right): &mut Self::Acc, items: I) {
        items.for_each(|(a, b)| {
            left.push(a);
            right.push(b);
        });
    }

    #[inline]
    fn finish(&self, (left, right): Self::Acc) -> Self::Output {
        (left.written, right.written)
    }

    #[inline]
    fn merge(&self, mut left: Self::Output, right: Self::Output) -> Self::Output {
        left.0.merge(right.0);
        left.1.merge(right.1);
        left
    }
}

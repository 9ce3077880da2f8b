//! Collecting into the spare room of a `Vec`, each item at its position.
//!
//! Invariants:
//! * **Disjoint.** A run writes only to slots at its own positions, and no two runs share a position
//!   (*exact positions*, shape.rs). So all writes go to different slots.
//! * **Written.** The slots `start..start + len` of a [`Written`] are initialised and belong to it: it drops them unless they are
//!   passed on.

#![allow(unsafe_code)]

use crate::{
    iter::ParallelIterator,
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
/// If it has not as many items as it said.
pub(crate) fn append<I: ParallelIterator>(vec: &mut Vec<I::Item>, items: I, len: usize) {
    vec.reserve_exact(len);
    let room = &mut vec.spare_capacity_mut()[..len];
    let slots = Slots {
        start: room.as_mut_ptr().cast(),
        len,
        items: PhantomData,
    };
    let written = items.drive(&slots);
    let complete = written.start == slots.start && written.len == len;
    assert!(
        complete,
        "the iterator had {} items instead of {len}",
        written.len
    );
    mem::forget(written);
    let new_len = vec.len() + len;
    // SAFETY: room for so many was reserved, and those from the old length on are *written* and passed on to us.
    unsafe { vec.set_len(new_len) };
}

/// Room for `len` items.
struct Slots<T> {
    start: *mut T,
    len: usize,
    items: PhantomData<fn(T)>,
}

// SAFETY: threads write to different slots (*disjoint*), which moves items between them: they are `Send`.
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
}

/// What a run has written, and how much room there is from its beginning on.
struct Run<T> {
    written: Written<T>,
    room: usize,
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
            room: self.len - position,
        }
    }

    #[inline]
    fn push_all<I: Iterator<Item = T>>(&self, run: &mut Run<T>, items: I) {
        let Run { written, room } = run;
        items.for_each(|item| {
            assert!(
                written.len < *room,
                "the iterator has more items than it said"
            );
            // SAFETY: within the room (just checked), and nobody else's (*disjoint*).
            unsafe { written.end().write(item) };
            written.len += 1;
        });
    }

    #[inline]
    fn finish(&self, run: Run<T>) -> Written<T> {
        run.written
    }

    #[inline]
    fn merge(&self, mut left: Written<T>, right: Written<T>) -> Written<T> {
        if left.end() == right.start {
            left.len += right.len;
            mem::forget(right);
        }
        left
    }
}

//! Merging in parallel, between a slice and a buffer: the unsafe part of the stable sort.
//!
//! Four sorted quarters of `v` are merged to two sorted halves in the buffer, and these to one in
//! `v`.
//!
//! ```text
//!   v       |  a  |  b  |  c  |  d  |  ─┐ to the buffer: v keeps all its elements
//!   buffer  |    ab     |    cd     |  ◄┘
//!   v       |         abcd          |  ◄── back: the elements are on their way
//! ```
//!
//! A [`Merge`] is a merge that has not been finished: two sources, and room for both of them. A
//! split searches for a place to cut in each source, and yields two disjoint merges.
//!
//! Invariants, at any time, also when `compare` panics in any thread or returns inconsistent
//! results:
//! * **Sized.** A merge's room is as long as the rest of its two sources. All three are disjoint
//!   from each other, and from those of all other merges. A step moves one element to the room's
//!   front or back, and shortens source and room by it.
//! * **Finished.** A merge that is dropped copies the rest of its sources to the rest of its room.
//!   It is owned by a closure or a stack frame: so a merge ends with its room full even if it was
//!   never started, given to another thread, or unwound.
//! * **Once.** While merging to the buffer, elements belong to `v`, which is only read. While
//!   merging back they belong to the sources and to the slots written before and behind the room;
//!   the room itself is not read. Between the two, when the whole buffer is a copy of `v`, nothing
//!   can panic. So afterwards `v` has each element once (*finished*).
//! * **True copy.** `compare` may change elements that have interior mutability. Only elements left
//!   in a merge's sources are compared, so before they are copied; and elements that belong to `v`
//!   are never compared in the buffer.

#![allow(unsafe_code)]

use std::{cmp::Ordering, marker::PhantomData, mem, mem::MaybeUninit, ptr};
use sumac_core::join;

/// Merges of at most this many elements are not split.
const WHOLE: usize = if cfg!(miri) { 1 << 4 } else { 1 << 13 };

/// Merges the four sorted parts of `v` between `cuts`.
///
/// # Panics
/// If `compare` panics, the buffer is shorter than `v`, or `cuts` are not in order and within it.
pub(super) fn quarters<T, F>(
    v: &mut [T],
    cuts: [usize; 3],
    buffer: &mut [MaybeUninit<T>],
    compare: &F,
) where
    T: Send,
    F: Fn(&T, &T) -> Ordering + Sync,
{
    let [one, two, three] = cuts;
    assert!(0 < one && one < two && two < three && three < v.len());
    let buffer = &mut buffer[..v.len()];
    if cuts
        .iter()
        .all(|&cut| compare(&v[cut - 1], &v[cut]) != Ordering::Greater)
    {
        return;
    }
    in_two(
        v,
        buffer,
        two,
        |low, room| Merge::into_buffer(low, one, room).run(compare),
        |high, room| Merge::into_buffer(high, three - two, room).run(compare),
    );
    Merge::back(v, two, buffer).run(compare);
}

/// Merges the two sorted parts of `v` before and behind `cut`.
///
/// # Panics
/// If `compare` panics, the buffer is shorter than `v`, or `cut` is outside of it.
pub(super) fn halves<T, F>(v: &mut [T], cut: usize, buffer: &mut [MaybeUninit<T>], compare: &F)
where
    T: Send,
    F: Fn(&T, &T) -> Ordering + Sync,
{
    let buffer = &mut buffer[..v.len()];
    copy(v, buffer);
    Merge::back(v, cut, buffer).run(compare);
}

/// Copies `v` to the buffer, in parallel.
fn copy<T: Send>(v: &mut [T], buffer: &mut [MaybeUninit<T>]) {
    if v.len() <= WHOLE {
        drop(Merge::into_buffer(v, 0, buffer));
        return;
    }
    in_two(v, buffer, v.len() / 2, copy, copy);
}

/// Calls the functions with the parts of both slices before and behind `at`, in parallel.
pub(super) fn in_two<T: Send>(
    v: &mut [T],
    buffer: &mut [MaybeUninit<T>],
    at: usize,
    before: impl FnOnce(&mut [T], &mut [MaybeUninit<T>]) + Send,
    behind: impl FnOnce(&mut [T], &mut [MaybeUninit<T>]) + Send,
) {
    let (low, high) = v.split_at_mut(at);
    let (low_buffer, high_buffer) = buffer.split_at_mut(at);
    join(|| before(low, low_buffer), || behind(high, high_buffer));
}

/// The rest of a sorted run.
struct Source<T> {
    start: *mut T,
    end: *mut T,
}

impl<T> Clone for Source<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Source<T> {}

impl<T> Source<T> {
    fn new(start: *mut T, len: usize) -> Self {
        Source {
            start,
            end: start.wrapping_add(len),
        }
    }

    #[inline(always)]
    fn len(&self) -> usize {
        (self.end.addr() - self.start.addr()) / size_of::<T>()
    }

    /// The elements before `at`, and from `at` on.
    fn split_at(self, at: usize) -> (Self, Self) {
        let middle = self.start.wrapping_add(at);
        let Source { start, end } = self;
        (Source { start, end: middle }, Source { start: middle, end })
    }
}

/// A merge that has not been finished (see above).
struct Merge<'b, T> {
    left: Source<T>,
    right: Source<T>,
    room: *mut T,
    lifetime: PhantomData<&'b mut T>,
}

// SAFETY: no other thread uses its sources and its room (*sized*), and elements are `Send`.
unsafe impl<T: Send> Send for Merge<'_, T> {}

impl<T> Drop for Merge<'_, T> {
    #[inline(always)]
    fn drop(&mut self) {
        let (left, right) = (self.left.len(), self.right.len());
        // SAFETY: the room is long enough for both, and disjoint from them (*sized*).
        unsafe { ptr::copy_nonoverlapping(self.left.start, self.room, left) };
        let room = self.room.wrapping_add(left);
        // SAFETY: as above.
        unsafe { ptr::copy_nonoverlapping(self.right.start, room, right) };
    }
}

impl<'b, T: Send> Merge<'b, T> {
    /// Creates the merge of the parts before and behind `cut`, to the buffer.
    fn into_buffer(v: &'b mut [T], cut: usize, room: &'b mut [MaybeUninit<T>]) -> Self {
        let len = v.len();
        assert!(cut <= len && len == room.len());
        let start = v.as_mut_ptr();
        Merge {
            left: Source::new(start, cut),
            right: Source::new(start.wrapping_add(cut), len - cut),
            room: room.as_mut_ptr().cast(),
            lifetime: PhantomData,
        }
    }

    /// Creates the merge of the parts before and behind `cut` in the buffer, which is a copy of
    /// `v`, back to `v`.
    fn back(v: &'b mut [T], cut: usize, buffer: &'b mut [MaybeUninit<T>]) -> Self {
        let merge = Merge::into_buffer(v, cut, buffer);
        let (low, high) = (merge.left.len(), merge.right.len());
        let (room, copy) = (merge.left.start, merge.room);
        mem::forget(merge);
        Merge {
            left: Source::new(copy, low),
            right: Source::new(copy.wrapping_add(low), high),
            room,
            lifetime: PhantomData,
        }
    }

    fn run<F: Fn(&T, &T) -> Ordering + Sync>(mut self, compare: &F) {
        let less = |a: &T, b: &T| compare(a, b) == Ordering::Less;
        let (left, right) = (self.slice(self.left), self.slice(self.right));
        let (Some(left_first), Some(left_last)) = (left.first(), left.last()) else {
            return;
        };
        let (Some(right_first), Some(right_last)) = (right.first(), right.last()) else {
            return;
        };
        if !less(right_first, left_last) {
            return;
        }
        if less(right_last, left_first) {
            mem::swap(&mut self.left, &mut self.right);
            return;
        }
        if left.len() + right.len() <= WHOLE {
            self.run_whole(&less);
            return;
        }
        // Equal elements of the left source stay before those of the right one.
        let (left_cut, right_cut) = if left.len() >= right.len() {
            let cut = left.len() / 2;
            (cut, right.partition_point(|x| less(x, &left[cut])))
        } else {
            let cut = right.len() / 2;
            (left.partition_point(|x| !less(&right[cut], x)), cut)
        };
        let (first, second) = self.split_at(left_cut, right_cut);
        join(|| first.run(compare), || second.run(compare));
    }

    /// The rest of one of our sources.
    fn slice(&self, source: Source<T>) -> &[T] {
        // SAFETY: initialised, and no thread writes to it while we are borrowed (*sized*).
        unsafe { std::slice::from_raw_parts(source.start, source.len()) }
    }

    /// Splits into two merges, of the elements before and behind these places.
    fn split_at(self, left: usize, right: usize) -> (Self, Self) {
        let (first_left, second_left) = self.left.split_at(left);
        let (first_right, second_right) = self.right.split_at(right);
        let room = self.room;
        // The two parts take its place.
        mem::forget(self);
        let first = Merge {
            left: first_left,
            right: first_right,
            room,
            lifetime: PhantomData,
        };
        let second = Merge {
            left: second_left,
            right: second_right,
            room: room.wrapping_add(left + right),
            lifetime: PhantomData,
        };
        (first, second)
    }

    /// Merges from both ends: two independent chains of comparisons, without branches that depend
    /// on the elements. When one source runs out, the rest of the other is copied by dropping
    /// `self`.
    #[inline]
    fn run_whole(mut self, less: &impl Fn(&T, &T) -> bool) {
        loop {
            // Each round takes at most two elements from a source.
            let rounds = self.left.len().min(self.right.len()) / 2;
            if rounds == 0 {
                break;
            }
            for _ in 0..rounds {
                self.move_first(less);
                self.move_last(less);
            }
        }
        while self.left.len() > 0 && self.right.len() > 0 {
            self.move_first(less);
        }
    }

    /// Moves the smallest element to the front of the room. Neither source is empty.
    #[inline(always)]
    fn move_first(&mut self, less: &impl Fn(&T, &T) -> bool) {
        let (left, right) = (self.left.start, self.right.start);
        // SAFETY: the first of a source that is not empty.
        let right_ref = unsafe { &*right };
        // SAFETY: as above.
        let left_ref = unsafe { &*left };
        let from_right = less(right_ref, left_ref);
        let source = if from_right { right } else { left };
        // SAFETY: the room is not empty, and disjoint from the sources (*sized*).
        unsafe { ptr::copy_nonoverlapping(source, self.room, 1) };
        self.room = self.room.wrapping_add(1);
        self.right.start = right.wrapping_add(usize::from(from_right));
        self.left.start = left.wrapping_add(usize::from(!from_right));
    }

    /// Moves the greatest element to the back of the room. Neither source is empty.
    #[inline(always)]
    fn move_last(&mut self, less: &impl Fn(&T, &T) -> bool) {
        let left = self.left.end.wrapping_sub(1);
        let right = self.right.end.wrapping_sub(1);
        // SAFETY: the last of a source that is not empty.
        let right_ref = unsafe { &*right };
        // SAFETY: as above.
        let left_ref = unsafe { &*left };
        let from_left = less(right_ref, left_ref);
        let source = if from_left { left } else { right };
        let room = self
            .room
            .wrapping_add(self.left.len() + self.right.len() - 1);
        // SAFETY: as in `move_first`.
        unsafe { ptr::copy_nonoverlapping(source, room, 1) };
        self.left.end = left.wrapping_add(usize::from(!from_left));
        self.right.end = right.wrapping_add(usize::from(from_left));
    }
}

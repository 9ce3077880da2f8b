//! Which structures the calling thread reads at the moment: reads are not inside of a batch, and
//! still must not use their own structure, since its next leader waits for them.
//!
//! A list of frames, the innermost first, in a thread-local word. A read may drop the pool and with
//! that the task that was to lead: `Core::abandon` then leaves it to the end of the read.
//!
//! Invariant, **frames**: each frame in the list is one of a call of `reading` of this thread that
//! has not returned. For it is put in and taken off by that call, which catches `f`'s panic in
//! between, and calls return in the reverse order. No other thread has the list.

use std::{
    cell::Cell,
    panic::{AssertUnwindSafe, catch_unwind},
    ptr, thread,
};

struct Frame {
    structure: *const (),
    outer: *const Frame,
    /// Whether the task that was to lead has been abandoned inside.
    abandoned: Cell<bool>,
}

thread_local! {
    static INNERMOST: Cell<*const Frame> = const { Cell::new(ptr::null()) };
}

/// Calls `f`, which reads the structure at this address, and catches its panic. Also says whether
/// `abandon_after` was called for it.
#[inline]
pub(crate) fn reading<R>(structure: *const (), f: impl FnOnce() -> R) -> (thread::Result<R>, bool) {
    let frame = Frame {
        structure,
        outer: INNERMOST.get(),
        abandoned: Cell::new(false),
    };
    INNERMOST.set(&raw const frame);
    let result = catch_unwind(AssertUnwindSafe(f));
    INNERMOST.set(frame.outer);
    (result, frame.abandoned.get())
}

/// Whether the calling thread reads the structure at this address.
#[inline]
pub(crate) fn reads(structure: *const ()) -> bool {
    find(structure, |_| ())
}

/// Leaves it to the calling thread's read of the structure at this address to lead when it ends.
/// False if there is none.
pub(crate) fn abandon_after(structure: *const ()) -> bool {
    find(structure, |frame| frame.abandoned.set(true))
}

/// Calls `f` with the frame of the calling thread's read of a structure, if there is one.
#[inline]
fn find(structure: *const (), f: impl FnOnce(&Frame)) -> bool {
    let mut at = INNERMOST.get();
    // SAFETY: null or a frame of a call that has not returned (*frames*). No user's code runs here.
    while let Some(frame) = unsafe { at.as_ref() } {
        if ptr::eq(frame.structure, structure) {
            f(frame);
            return true;
        }
        at = frame.outer;
    }
    false
}

#[cfg(test)]
mod tests {
    use crate::{Batched, BatchedStructure, Plain, Reads, Request};
    use std::{
        future::Future,
        sync::Arc,
        task::{Context, Poll, Waker},
    };
    use sumac_core::{Activity, Scope};
    use sumac_test_support::{LONG, held, waited, within};

    struct Number(u32);

    /// What a read calls; nothing for a change.
    type Call = Option<Box<dyn FnOnce() + Send>>;

    fn look(call: impl FnOnce() + Send + 'static) -> Plain<Call> {
        Plain(Some(Box::new(call)))
    }

    impl BatchedStructure for Number {
        type Op = Call;
        type Answer = u32;

        const READS: Option<Reads<Self>> =
            Some(Reads::new(Option::is_some, |number: &Self, op: Call| {
                op.into_iter().for_each(|call| call());
                number.0
            }));

        fn run(&mut self, _: &mut Scope<'_>, batch: &mut [Request<Call, u32>]) {
            for request in batch {
                self.0 += 1;
                request.answer(self.0);
            }
        }
    }

    /// Also of another structure, in whose read it is.
    #[test]
    fn what_is_abandoned_in_a_read_is_led_when_that_has_gone() {
        within(LONG, "a read that abandons tasks", || {
            let pool = waited(1);
            let (worker, release) = held(&pool);
            let two = [0, 10].map(|n| Arc::new(Batched::new_in(&pool, Number(n))));
            let mut context = Context::from_waker(Waker::noop());
            let mut changes = two
                .each_ref()
                .map(|batched| Box::pin(batched.submit(Plain(None))));
            for change in &mut changes {
                assert!(change.as_mut().poll(&mut context).is_pending());
            }
            let inner = Arc::clone(&two[1]);
            let cores = two.each_ref().map(|batched| Arc::clone(&batched.core));
            let abandon = move || cores.iter().for_each(|core| core.abandon());
            let read = look(move || assert_eq!(inner.apply(look(abandon)), 10));
            let number = two[0].apply(read);
            assert_eq!(number, 0, "the change was after the read");
            let changed = changes.map(|mut change| change.as_mut().poll(&mut context));
            assert_eq!(changed, [Poll::Ready(1), Poll::Ready(11)]);
            drop(release);
            worker.join();
        });
    }
}

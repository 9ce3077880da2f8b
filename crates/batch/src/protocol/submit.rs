//! `Submit`: a future that carries out an operation when it is first polled, or enters it into a
//! batch, and is ready when that has been carried out; and the queued task that leads such batches.
//!
//! Invariants of what is carried out at once, in a poll:
//! * **Short.** It waits for no read, and leads no batch of others: a poll takes as long as its own
//!   operation.
//! * **Gives way.** A thread carries out at most `AT_ONCE` operations so before one is entered,
//!   which ends the step of its task, behind all tasks that are queued.

use crate::{
    error::{BatchError, Outcome},
    protocol::{
        lead::{Core, look_for},
        reading::{abandon_after, reads},
        record::{Record, Waiter},
        turns::Turns,
    },
    structure::{BatchedStructure, Operation},
};
use std::{
    cell::Cell,
    fmt,
    future::Future,
    marker::{PhantomData, PhantomPinned},
    pin::Pin,
    sync::{Arc, atomic::Ordering},
    task::{Context, Poll},
};
use sumac_core::{Activity, ActivityState};

/// How many operations a thread carries out at once before it enters one. While one is entered,
/// those of other tasks are, too: so it must be rare.
const AT_ONCE: u32 = 1 << 12;

/// One time in so many the task that leads is queued last even where operations need no batch.
const LAST_OF: u32 = 64;

thread_local! {
    /// How many more this thread may carry out before it enters one.
    static LEFT: Cell<u32> = const { Cell::new(AT_ONCE) };
}

impl<D: BatchedStructure> Core<D> {
    /// Carries out an operation that a future waits for, if the structure is free and can do it
    /// without a batch; else returns it.
    ///
    /// # Panics
    /// Inside of a batch of this structure, or of a read.
    fn apply_at_once(&self, op: D::Op) -> Result<Outcome<D::Answer>, D::Op> {
        self.assert_outside();
        let Some(left) = LEFT.get().checked_sub(1) else {
            LEFT.set(AT_ONCE);
            return Err(op);
        };
        LEFT.set(left);
        match D::READS {
            Some(reads) if (reads.looks)(&op) => match self.gate.try_read() {
                true => Ok(self.read(&reads, op)),
                false => Err(op),
            },
            _ if self.gate.try_begin() || self.becomes_free() => {
                let result = self.run_one(op);
                if self.one_by_one.load(Ordering::Relaxed) != result.is_ok() {
                    self.one_by_one.store(result.is_ok(), Ordering::Relaxed);
                }
                self.end_in_poll();
                result
            }
            _ => Err(op),
        }
    }

    /// Begins if no operation waits and the one that is being carried out ends soon.
    fn becomes_free(&self) -> bool {
        !self.gate.has_waiters() && look_for(|| self.gate.try_begin())
    }
}

impl<D: BatchedStructure + 'static> Core<D> {
    /// Enters an operation that a future waits for.
    ///
    /// # Safety
    /// As `Gate::enter`.
    unsafe fn submit(&self, op: D::Op, record: &Record<Outcome<D::Answer>>) {
        self.schedule.get_or_init(|| Self::queue);
        // SAFETY: the caller vouches for the record.
        unsafe { self.enter_submitted(op, record) };
    }

    /// Queues a task that leads. Where operations need batches, other tasks enter theirs first.
    /// Where they do not, all others wait while one does: so it comes before other tasks, but for
    /// one time in `LAST_OF`, so that these run however many operations come from elsewhere.
    fn queue(&self) {
        let this = self.this.upgrade().expect("it is in use");
        let first = self.one_by_one.load(Ordering::Relaxed)
            && self.scheduled.fetch_add(1, Ordering::Relaxed) % LAST_OF != LAST_OF - 1;
        if first {
            self.pool.queue_first(this);
        } else {
            self.pool.queue_last(this);
        }
    }
}

impl<D: BatchedStructure + 'static> Activity for Core<D> {
    fn state(&self) -> &ActivityState {
        &self.activity
    }

    fn advance(&self) -> bool {
        if reads(self.address()) {
            // A read has forked, and its worker looks for work: who leads would wait for that read.
            self.pool
                .queue_last(self.this.upgrade().expect("it is in use"));
            return false;
        }
        self.lead_if_due()
    }

    fn cancel(&self) -> bool {
        false
    }

    /// The pool has ended. Inside of a read, who leads would wait for that read.
    fn abandon(&self) {
        if !abandon_after(self.address()) {
            self.abandon_tasks();
        }
    }
}

/// An operation on its way, whose answer is a `Result`: see
/// [`Batched::try_submit`](crate::Batched::try_submit).
#[must_use = "futures do nothing until they are polled"]
pub struct TrySubmit<'b, D: BatchedStructure + 'static, O> {
    stage: Stage<'b, D>,
    record: Record<Outcome<D::Answer>>,
    operation: PhantomData<fn() -> O>,
    /// The record stays where it is once it has been entered.
    _pinned: PhantomPinned,
}

enum Stage<'b, D: BatchedStructure + 'static> {
    New(&'b Arc<Core<D>>, D::Op),
    Entered(&'b Arc<Core<D>>),
    Over,
}

impl<'b, D: BatchedStructure + 'static, O: Operation<D>> TrySubmit<'b, D, O> {
    pub(crate) fn new(core: &'b Arc<Core<D>>, operation: O) -> Self {
        TrySubmit {
            stage: Stage::New(core, operation.into_op()),
            record: Record::new(),
            operation: PhantomData,
            _pinned: PhantomPinned,
        }
    }

    fn poll_outcome(self: Pin<&mut Self>, context: &Context<'_>) -> Poll<Outcome<D::Answer>> {
        // SAFETY: the record is not moved.
        let this = unsafe { self.get_unchecked_mut() };
        if let Stage::Entered(_) = this.stage {
            // Cloning a waker is users' code: if it panics, the stage stays.
            if !this.record.poll(|| Waiter(context.waker().clone())) {
                return Poll::Pending;
            }
            this.stage = Stage::Over;
            return Poll::Ready(this.record.take().expect("the leader answers"));
        }
        match std::mem::replace(&mut this.stage, Stage::Over) {
            Stage::New(core, op) => {
                let op = match core.apply_at_once(op) {
                    Ok(outcome) => return Poll::Ready(outcome),
                    Err(op) => op,
                };
                this.record.watch_first(Waiter(context.waker().clone()));
                this.stage = Stage::Entered(core);
                // SAFETY: the future is pinned, and takes the record back before it is dropped or
                // used again.
                unsafe { core.submit(op, &this.record) };
                Poll::Pending
            }
            _ => panic!("a future is not polled after it was ready"),
        }
    }
}

impl<D: BatchedStructure + 'static, O: Operation<D>> Future for TrySubmit<'_, D, O> {
    type Output = Result<O::Answer, BatchError>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.poll_outcome(context)
            .map(|outcome| outcome.map(O::answer))
    }
}

impl<D: BatchedStructure + 'static, O> Drop for TrySubmit<'_, D, O> {
    fn drop(&mut self) {
        let Stage::Entered(core) = self.stage else {
            return;
        };
        drop(core.give_up(&self.record));
    }
}

/// An operation on its way: see [`Batched::submit`](crate::Batched::submit).
#[must_use = "futures do nothing until they are polled"]
pub struct Submit<'b, D: BatchedStructure + 'static, O>(pub(crate) TrySubmit<'b, D, O>);

impl<D: BatchedStructure + 'static, O: Operation<D>> Future for Submit<'_, D, O> {
    type Output = O::Answer;

    /// # Panics
    /// As [`Batched::apply`](crate::Batched::apply); and if polled again after it was ready.
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<O::Answer> {
        // SAFETY: the field is pinned with us: nothing moves it, and we have no destructor.
        let inner = unsafe { self.map_unchecked_mut(|this| &mut this.0) };
        inner
            .poll(context)
            .map(|outcome| outcome.unwrap_or_else(|error| error.throw()))
    }
}

impl<D: BatchedStructure + 'static, O> fmt::Debug for Submit<'_, D, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Submit").finish_non_exhaustive()
    }
}

impl<D: BatchedStructure + 'static, O> fmt::Debug for TrySubmit<'_, D, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TrySubmit").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Batched;
    use crate::structure::{Plain, Request};
    use crate::structures::counter::{Add, Counter};
    use std::{
        panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
        pin::pin,
        ptr,
        sync::{Arc, mpsc},
        task::{RawWaker, RawWakerVTable, Waker},
    };
    use sumac_core::{Scope, ThreadPoolBuilder, spawn};

    struct Sum(i64);

    impl BatchedStructure for Sum {
        type Op = i64;
        type Answer = i64;

        fn run(&mut self, _: &mut Scope<'_>, batch: &mut [Request<i64, i64>]) {
            for request in batch {
                self.0 += request.take_op();
                request.answer(self.0);
            }
        }
    }

    /// A waker that cannot be cloned.
    fn uncloned() -> Waker {
        static TABLE: RawWakerVTable = RawWakerVTable::new(
            |_| resume_unwind(Box::new("a waker is cloned")),
            |_| (),
            |_| (),
            |_| (),
        );
        // SAFETY: its functions do nothing that is not safe.
        unsafe { Waker::from_raw(RawWaker::new(ptr::null(), &TABLE)) }
    }

    /// Where operations need no batch, the task that leads comes before those that are queued
    /// already, which find the structure free: but for one time in `LAST_OF`.
    #[test]
    #[cfg_attr(miri, ignore = "it would take an hour")]
    fn one_that_waits_does_not_hold_up_others() {
        let pool = ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let batched = Arc::new(Batched::new_in(&pool, Counter::new(0)));
        for time in 1..=LAST_OF {
            // The test does not join the tasks: it would run them, in the order of that.
            let (send, looked) = mpsc::channel();
            let batched = Arc::clone(&batched);
            pool.spawn(move || {
                for _ in 0..10 {
                    let (batched, send) = (Arc::clone(&batched), send.clone());
                    let look = move || batched.core.gate.has_waiters();
                    spawn(move || send.send(look()).expect("the test waits"));
                }
                let add = || {
                    let batched = Arc::clone(&batched);
                    let mut future = Box::pin(async move { batched.submit(Add(1)).await });
                    let context = &mut Context::from_waker(Waker::noop());
                    future.as_mut().poll(context).is_pending().then_some(future)
                };
                let entered = (0..=AT_ONCE).find_map(|_| add());
                spawn(move || drop(entered.expect("at some time one is entered")));
            });
            assert_eq!(looked.iter().collect::<Vec<_>>(), [time == LAST_OF; 10]);
        }
    }

    /// The future is still entered, and has to take its record back.
    #[test]
    fn wakers_that_cannot_be_cloned() {
        let batched = Batched::new(Sum(0));
        let held = batched.core.gate.try_begin();
        assert!(held, "no thread uses it");
        let entered: Vec<_> = (0..3)
            .map(|_| {
                let mut future = Box::pin(batched.submit(Plain(1)));
                let mut poll = |waker: &Waker| {
                    let poll = || future.as_mut().poll(&mut Context::from_waker(waker));
                    catch_unwind(AssertUnwindSafe(poll)).map_err(drop)
                };
                assert_eq!(poll(Waker::noop()), Ok(Poll::Pending));
                assert_eq!(poll(&uncloned()), Err(()));
                future
            })
            .collect();
        drop(entered);
        batched.core.end(false);
        assert_eq!(batched.apply(Plain(0)), 0, "none was carried out");
        let mut late = pin!(batched.submit(Plain(1)));
        let poll = || late.as_mut().poll(&mut Context::from_waker(&uncloned()));
        assert!(catch_unwind(AssertUnwindSafe(poll)).is_err());
        assert_eq!(batched.apply(Plain(0)), 0);
    }
}

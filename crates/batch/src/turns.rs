//! Turns at a gate: what callers, leaders and queued tasks do there, whatever they carry out. The
//! structure implements it (lead.rs), and the world of the models.

use crate::{
    fault::{Fault, planted},
    gate::{Entered, Gate, Next},
    record::{AbortOnUnwind, Record, Signal, Waiter},
};

/// A structure, or what stands for one: its operations, their answers, and what is told of them.
pub(crate) trait Turns<O, A, T> {
    fn gate(&self) -> &Gate<O, A, T>;

    /// Calls `f` with a new record, which nothing refers to afterwards.
    fn with_record<R>(&self, f: impl FnOnce(&Record<T>) -> R) -> R {
        f(&Record::new())
    }

    /// Blocks until the record is signalled.
    fn wait_for_signal(&self, record: &Record<T>) -> Signal;

    /// Queues a task that calls `lead_if_due`.
    fn schedule(&self);

    /// As the leader: takes the batch that has formed, carries it out and answers. How many
    /// operations that were.
    fn take_turn(&self) -> usize;

    /// Carries out an operation in a batch, in which others may be; blocks.
    fn apply_in_batch(&self, op: O) -> T {
        self.with_record(|record| {
            let guard = AbortOnUnwind;
            // SAFETY: the record stays until it is done, and we do not unwind (`AbortOnUnwind`); we
            // lead if told so.
            let entered = unsafe { self.gate().enter(op, record, true) };
            if entered == Entered::Lead || self.wait_for_signal(record) == Signal::Lead {
                self.lead();
            }
            debug_assert!(record.is_done());
            guard.over();
            record.take().expect("the leader answers")
        })
    }

    /// Becomes the leader, between batches. Whether it had to wait for another.
    fn claim(&self) -> bool {
        self.with_record(|record| {
            let guard = AbortOnUnwind;
            // SAFETY: the record stays until it has been appointed, and we do not unwind
            // (`AbortOnUnwind`).
            let waits = unsafe { self.gate().claim(record) } != Entered::Lead;
            if waits {
                let signal = self.wait_for_signal(record);
                debug_assert_eq!(signal, Signal::Lead);
            }
            guard.over();
            waits
        })
    }

    /// Enters an operation that a future waits for.
    ///
    /// # Safety
    /// As `Gate::enter`.
    unsafe fn enter_submitted(&self, op: O, record: &Record<T>) {
        // SAFETY: the caller vouches for the record.
        match unsafe { self.gate().enter(op, record, false) } {
            Entered::Lead => self.lead(),
            Entered::Schedule => self.schedule(),
            Entered::Wait => {}
        }
    }

    /// The future does without the answer: afterwards nothing refers to its record. The result is
    /// the operation, if it has not been begun.
    fn give_up(&self, record: &Record<T>) -> Option<O> {
        if record.is_done() || planted(Fault::GoWithoutTakingBack) {
            return None;
        }
        self.gate().take_back(record)
    }

    /// The leader has not taken a batch: gives the structure back, or goes on. `claimed` says that
    /// it had the structure for itself.
    fn end(&self, claimed: bool) {
        if !self.gate().try_end() && self.pass_on(0, claimed) {
            self.lead();
        }
    }

    /// The end of a turn. True if the caller is to take the next batch.
    fn pass_on(&self, served: usize, claimed: bool) -> bool {
        match self.gate().leave(served, claimed) {
            Next::Again => return true,
            Next::Nothing(waiter) => {
                let next = waiter.filter(|_| !planted(Fault::LeaveNextAsleep));
                next.into_iter().for_each(Waiter::wake);
            }
            Next::Schedule => self.schedule(),
        }
        false
    }

    /// As the leader: carries out the batch that has formed, and maybe the next ones.
    fn lead(&self) {
        let mut served = 0;
        loop {
            served += self.take_turn();
            if !self.pass_on(served, false) {
                return;
            }
        }
    }

    /// The queued task runs: whether it has led.
    fn lead_if_due(&self) -> bool {
        let due = self.gate().begin_scheduled();
        if due {
            self.lead();
        }
        due
    }

    /// Tasks are not queued any more: the calling thread leads, and from now on each thread that
    /// enters an operation. (Each of them calls this no more: leaders that abandon each other's
    /// tasks would be inside of each other.)
    fn abandon_tasks(&self) {
        self.gate().schedule_no_more();
        self.lead_if_due();
    }
}

//! Turns at a gate: the steps of callers, leaders and queued tasks, for any operations. The
//! structure implements it (lead.rs), and so does the world of the models.

use crate::{
    protocol::{
        Gate,
        gate::{Entered, Next, Waited},
        record::{AbortOnUnwind, Record, Signal, Waiter, wake_all},
    },
    structure::Request,
};

/// A structure or a substitute: its operations, their answers, and the values that records pass on.
pub(crate) trait Turns<O, A, T> {
    fn gate(&self) -> &Gate<O, A, T>;

    /// Calls `f` with a new record, which nothing refers to afterwards.
    fn with_record<R>(&self, f: impl FnOnce(&Record<T>) -> R) -> R {
        f(&Record::new())
    }

    /// # Panics
    /// Inside of a turn or a read of the structure, which would wait for itself.
    fn assert_outside(&self);

    /// Looks for a while whether the structure becomes free. If so, the caller leads.
    fn begin_soon(&self) -> bool;

    /// As the leader: carries out an operation as a batch of one.
    fn serve_one(&self, op: O) -> T;

    /// Blocks until the record is signalled.
    fn wait_for_signal(&self, record: &Record<T>) -> Signal;

    /// Queues a task that calls `lead_if_due`.
    fn schedule(&self);

    /// As the leader: takes the batch that has formed. If it is not empty, wakes those in
    /// `answered`, carries the batch out and answers. Returns the number of operations. Afterwards
    /// those in `answered` are to be woken.
    fn take_turn(&self, answered: &mut Vec<Waiter>) -> usize;

    /// Carries out an operation that may change the structure; blocks.
    #[inline]
    fn apply_change(&self, op: O) -> T {
        if self.gate().try_begin() || self.begin_soon() {
            let answer = self.serve_one(op);
            self.end(false);
            answer
        } else {
            self.apply_in_batch(op)
        }
    }

    /// Carries out an operation in a batch, possibly with others; blocks.
    fn apply_in_batch(&self, op: O) -> T {
        self.assert_outside();
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

    /// Becomes the leader, between batches, until it calls `end`.
    fn begin_exclusive(&self) {
        if self.gate().try_begin() {
            return;
        }
        self.assert_outside();
        self.with_record(|record| {
            let guard = AbortOnUnwind;
            // SAFETY: the record stays until it has been appointed, and we do not unwind
            // (`AbortOnUnwind`).
            if unsafe { self.gate().claim(record) } != Entered::Lead {
                let signal = self.wait_for_signal(record);
                debug_assert_eq!(signal, Signal::Lead);
            }
            guard.over();
        });
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

    /// Withdraws a future's operation: afterwards nothing refers to its record. Returns the
    /// operation, if it has not been started.
    fn give_up(&self, record: &Record<T>) -> Option<O> {
        if record.is_done() {
            return None;
        }
        self.gate().take_back(record)
    }

    /// Ends the turn of a leader that has not taken a batch: releases the structure, or goes on.
    /// `claimed` says that it had exclusive access.
    fn end(&self, claimed: bool) {
        if !self.gate().try_end() && self.pass_on(0, claimed, &mut Vec::new()) {
            self.lead();
        }
    }

    /// The same in a poll: others lead what has been entered meanwhile, unless the pool has ended.
    #[inline]
    fn end_in_poll(&self) {
        if !self.gate().try_end() && self.pass_on(usize::MAX, false, &mut Vec::new()) {
            self.lead();
        }
    }

    /// Ends a turn, and then wakes those in `answered` (gate.rs, *free before they wake*). Returns
    /// true if the caller must take a turn again, which wakes them.
    fn pass_on(&self, served: usize, claimed: bool, answered: &mut Vec<Waiter>) -> bool {
        match self.gate().leave(served, claimed) {
            Next::Again => return true,
            Next::Nothing(leader) => {
                wake_all(leader);
                wake_all(answered.drain(..));
            }
            Next::Schedule => {
                // First: what a waker waits for may be entered meanwhile.
                self.schedule();
                wake_all(answered.drain(..));
            }
        }
        false
    }

    /// As the leader: takes the batch that has formed into `requests`, and calls `carry_out` if it
    /// is not empty, which leaves them empty. Returns the number of operations.
    fn serve(
        &self,
        requests: &mut Vec<Request<O, A>>,
        carry_out: impl FnOnce(Waited, &mut [Request<O, A>]),
    ) -> usize {
        let waited = self.gate().take(requests);
        let count = requests.len();
        if count > 0 {
            carry_out(waited, requests);
        }
        // No user's code runs.
        requests.clear();
        count
    }

    /// As the leader: carries out the batch that has formed, and possibly the next ones.
    fn lead(&self) {
        let (mut served, mut answered) = (0, Vec::new());
        loop {
            served += self.take_turn(&mut answered);
            if !self.pass_on(served, false, &mut answered) {
                return;
            }
        }
    }

    /// Runs the queued task. Returns whether it has led.
    fn lead_if_due(&self) -> bool {
        let due = self.gate().begin_scheduled();
        if due {
            self.lead();
        }
        due
    }

    /// Ends a read. If the queued task was `abandoned` in it, this thread leads now.
    fn end_reading(&self, abandoned: bool) {
        self.gate().end_read();
        if abandoned {
            self.abandon_tasks();
        }
    }

    /// Tasks are no longer queued: the calling thread leads, and from now on each thread that
    /// enters an operation. (None of them calls this again, since leaders that abandon each other's
    /// tasks would nest.)
    fn abandon_tasks(&self) {
        self.gate().schedule_no_more();
        self.lead_if_due();
    }
}

/// Calls `part` with each part of a batch, of at most `limit` requests. Those that one has
/// `answered` do not wait for the next.
#[inline]
pub(crate) fn in_parts<R>(
    requests: &mut [R],
    limit: usize,
    answered: &mut Vec<Waiter>,
    mut part: impl FnMut(&mut [R], &mut Vec<Waiter>),
) {
    for requests in requests.chunks_mut(limit) {
        wake_all(answered.drain(..));
        part(requests, answered);
    }
}

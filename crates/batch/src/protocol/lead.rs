//! The leader's part: runs batches on the structure, answers, and passes the structure on.
//!
//! `state` is the leader's (gate.rs, *one leader*), or that of reads (gate/reads.rs).

use crate::{
    error::{BatchError, Failure, Outcome, Panicked, Payload},
    protocol::{
        answer::{answer_all, for_each_index},
        gate::Gate,
        reading::{reading, reads},
        record::{Record, Signal, Waiter, wake_all},
        stats::Counters,
        turns::{Turns, in_parts},
    },
    structure::{BatchedStructure, Reads, Request},
};
use std::{
    cell::UnsafeCell,
    hint,
    panic::{AssertUnwindSafe, catch_unwind},
    ptr,
    sync::{
        Arc, OnceLock, Weak,
        atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering},
    },
    task::Waker,
};
use sumac_core::{ActivityState, HelperGroup, PoolRef, Scope, Snapshot, swallow};

/// How often a caller looks whether the structure has become free before it enters its operation,
/// and for an answer before it helps or sleeps.
const LOOKS_BEFORE: u32 = 8;
const LOOKS_AFTER: u32 = 300;

/// What is touched by every operation comes first, in one or two cache lines.
#[repr(C, align(128))]
pub(crate) struct Core<D: BatchedStructure> {
    pub(crate) gate: Gate<D::Op, D::Answer, Outcome<D::Answer>>,
    pub(crate) poisoned: AtomicBool,
    /// The thread that leads, while it calls users' code; 0 while none does.
    leading: AtomicUsize,
    pub(crate) counters: Counters,
    state: UnsafeCell<State<D>>,
    /// Whether the last operation that was carried out in a poll needed no batch.
    pub(crate) one_by_one: AtomicBool,
    pub(crate) group: HelperGroup,
    pub(super) pool: PoolRef,
    /// No batch is larger.
    pub(crate) limit: AtomicUsize,
    pub(super) activity: ActivityState,
    /// How to queue a task that leads; there once an operation has been submitted.
    pub(super) schedule: OnceLock<fn(&Self)>,
    /// How often a task that leads has been queued where operations needed no batch.
    pub(super) scheduled: AtomicU32,
    pub(super) this: Weak<Self>,
}

/// The leader's.
#[repr(C)]
struct State<D: BatchedStructure> {
    /// Nothing once it has been taken out.
    structure: Option<D>,
    /// Memory for the requests of a batch.
    spare: Vec<Request<D::Op, D::Answer>>,
}

// SAFETY: `state` has one user at a time (*one leader*), so it only moves between threads;
// structures, operations and answers are `Send`. Or it has several that read the structure, which
// is `Sync` then (`Reads`).
unsafe impl<D: BatchedStructure> Sync for Core<D> {}
// SAFETY: as for `Sync`.
unsafe impl<D: BatchedStructure> Send for Core<D> {}

impl<D: BatchedStructure> Core<D> {
    pub(crate) fn new(structure: D, pool: PoolRef) -> Arc<Self> {
        Arc::new_cyclic(|this| Core {
            this: Weak::clone(this),
            gate: Gate::new(),
            counters: Counters::new(),
            group: HelperGroup::new(&pool),
            pool,
            poisoned: AtomicBool::new(false),
            leading: AtomicUsize::new(0),
            limit: AtomicUsize::new(usize::MAX),
            activity: ActivityState::default(),
            schedule: OnceLock::new(),
            one_by_one: AtomicBool::new(false),
            scheduled: AtomicU32::new(0),
            state: UnsafeCell::new(State {
                structure: Some(structure),
                spare: Vec::new(),
            }),
        })
    }

    /// # Safety
    /// The caller leads, and has no other reference to the state.
    #[expect(clippy::mut_from_ref, reason = "the leader has it to itself")]
    unsafe fn state(&self) -> &mut State<D> {
        // SAFETY: the leader's (contract).
        unsafe { &mut *self.state.get() }
    }

    /// Carries out one operation.
    #[inline]
    pub(crate) fn apply(&self, op: D::Op) -> Outcome<D::Answer> {
        match D::READS {
            Some(reads) if (reads.looks)(&op) => self.apply_read(&reads, op),
            _ => self.apply_change(op),
        }
    }

    /// Carries out an operation that only looks: beside others, if no thread leads.
    #[inline]
    fn apply_read(&self, reads: &Reads<D>, op: D::Op) -> Outcome<D::Answer> {
        self.assert_not_reading();
        if self.gate.try_read() || self.read_soon() {
            self.read(reads, op)
        } else {
            self.apply_in_batch(op)
        }
    }

    /// Looks at the structure, after `try_read`, and goes.
    #[inline]
    pub(crate) fn read(&self, reads: &Reads<D>, op: D::Op) -> Outcome<D::Answer> {
        let state = self.state.get();
        // SAFETY: no thread leads while we are there (gate/reads.rs, *reads or leader*). Others
        // that look have shared references, too: there are `Reads` for structures that are `Sync`.
        let structure = unsafe { &(*state).structure };
        let (result, abandoned) = reading(self.address(), || match structure {
            Some(there) if !self.poisoned.load(Ordering::Relaxed) => Ok((reads.answer)(there, op)),
            there => Err(self.refuse(there.is_some(), op)),
        });
        let result = result.unwrap_or_else(|payload| Err(self.panicked(payload).error()));
        self.end_reading(abandoned);
        result
    }

    /// As `begin_soon`, to read.
    #[cold]
    fn read_soon(&self) -> bool {
        look_for(|| self.gate.looks_readable() && self.gate.try_read())
    }

    pub(super) fn address(&self) -> *const () {
        ptr::from_ref(self).cast()
    }

    /// # Panics
    /// Inside of a read of this structure: its next leader waits for the end of that.
    #[inline]
    fn assert_not_reading(&self) {
        if reads(self.address()) {
            self.assert_outside();
        }
    }

    /// As the leader: carries out an operation without `run`, unless the structure leaves it to
    /// that. The way on which all goes well is short, and inlined: operation and answer stay in
    /// registers.
    #[inline]
    pub(crate) fn run_one(&self, op: D::Op) -> Result<Outcome<D::Answer>, D::Op> {
        // SAFETY: we lead.
        let state = unsafe { self.state() };
        self.leading.store(this_thread(), Ordering::Relaxed);
        let result = match &mut state.structure {
            Some(there) if !self.poisoned.load(Ordering::Relaxed) => {
                match catch_unwind(AssertUnwindSafe(|| there.run_one(op))) {
                    Ok(Ok(answer)) => {
                        self.counters.count_single();
                        Ok(Ok(answer))
                    }
                    Ok(Err(op)) => Err(op),
                    Err(payload) => Ok(Err(self.single_panicked(payload))),
                }
            }
            there => Ok(Err(self.refuse(there.is_some(), op))),
        };
        self.leading.store(0, Ordering::Relaxed);
        result
    }

    /// As the leader: carries out an operation as a batch of one.
    #[inline(never)]
    fn run_single(&self, op: D::Op) -> Outcome<D::Answer> {
        // SAFETY: we lead.
        let structure = unsafe { &mut self.state().structure };
        let mut batch = [Request::new(op, 0)];
        self.leading.store(this_thread(), Ordering::Relaxed);
        let result = self
            .group
            .lead(|scope| self.run(structure, scope, &mut batch));
        let [request] = &mut batch;
        // No destructor of a user may keep us from leaving.
        swallow(|| request.drop_op());
        let answer = request.take_answer();
        let result = match result {
            Ok(()) => answer.ok_or_else(BatchError::unanswered),
            Err(failure) => {
                swallow(|| drop(answer));
                Err(failure.error())
            }
        };
        self.leading.store(0, Ordering::Relaxed);
        result
    }

    #[cold]
    fn single_panicked(&self, payload: Payload) -> BatchError {
        self.counters.count_batch(1);
        self.panicked(payload).error()
    }

    /// Does not carry out an operation on what is not there, or poisoned.
    #[cold]
    fn refuse(&self, is_there: bool, op: D::Op) -> BatchError {
        swallow(|| drop(op));
        if is_there {
            BatchError::poisoned()
        } else {
            BatchError::unanswered()
        }
    }

    /// Whether the calling thread is inside of a batch of this structure, or of a read.
    pub(crate) fn is_inside(&self) -> bool {
        // The number first: what ended threads with this number have stored has happened before it
        // was given to us, so we do not see that any more.
        let here = this_thread();
        self.leading.load(Ordering::Relaxed) == here
            || reads(self.address())
            || self.group.is_inside()
    }

    /// Calls `f` with the structure, between batches.
    pub(crate) fn exclusively<R>(&self, f: impl FnOnce(&mut D, &mut Scope<'_>) -> R) -> Outcome<R> {
        self.begin_exclusive();
        // SAFETY: we lead.
        let state = unsafe { self.state() };
        self.leading.store(this_thread(), Ordering::Relaxed);
        // Where `f` is not called, it is dropped after our turn.
        let result = match self.usable(&mut state.structure) {
            Ok(structure) => {
                let call = || self.group.lead(|scope| f(structure, scope));
                catch_unwind(AssertUnwindSafe(call)).map_err(|payload| self.panicked(payload))
            }
            Err(failure) => Err(failure),
        };
        self.leading.store(0, Ordering::Relaxed);
        self.end(true);
        result.map_err(|failure| failure.error())
    }

    /// Takes the structure out: it will not be used any more.
    pub(crate) fn take_structure(&self) -> Option<D> {
        self.begin_exclusive();
        // SAFETY: we lead.
        let structure = unsafe { self.state() }.structure.take();
        self.end(true);
        structure
    }

    fn carry_out(
        &self,
        structure: &mut Option<D>,
        scope: &mut Scope<'_>,
        requests: &mut [Request<D::Op, D::Answer>],
        answered: &mut Vec<Waiter>,
    ) {
        let limit = self.limit.load(Ordering::Relaxed);
        let later = self.one_by_one.load(Ordering::Relaxed);
        self.gate.answering(|answering| {
            in_parts(requests, limit, answered, |batch, answered| {
                let result = self.run(structure, scope, batch);
                answer_all(answering, batch, &result, later, answered);
                // With the payload of a panic, if none of the callers has waited for it.
                swallow(|| drop(result));
            });
            // Requests may have been exchanged for those of another structure's batch.
            let unanswered = || Err(BatchError::unanswered());
            let rest = |index| wake_all(answering.answer(index, unanswered));
            for_each_index(answering.len(), rest);
        });
    }

    /// Runs one batch; a panic poisons.
    fn run(
        &self,
        structure: &mut Option<D>,
        scope: &mut Scope<'_>,
        batch: &mut [Request<D::Op, D::Answer>],
    ) -> Result<(), Failure> {
        let structure = self.usable(structure)?;
        self.counters.count_batch(batch.len());
        catch_unwind(AssertUnwindSafe(|| structure.run(scope, batch)))
            .map_err(|payload| self.panicked(payload))
    }

    fn usable<'s>(&self, structure: &'s mut Option<D>) -> Result<&'s mut D, Failure> {
        if self.poisoned.load(Ordering::Relaxed) {
            return Err(Failure::Poisoned);
        }
        // Who drops a `Batched` may have forgotten futures that wait for it.
        structure.as_mut().ok_or(Failure::Unanswered)
    }

    #[cold]
    fn panicked(&self, payload: Payload) -> Failure {
        self.poisoned.store(true, Ordering::Relaxed);
        Failure::Panicked(Panicked::new(payload))
    }
}

impl<D: BatchedStructure> Turns<D::Op, D::Answer, Outcome<D::Answer>> for Core<D> {
    fn gate(&self) -> &Gate<D::Op, D::Answer, Outcome<D::Answer>> {
        &self.gate
    }

    fn assert_outside(&self) {
        assert!(
            !self.is_inside(),
            "a batch of a structure must not use the structure itself: it would wait for its own end"
        );
    }

    /// Less and less often: who has it is quicker when no thread looks.
    #[cold]
    fn begin_soon(&self) -> bool {
        self.assert_not_reading();
        look_for(|| self.gate.begin_among_reads())
    }

    #[inline]
    fn serve_one(&self, op: D::Op) -> Outcome<D::Answer> {
        self.run_one(op).unwrap_or_else(|op| self.run_single(op))
    }

    fn wait_for_signal(&self, record: &Record<Outcome<D::Answer>>) -> Signal {
        for _ in 0..LOOKS_AFTER {
            if let Some(signal) = record.signal() {
                return signal;
            }
            hint::spin_loop();
        }
        let watch = |waker: &Waker| record.watch(Waiter(waker.clone()));
        self.group.wait(|| record.signal().is_some(), watch);
        record.signal().expect("there is one")
    }

    fn schedule(&self) {
        let schedule = self.schedule.get().expect("something was submitted");
        schedule(self);
    }

    fn take_turn(&self, answered: &mut Vec<Waiter>) -> usize {
        // SAFETY: we lead.
        let State { structure, spare } = unsafe { self.state() };
        self.serve(spare, |waited, requests| {
            self.counters.count_wait(waited);
            self.leading.store(this_thread(), Ordering::Relaxed);
            // Whose operations these are is not known.
            Snapshot::NONE.around(|| {
                self.group
                    .lead(|scope| self.carry_out(structure, scope, requests, answered));
            });
            self.leading.store(0, Ordering::Relaxed);
        })
    }
}

/// A `Batched` that was dropped in its own batch has left the structure here. The thread that comes
/// last is not to blame for its panics.
impl<D: BatchedStructure> Drop for Core<D> {
    fn drop(&mut self) {
        let structure = self.state.get_mut().structure.take();
        swallow(|| drop(structure));
    }
}

/// Whether it comes true soon: looks less and less often.
pub(crate) fn look_for(mut done: impl FnMut() -> bool) -> bool {
    (0..LOOKS_BEFORE).any(|look| {
        (0..1 << look).for_each(|_| hint::spin_loop());
        done()
    })
}

/// A number that no other thread has.
#[inline]
fn this_thread() -> usize {
    thread_local! {
        static HERE: u8 = const { 0 };
    }
    HERE.with(|here| ptr::from_ref(here).addr())
}

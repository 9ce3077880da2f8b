//! What surrounds a gate: a structure, callers of each kind, tasks that lead.
//!
//! Turns, the gate and its records are the real ones. What `Core` (lead.rs) and `TrySubmit`
//! (submit.rs) do around a turn is copied, since they run users' code in the scheduler: between a
//! beginning and the `end` that belongs to it, they carry out or look; each request of a batch is
//! answered once; a future leaves a waker before it enters its operation, and gives up when it is
//! dropped. The tests of `tests/batched` run that. A task that is queued is a thread. After one
//! batch a leader passes the structure on (`EXTRA` is 1 here). The structure counts how often each
//! operation has been carried out, and its leaders need no other order than the gate's: loom checks
//! that.

use super::{Fault, planted};
use crate::protocol::{
    Gate,
    record::{Record, Signal, Waiter, wake_all},
    turns::{Turns, in_parts},
};
use loom::{
    cell::UnsafeCell,
    sync::Notify,
    thread::{self, JoinHandle, ThreadId},
};
use std::{
    sync::{Arc, Mutex, Weak},
    task::{Wake, Waker},
};

/// An operation is its number, its answer is this more.
const ANSWER: usize = 100;

/// What becomes of a task that is queued.
#[derive(Clone, Copy)]
pub(super) enum Pool {
    /// A thread runs it.
    Runs,
    /// No thread does until the pool ends.
    Stuck,
    /// The thread that queues it is told that the pool has ended.
    Ended,
}

pub(super) struct World {
    pub(super) gate: Gate<usize, usize, usize>,
    /// How often each operation has been carried out.
    structure: UnsafeCell<[usize; 4]>,
    pool: Pool,
    /// Tasks that were queued. No thread holds these locks while loom changes threads, so they are
    /// std's.
    tasks: Mutex<Vec<JoinHandle<()>>>,
    /// The records that are over: no thread may touch them, and only loom is to notice.
    retired: Mutex<Vec<Box<Record<usize>>>>,
    /// Which threads have been appointed, each time.
    appointed: Mutex<Vec<ThreadId>>,
    this: Weak<Self>,
}

// SAFETY: none needed: loom checks each access to the cell.
unsafe impl Sync for World {}
// SAFETY: as for `Sync`.
unsafe impl Send for World {}

impl World {
    pub(super) fn new() -> Arc<Self> {
        World::with_pool(Pool::Runs)
    }

    pub(super) fn with_pool(pool: Pool) -> Arc<Self> {
        Arc::new_cyclic(|this| World {
            gate: Gate::new(),
            structure: UnsafeCell::new([0; 4]),
            pool,
            tasks: Mutex::new(Vec::new()),
            retired: Mutex::new(Vec::new()),
            appointed: Mutex::new(Vec::new()),
            this: Weak::clone(this),
        })
    }

    /// The structure: carries out an operation.
    fn run(&self, op: usize) -> usize {
        // SAFETY: we lead; loom checks.
        self.structure.with_mut(|s| unsafe { (*s)[op] += 1 });
        op + ANSWER
    }

    /// A caller that blocks.
    pub(super) fn apply(&self, op: usize) {
        assert_eq!(self.apply_change(op), op + ANSWER, "not the answer");
    }

    /// The first poll of a future that finds the structure free. False if it is in use.
    pub(super) fn apply_at_once(&self, op: usize) -> bool {
        let free = self.gate.try_begin();
        if free {
            self.run(op);
            self.end_in_poll();
        }
        free
    }

    /// A caller that only looks. How often the operation has been carried out, if there was no
    /// leader.
    pub(super) fn read(&self, op: usize) -> Option<usize> {
        self.read_and_end(op, false)
    }

    /// The same, and in the read the pool ends.
    pub(super) fn read_and_abandon(&self, op: usize) -> Option<usize> {
        self.read_and_end(op, true)
    }

    fn read_and_end(&self, op: usize, abandoned: bool) -> Option<usize> {
        // SAFETY: we read; loom checks.
        let times = || self.structure.with(|s| unsafe { (*s)[op] });
        if self.gate.try_read() {
            let leads = abandoned && !planted(Fault::AbandonedForgotten);
            let times = times();
            self.end_reading(leads);
            return Some(times);
        }
        planted(Fault::ReadDespiteLeader).then(times)
    }

    /// A caller that blocks and has found the structure in use.
    pub(super) fn apply_with_others(&self, op: usize) {
        assert_eq!(self.apply_in_batch(op), op + ANSWER, "not the answer");
    }

    /// A caller that wants the structure for itself. Whether it had to wait.
    pub(super) fn exclusively(&self, op: usize) -> bool {
        let here = thread::current().id();
        let appointed = || {
            let all = self.appointed.lock().expect("no panic");
            all.iter().filter(|thread| **thread == here).count()
        };
        let before = appointed();
        self.begin_exclusive();
        self.run(op);
        self.end(true);
        appointed() > before
    }

    /// How often threads have been appointed, callers and those that claim.
    pub(super) fn appointed(&self) -> usize {
        self.appointed.lock().expect("no panic").len()
    }

    fn retire(&self, mut record: Box<Record<usize>>) {
        record.retire();
        self.retired.lock().expect("no panic").push(record);
    }

    /// When the callers have ended: waits for the tasks. Afterwards the structure is free, and each
    /// operation has been carried out as often as this says.
    pub(super) fn audit(&self, expected: [usize; 4]) {
        loop {
            let task = self.tasks.lock().expect("no panic").pop();
            let Some(task) = task else { break };
            task.join().expect("a task ends");
        }
        assert!(self.gate.try_begin(), "the structure is not free");
        // SAFETY: we lead; loom checks.
        let ran = self.structure.with(|s| unsafe { *s });
        assert_eq!(ran, expected, "not carried out once");
    }
}

impl Turns<usize, usize, usize> for World {
    fn gate(&self) -> &Gate<usize, usize, usize> {
        &self.gate
    }

    fn with_record<R>(&self, f: impl FnOnce(&Record<usize>) -> R) -> R {
        let record = Box::new(Record::new());
        let result = f(&record);
        self.retire(record);
        result
    }

    fn assert_outside(&self) {}

    fn begin_soon(&self) -> bool {
        self.gate.begin_among_reads()
    }

    fn serve_one(&self, op: usize) -> usize {
        self.run(op)
    }

    fn wait_for_signal(&self, record: &Record<usize>) -> Signal {
        self.gate.forget();
        loop {
            if let Some(signal) = record.signal() {
                if signal == Signal::Lead {
                    let here = thread::current().id();
                    self.appointed.lock().expect("no panic").push(here);
                }
                return signal;
            }
            if record.watch(super::here()) {
                thread::park();
            }
        }
    }

    fn schedule(&self) {
        match self.pool {
            Pool::Runs => {}
            Pool::Stuck => return,
            Pool::Ended => return self.abandon_tasks(),
        }
        let world = self.this.upgrade().expect("it is in use");
        let task = thread::spawn(move || {
            world.lead_if_due();
        });
        self.tasks.lock().expect("no panic").push(task);
    }

    fn take_turn(&self, answered: &mut Vec<Waiter>) -> usize {
        self.serve(&mut Vec::new(), |waited, requests| {
            // After its own turn, one of a claim.
            assert!(waited.turns <= 1, "waits for two turns");
            // A structure may permute them.
            requests.reverse();
            // SAFETY: we lead; loom checks.
            let ran: usize = self.structure.with(|s| unsafe { (*s).iter().sum() });
            let later = ran % 2 == 0;
            self.gate.answering(|answering| {
                in_parts(requests, usize::MAX, answered, |requests, answered| {
                    for request in &mut *requests {
                        let op = request.take_op();
                        request.answer(self.run(op));
                    }
                    for request in requests {
                        let answer = request.take_answer().expect("it has been run");
                        let waiter = answering.answer(request.index(), || answer);
                        let waiter = waiter.filter(|_| !planted(Fault::AnswerWakesNobody));
                        if later {
                            answered.extend(waiter);
                        } else {
                            wake_all(waiter);
                        }
                    }
                });
            });
        })
    }
}

/// An operation that was submitted, and the executor of its future.
pub(super) struct Submitted<'w> {
    world: &'w World,
    record: Box<Record<usize>>,
    op: usize,
    sleeper: Arc<Sleeper>,
}

/// In which state an owner that gave up has found its operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    Forming,
    Taken,
    BeingAnswered,
    Done,
}

impl Found {
    /// How often the operation is carried out then.
    pub(super) fn times(self) -> usize {
        usize::from(self != Found::Forming)
    }
}

/// The first poll of a future.
pub(super) fn submit(world: &World, op: usize) -> Submitted<'_> {
    let sleeper = Sleeper::new();
    let mut record = Box::new(Record::new());
    record.watch_first(sleeper.waiter());
    // SAFETY: the record stays until it is done or taken back.
    unsafe { world.enter_submitted(op, &record) };
    Submitted {
        world,
        record,
        op,
        sleeper,
    }
}

impl Submitted<'_> {
    /// A later poll. Whether it is ready.
    fn poll(&self) -> bool {
        let ready = self.record.poll(|| self.sleeper.waiter());
        if ready {
            let answer = self.record.take();
            assert_eq!(answer, Some(self.op + ANSWER), "not the answer");
        }
        ready
    }

    /// A later poll with another waker. Whether it is ready.
    pub(super) fn poll_elsewhere(&mut self) -> bool {
        self.sleeper = Sleeper::new();
        self.poll()
    }

    /// Is polled whenever it is woken, until it is ready.
    pub(super) fn settle(self) {
        loop {
            self.sleeper.0.wait();
            if self.poll() {
                break;
            }
        }
        self.world.retire(self.record);
    }

    /// Drops the future.
    pub(super) fn give_up(self) -> Found {
        let found = self.take_back();
        self.world.retire(self.record);
        found
    }

    fn take_back(&self) -> Found {
        if self.record.is_done() {
            return Found::Done;
        }
        let goes = planted(Fault::GoWithoutTakingBack);
        let op = (!goes).then(|| self.world.give_up(&self.record));
        match op.flatten() {
            Some(op) => {
                assert_eq!(op, self.op, "not the operation");
                Found::Forming
            }
            None if self.record.is_done() => Found::BeingAnswered,
            None => Found::Taken,
        }
    }
}

/// Wakes once for no reason too, as loom's notices do.
struct Sleeper(Notify);

impl Sleeper {
    fn new() -> Arc<Self> {
        Arc::new(Sleeper(Notify::new()))
    }

    fn waiter(self: &Arc<Self>) -> Waiter {
        Waiter(Waker::from(Arc::clone(self)))
    }
}

impl Wake for Sleeper {
    fn wake(self: Arc<Self>) {
        self.0.notify();
    }
}

//! The gate of a batched structure: who has the structure, who waits, and which operations form the
//! next batch.
//!
//! One word says it:
//!
//! ```text
//!   BUSY       a thread has the structure: the *leader*
//!   PENDING    operations are entered for the next batch
//!   SCHEDULED  a task of the pool has been queued that will lead if no other thread does
//! ```
//!
//! Above these bits the word counts the reads that are at the structure while there is no leader
//! (reads.rs). An operation that finds none of the bits sets `BUSY` and is a batch of its own: two
//! atomic operations in all. Others are *entered*, under the lock: their request goes to the end of
//! the batch that is forming, with a pointer to their record (record.rs) in the same place of
//! `slots`.
//! Who leads takes all of that at once; meanwhile the next batch forms. Blocking callers, and those
//! who want the structure for themselves (*claims*), may be appointed to lead; for futures a task
//! is queued, whose place lead.rs chooses. (Once the pool has ended, a thread that enters an
//! operation leads, and once the thread that was told of its end.)
//!
//! Invariants:
//! * **One leader.** `BUSY` is set by a thread that finds it unset, and then waits for the reads
//!   that are there; or it is passed on (`appoint`). The thread that has it is the leader until it
//!   unsets it or passes it on. Only the leader changes the structure and takes batches. So at most
//!   one batch runs at a time.
//! * **Nothing forgotten.** `PENDING` is set whenever an operation is entered and not taken. Where
//!   it is set, `BUSY` is too and the leader will look after unsetting it fails, or `SCHEDULED` is.
//!   `PENDING`, `SCHEDULED`, and `BUSY` where `PENDING` is set, change only under the lock.
//! * **Each once.** A request is in one batch; its record is answered by who empties its slot.
//! * **Taken back.** An owner that gives up empties its slot. In the forming batch it does so under
//!   the lock, and takes its operation with it; in a batch that was taken, the answer is dropped.
//!   If a leader has emptied the slot first, it is about to answer: the owner waits for that. The
//!   slots of a taken batch keep their places until all have been emptied, and the next change is
//!   made under `taken`'s lock for writing.
//! * **Free before they wake.** Where the last operation in a poll needed no batch, the owners of a
//!   batch's records are woken when the turn has ended (record.rs gives their wakers out for that),
//!   so that what they do next finds the structure free. If the leader carries out another batch
//!   first, also a part of a limited one, it wakes them before that, inside of its turn (not if the
//!   pool has just ended: then it wakes them at last). Where operations need batches, it wakes each
//!   as it answers it: they enter what they do next.
//! * **Order of arrival.** The requests of a batch are in the order in which they were entered.
//!   Those that were taken back leave *gaps*, with an empty slot. Gaps go when the batch is taken,
//!   and earlier where they are more than half of it: so taking back costs amortised constant time,
//!   and a forming batch that is not empty has a request that waits.
//!
//! Bounds:
//! * **Two turns.** An operation waits for at most two turns of others before its batch begins: the
//!   one that it meets, and one claim. For when the turn that it meets ends, `leave` finds it under
//!   the lock. After a claim's turn its batch is next; after a batch's turn one claim may come
//!   first, after which its batch is next. `Batched::stats` measures it.
//! * **There is a leader.** Each `leave` that finds operations takes their batch, or appoints a
//!   caller that waits for nothing else, or queues a task. So operations wait only while a thread
//!   leads or is about to be run.
//! * **Leaders are let go.** Once its own operation is done, a leader begins no other batch after
//!   it has carried out `EXTRA` operations.
//! * **Time.** Let a program have work T1 and span T∞ and do n operations, all blocking, so that a
//!   batch has at most P of them; let W(n) be their work and s(P) the span of a batch. Around its
//!   batch an operation costs O(1) here. A worker that waits helps with the batches that it waits
//!   for, or sees none of their jobs; then all of them that is ready is running, and the rest of
//!   the batch's span becomes shorter. So an operation keeps its worker from other work for
//!   O(s(P)): n s(P) in all, over P workers. Along the critical path this happens T∞ times at the
//!   most. All told O((T1 + W(n) + n s(P)) / P + s(P) T∞): the bound of BATCHER (Agrawal, Fineman,
//!   Lu, Sheridan, Sukha, Utterback, SPAA 2014), whose proof this sketches. Its scheduler also
//!   bounds what deque a thief looks into; ours does not, so in expectation it is the same only
//!   where workers find each other quickly.

#[cfg(all(test, loom))]
pub(crate) mod faulty;
mod reads;

use crate::{
    primitive::{
        AtomicPtr, AtomicU32, Mutex, MutexGuard, Ordering, RwLock, RwLockReadGuard,
        RwLockWriteGuard, coarse_nanos, lock,
    },
    protocol::record::{Record, Waiter},
    structure::Request,
};
use std::{collections::VecDeque, mem, ptr, sync::PoisonError};

const BUSY: u32 = 1;
const PENDING: u32 = 2;
const SCHEDULED: u32 = 4;

/// How many operations of others a leader carries out before it passes the structure on: in models
/// it does so soon.
const EXTRA: usize = if cfg!(loom) { 1 } else { 64 };

type Slot<T> = AtomicPtr<Record<T>>;

/// What a thread that has entered an operation has to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entered {
    /// The structure is the caller's: lead.
    Lead,
    /// Wait.
    Wait,
    /// Queue a task that calls `begin_scheduled`.
    Schedule,
}

/// What a leader does next.
pub(crate) enum Next {
    /// Take the next batch.
    Again,
    /// Nothing: the structure is free, or another thread's, which is to be woken.
    Nothing(Option<Waiter>),
    /// Queue a task that calls `begin_scheduled`.
    Schedule,
}

pub(crate) struct Gate<O, A, T> {
    word: AtomicU32,
    /// Elsewhere in memory than the word, which is passed between processors together with what its
    /// holder has beside it.
    waiters: Box<Waiters<O, A, T>>,
}

/// The operations that did not find the structure free.
struct Waiters<O, A, T> {
    forming: Mutex<Forming<O, A, T>>,
    /// The records of the batch that runs.
    taken: RwLock<Vec<Slot<T>>>,
}

/// What changes under the lock.
struct Forming<O, A, T> {
    requests: Vec<Request<O, A>>,
    slots: Vec<Slot<T>>,
    /// How many of them have been taken back (*order of arrival*).
    gaps: usize,
    /// Counts the batches that have been taken.
    batch: u64,
    /// The first blocking caller among `slots`.
    blocking: *const Record<T>,
    /// Those who want the structure for themselves.
    claims: VecDeque<*const Record<T>>,
    /// How many leaders have begun something: to measure waits in.
    turns: u64,
    /// `turns` and the clock when the oldest request was entered.
    since: (u64, u64),
    /// There is no pool any more to queue tasks in.
    unscheduled: bool,
}

/// How long the oldest request of a batch has waited for the batch to begin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waited {
    /// The turns of others that have begun and ended meanwhile; not counting the one that it met.
    pub(crate) turns: u64,
    pub(crate) nanos: u64,
}

// SAFETY: records are pointed to across threads, and are `Sync`; what is in them and in the
// requests moves between threads.
unsafe impl<O: Send, A: Send, T: Send> Send for Forming<O, A, T> {}

impl<O, A, T> Forming<O, A, T> {
    /// Closes the gaps: the requests that are left keep their order, and they and their records
    /// learn their new places. No user code runs: gaps have neither an operation nor an answer.
    fn close_gaps(&mut self) {
        let mut place = 0;
        for index in 0..self.slots.len() {
            let record = self.slots[index].load(Ordering::Relaxed);
            if record.is_null() {
                continue;
            }
            self.slots.swap(place, index);
            self.requests.swap(place, index);
            self.requests[place].set_index(place);
            // SAFETY: entered and not taken back, so it stays (*stays*): its owner needs the lock,
            // which we have, to take it back.
            let record = unsafe { &*record };
            record.index.store(place, Ordering::Relaxed);
            place += 1;
        }
        self.slots.truncate(place);
        self.requests.truncate(place);
        self.gaps = 0;
    }
}

impl<O, A, T> Gate<O, A, T> {
    pub(crate) fn new() -> Self {
        let forming = Forming {
            requests: Vec::new(),
            slots: Vec::new(),
            gaps: 0,
            batch: 0,
            blocking: ptr::null(),
            claims: VecDeque::new(),
            turns: 0,
            since: (0, 0),
            unscheduled: false,
        };
        Gate {
            word: AtomicU32::new(0),
            waiters: Box::new(Waiters {
                forming: Mutex::new(forming),
                taken: RwLock::new(Vec::new()),
            }),
        }
    }

    fn forming(&self) -> MutexGuard<'_, Forming<O, A, T>> {
        lock(&self.waiters.forming)
    }

    fn taken(&self) -> RwLockReadGuard<'_, Vec<Slot<T>>> {
        let taken = self.waiters.taken.read();
        taken.unwrap_or_else(PoisonError::into_inner)
    }

    fn taken_mut(&self) -> RwLockWriteGuard<'_, Vec<Slot<T>>> {
        let taken = self.waiters.taken.write();
        taken.unwrap_or_else(PoisonError::into_inner)
    }

    /// Enters an operation into the batch that is forming.
    ///
    /// # Safety
    /// The record stays where it is until it is done or has been taken back (record.rs, *stays*).
    /// If it is `blocking`, its owner will lead when it is told so.
    pub(crate) unsafe fn enter(&self, op: O, record: &Record<T>, blocking: bool) -> Entered {
        let mut forming = self.forming();
        let index = forming.requests.len();
        record.batch.store(forming.batch, Ordering::Relaxed);
        record.index.store(index, Ordering::Relaxed);
        if index == 0 {
            forming.since = (forming.turns, coarse_nanos());
        }
        forming.requests.push(Request::new(op, index));
        forming
            .slots
            .push(Slot::new(ptr::from_ref(record).cast_mut()));
        if blocking && forming.blocking.is_null() {
            forming.blocking = record;
        }
        let leads = blocking || forming.unscheduled;
        let known = self.word.load(Ordering::Relaxed);
        if known & PENDING != 0 && known & (if leads { BUSY } else { BUSY | SCHEDULED }) != 0 {
            // None of that changes while we have the lock.
            return Entered::Wait;
        }
        if leads {
            // Where there is no leader, we lead.
            let before = self.word.fetch_or(PENDING | BUSY, Ordering::AcqRel);
            if before & BUSY != 0 {
                return Entered::Wait;
            }
            drop(forming);
            self.drain();
            return Entered::Lead;
        }
        let before = self.word.fetch_or(PENDING, Ordering::AcqRel);
        if before & (BUSY | SCHEDULED) != 0 {
            return Entered::Wait;
        }
        self.word.fetch_or(SCHEDULED, Ordering::Relaxed);
        Entered::Schedule
    }

    /// Asks for the structure for oneself. If the result is `Wait`, the record will be appointed.
    ///
    /// # Safety
    /// The record stays where it is until it has been appointed.
    pub(crate) unsafe fn claim(&self, record: &Record<T>) -> Entered {
        let mut forming = self.forming();
        // As if an operation were entered: so that the leader looks here.
        let before = self.word.fetch_or(PENDING | BUSY, Ordering::AcqRel);
        if before & BUSY == 0 {
            forming.turns += 1;
            drop(forming);
            self.drain();
            return Entered::Lead;
        }
        forming.claims.push_back(record);
        Entered::Wait
    }

    /// The scheduled task runs: whether it is to lead.
    pub(crate) fn begin_scheduled(&self) -> bool {
        let forming = self.forming();
        let before = self.word.fetch_and(!SCHEDULED, Ordering::AcqRel);
        if before & BUSY != 0 || before & PENDING == 0 {
            return false;
        }
        self.word.fetch_or(BUSY, Ordering::AcqRel);
        drop(forming);
        self.drain();
        true
    }

    /// The pool has ended: tasks are not to be queued any more. A thread that enters an operation
    /// leads then, if there is no leader.
    pub(crate) fn schedule_no_more(&self) {
        self.forming().unscheduled = true;
    }

    /// Leader: takes the batch that has formed. `requests` is empty, and swapped for the batch's.
    pub(crate) fn take(&self, requests: &mut Vec<Request<O, A>>) -> Waited {
        debug_assert!(requests.is_empty());
        let mut forming = self.forming();
        let mut taken = self.taken_mut();
        debug_assert!(taken.is_empty());
        if forming.gaps > 0 {
            forming.close_gaps();
        }
        mem::swap(&mut forming.requests, requests);
        mem::swap(&mut forming.slots, &mut taken);
        forming.batch += 1;
        forming.blocking = ptr::null();
        let (turns, nanos) = forming.since;
        let waited = Waited {
            turns: forming.turns - turns,
            nanos: coarse_nanos().saturating_sub(nanos),
        };
        forming.turns += 1;
        waited
    }

    /// Leader: calls `f` with what answers requests of the batch that was taken.
    pub(crate) fn answering<R>(&self, f: impl FnOnce(&Answering<'_, T>) -> R) -> R {
        let taken = self.taken();
        f(&Answering { slots: &taken })
    }

    /// Leader: its turn is over. All records of a batch that it had taken have been answered.
    /// `served` says how many operations it has carried out since its own was done; `claimed` that
    /// it had the structure for itself.
    pub(crate) fn leave(&self, served: usize, claimed: bool) -> Next {
        let mut forming = self.forming();
        self.taken_mut().clear();
        let waits = !forming.requests.is_empty();
        // Claims and batches take turns.
        if !(claimed && waits) {
            if let Some(claim) = forming.claims.pop_front() {
                forming.turns += 1;
                // SAFETY: who claims stays until it is appointed, and no other thread appoints what
                // we have taken out.
                return Next::Nothing(unsafe { Record::appoint(claim) });
            }
        }
        if !waits {
            self.word.fetch_and(SCHEDULED, Ordering::AcqRel);
            return Next::Nothing(None);
        }
        if served < EXTRA && !claimed {
            return Next::Again;
        }
        if !forming.blocking.is_null() {
            let next = mem::replace(&mut forming.blocking, ptr::null());
            // SAFETY: a blocking caller stays until it is done, and only leaders signal it.
            return Next::Nothing(unsafe { Record::appoint(next) });
        }
        if claimed || forming.unscheduled {
            // The next claim must not come before the task that we could queue.
            return Next::Again;
        }
        let before = self.word.fetch_or(SCHEDULED, Ordering::Relaxed);
        self.word.fetch_and(!BUSY, Ordering::AcqRel);
        if before & SCHEDULED == 0 {
            Next::Schedule
        } else {
            Next::Nothing(None)
        }
    }

    /// The owner of a record that was entered gives up: afterwards nothing refers to the record.
    /// The result is the operation, if it has not been begun.
    pub(crate) fn take_back(&self, record: &Record<T>) -> Option<O> {
        let mut forming = self.forming();
        if record.batch.load(Ordering::Relaxed) == forming.batch {
            let index = record.index.load(Ordering::Relaxed);
            let op = forming.requests[index].take_op();
            forming.slots[index].store(ptr::null_mut(), Ordering::Relaxed);
            forming.gaps += 1;
            if forming.gaps * 2 > forming.slots.len() {
                forming.close_gaps();
            }
            return Some(op);
        }
        drop(forming);
        let taken = self.taken();
        // While it is not done, its batch is the one that is taken, and stays so while we have the
        // lock.
        if !record.is_done() {
            let slot = &taken[record.index.load(Ordering::Relaxed)];
            let emptied = !slot.swap(ptr::null_mut(), Ordering::AcqRel).is_null();
            drop(taken);
            if !emptied {
                record.wait_for_the_end();
            }
        }
        None
    }
}

/// The records of a batch, to be answered.
pub(crate) struct Answering<'g, T> {
    slots: &'g [Slot<T>],
}

impl<T> Answering<'_, T> {
    pub(crate) fn len(&self) -> usize {
        self.slots.len()
    }

    /// Answers the record at `index` if its owner still waits and it is not answered. Its owner
    /// may be waiting for the end of that, so `outcome` neither runs users' code nor panics. The
    /// result is to be woken.
    pub(crate) fn answer(&self, index: usize, outcome: impl FnOnce() -> T) -> Option<Waiter> {
        let slot = self.slots.get(index)?;
        let record = slot.swap(ptr::null_mut(), Ordering::AcqRel);
        if record.is_null() {
            return None;
        }
        // SAFETY: we have emptied its slot: its owner waits for us (*taken back*), and no other
        // thread answers it (*each once*).
        unsafe { Record::finish(record, outcome()) }
    }
}

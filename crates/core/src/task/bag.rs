//! The bag of a scope: its tasks that nobody has begun, and who is at work on them.
//!
//! The pool's queue holds not the tasks but *tickets*: "come and run tasks of this bag until it is empty". At most one
//! ticket of a bag is queued at a time; whoever takes it and finds more than one task queues another first, so workers
//! come as fast as they can wake one another, and only while there is something for them. A ticket that is
//! taken too late finds nothing to do.
//!
//! * **Nothing outlives the scope.** Its owner leaves when the bag is empty and nobody is at work on it
//!   (`over`); tasks are put in by the owner or by tasks at work, so then it is so for good. Whoever is at work has run and
//!   dropped a task before it says that it no longer is. So the tasks' lifetimes may be erased. A ticket that is still queued
//!   holds the bag's memory, not its tasks.
//! * All that is run here descends from one `job`, for the owner to recognise what it may help with, and through
//!   `awaited_by`, from the run that the scope lies in.
//! * A thief takes the oldest task first, then the newest; the owner takes the newest.

use super::{completion::Bell, queue::Queued, scope::TaskScope, seat};
use crate::{
    job::{Job, Payload},
    member::Member,
    primitive::lock,
    run::{self, Run},
    shared::Shared,
    thread::{self, Thread},
    unwind,
    wait::{self, Awaited},
};
use std::{
    collections::VecDeque,
    panic::{self, AssertUnwindSafe},
    ptr::{self, NonNull},
    sync::{
        Arc, Mutex, Weak,
        atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering},
    },
    time::Duration,
};

pub(crate) type Item = Box<dyn FnOnce(&TaskScope<'static>) + Send>;

pub(crate) struct Bag {
    job: Job,
    awaited_by: AtomicPtr<Run>,
    pool: Weak<Shared>,
    cancelled: AtomicBool,
    /// How many tasks and how many workers there are. Written under the lock.
    items: AtomicUsize,
    workers: AtomicUsize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    items: VecDeque<Item>,
    /// A ticket is in a queue of the pool.
    ticket: bool,
    /// Who is at work, and how deep.
    takers: Vec<Taker>,
    /// Where the owner sleeps.
    owner: Option<Arc<Bell>>,
    panic: Option<Payload>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Taker {
    member: NonNull<Member>,
    level: u32,
}

// SAFETY: only a name of a member here.
unsafe impl Send for Taker {}

#[derive(Clone, Copy)]
enum End {
    Oldest,
    Newest,
}

impl Bag {
    /// The bag of a scope that the calling thread owns.
    pub(crate) fn new(pool: Weak<Shared>) -> Arc<Self> {
        let run = thread::with(|thread| thread.run().0).unwrap_or(ptr::null());
        Arc::new(Bag {
            job: Job::new(ptr::null()),
            awaited_by: AtomicPtr::new(run.cast_mut()),
            pool,
            cancelled: AtomicBool::new(false),
            items: AtomicUsize::new(0),
            workers: AtomicUsize::new(0),
            state: Mutex::new(State::default()),
        })
    }

    /// Puts a task in. In a cancelled scope it is dropped.
    pub(crate) fn add(self: &Arc<Self>, item: Item) {
        let mut state = lock(&self.state);
        if self.is_cancelled() {
            drop(state);
            return self.call(|| drop(item));
        }
        state.items.push_back(item);
        self.items.store(state.items.len(), Ordering::Relaxed);
        let ticket = !std::mem::replace(&mut state.ticket, true);
        let owner = state.owner.take();
        drop(state);
        if ticket {
            self.queue_ticket();
        }
        if let Some(owner) = owner {
            owner.0.unpark();
        }
    }

    fn queue_ticket(self: &Arc<Self>) {
        let ticket: Arc<dyn Queued> = Arc::<Bag>::clone(self);
        let mut ticket = Some(ticket);
        let queued = seat::at(&self.pool, |_, me, _| {
            if let Some(ticket) = ticket.take() {
                me.shared().queue(me, ticket);
            }
        });
        if let (None, Some(pool), Some(ticket)) = (queued, self.pool.upgrade(), ticket) {
            pool.queue_from_anywhere(ticket);
        }
    }

    fn take(&self, state: &mut State, end: End) -> Option<Item> {
        let item = match end {
            End::Oldest => state.items.pop_front(),
            End::Newest => state.items.pop_back(),
        };
        self.items.store(state.items.len(), Ordering::Relaxed);
        item
    }

    /// Calls `f`; the bag's first panic is kept for the owner.
    fn call(&self, f: impl FnOnce()) {
        let Err(payload) = panic::catch_unwind(AssertUnwindSafe(f)) else {
            return;
        };
        let later = {
            let mut state = lock(&self.state);
            match state.panic {
                None => {
                    state.panic = Some(payload);
                    None
                }
                Some(_) => Some(payload),
            }
        };
        if let Some(later) = later {
            unwind::discard(later);
        }
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    pub(crate) fn cancel(&self) {
        let items = {
            let mut state = lock(&self.state);
            self.cancelled.store(true, Ordering::Relaxed);
            self.items.store(0, Ordering::Relaxed);
            std::mem::take(&mut state.items)
        };
        for item in items {
            self.call(|| drop(item));
        }
    }

    /// Runs tasks for as long as there are any.
    fn work(self: &Arc<Self>, taker: Taker) {
        let scope = TaskScope::of(Arc::clone(self));
        let mut end = End::Oldest;
        loop {
            let mut state = lock(&self.state);
            let Some(item) = self.take(&mut state, end) else {
                return self.leave(state, taker);
            };
            let ticket = !state.items.is_empty() && !std::mem::replace(&mut state.ticket, true);
            drop(state);
            if ticket {
                self.queue_ticket();
            }
            self.call(|| item(&scope));
            end = End::Newest;
        }
    }

    fn leave(&self, mut state: std::sync::MutexGuard<'_, State>, taker: Taker) {
        let at = state.takers.iter().position(|&t| t == taker);
        state
            .takers
            .swap_remove(at.expect("whoever works is a taker"));
        // Whoever sees that nobody is at work any more sees what was done.
        self.workers.store(state.takers.len(), Ordering::Release);
        let last = state.takers.is_empty();
        let owner = state.owner.take_if(|_| last);
        drop(state);
        if let Some(owner) = owner {
            owner.0.unpark();
        }
    }

    /// For the owner: runs tasks and waits until the scope is over. The first panic of a task.
    pub(crate) fn finish(self: &Arc<Self>) -> Option<Payload> {
        if !self.is_over() {
            seat::inside(&self.pool, |me| self.finish_at(me));
        }
        let mut state = lock(&self.state);
        let ticket = state.ticket;
        let panic = state.panic.take();
        drop(state);
        if ticket {
            let this = Arc::as_ptr(self).cast();
            seat::at(&self.pool, |_, me, _| me.tasks.remove(this));
        }
        panic
    }

    fn finish_at(self: &Arc<Self>, me: Option<&Member>) {
        let scope = TaskScope::of(Arc::clone(self));
        let waiting = Waiting {
            bag: self,
            bell: Bell::new(),
        };
        while !self.is_over() {
            let item = self.take(&mut lock(&self.state), End::Newest);
            if let Some(item) = item {
                self.call(|| item(&scope));
                continue;
            }
            let help = !std::thread::panicking();
            let waited =
                me.and_then(|me| thread::with(|thread| wait::until(thread, me, &waiting, help)));
            while waited.is_none() && waiting.outcome().is_none() {
                waiting.nap(None);
            }
        }
    }

    fn is_over(&self) -> bool {
        let state = lock(&self.state);
        state.items.is_empty() && state.takers.is_empty()
    }
}

impl Queued for Bag {
    fn run(self: Arc<Self>, thread: &Thread, me: &Member) {
        let mut state = lock(&self.state);
        state.ticket = false;
        if state.items.is_empty() {
            return;
        }
        let taker = Taker {
            member: NonNull::from(me),
            level: thread.level() + 1,
        };
        state.takers.push(taker);
        self.workers.store(state.takers.len(), Ordering::Relaxed);
        drop(state);
        // SAFETY: `me` is the caller's seat, we hold the bag, and the scope's owner, whose run `awaited_by` is, stays until
        // we have left.
        unsafe {
            run::task(thread, me, &self.job, &self.awaited_by, |_| {
                self.work(taker)
            })
        };
    }

    /// The owner runs the tasks; there are no others at work.
    fn cancel(&self) {
        lock(&self.state).ticket = false;
    }
}

/// The owner of a scope, which waits for those at work on it.
struct Waiting<'b> {
    bag: &'b Bag,
    bell: Arc<Bell>,
}

impl Waiting<'_> {
    fn nap(&self, nap: Option<Duration>) {
        lock(&self.bag.state).owner = Some(Arc::clone(&self.bell));
        // Whoever changes something after this look unparks us.
        if self.outcome().is_none() {
            self.bell.0.park(nap);
        }
    }
}

impl Awaited for Waiting<'_> {
    type Outcome = ();

    /// A scope may end in the middle of a join's half.
    const ALL_PROMOTED: bool = false;

    fn job(&self) -> &Job {
        &self.bag.job
    }

    fn taker(&self, nth: usize) -> Option<(NonNull<Member>, u32)> {
        let state = lock(&self.bag.state);
        state.takers.get(nth).map(|t| (t.member, t.level))
    }

    fn outcome(&self) -> Option<()> {
        let done = self.bag.items.load(Ordering::Relaxed) > 0
            || self.bag.workers.load(Ordering::Acquire) == 0;
        done.then_some(())
    }

    fn sleep(&self, me: &Member, nap: Duration) {
        me.counters.parks.add_one();
        self.nap(Some(nap));
    }
}

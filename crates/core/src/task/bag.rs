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

use super::{
    completion::Bell,
    inbox::Call,
    queue::Queued,
    scope::TaskScope,
    seat::{self, Home},
};
use crate::{
    job::{Job, Payload},
    member::Member,
    primitive::lock,
    run::{self, Outside, Run},
    shared::Shared,
    thread::{self, Thread},
    unwind,
    wait::{self, Awaited},
};
use std::{
    cell::OnceCell,
    collections::VecDeque,
    panic::{self, AssertUnwindSafe},
    ptr::{self, NonNull},
    sync::{
        Arc, Mutex, MutexGuard,
        atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering},
    },
    time::Duration,
};

pub(crate) type Item = Box<dyn FnOnce(&TaskScope<'static>) + Send>;

pub(crate) struct Bag {
    job: Job,
    awaited_by: AtomicPtr<Run>,
    pool: Home,
    cancelled: AtomicBool,
    /// How many tasks there are, and how many workers at work or called. Written under the lock.
    items: AtomicUsize,
    workers: AtomicUsize,
    state: Mutex<State>,
    /// For a thread that profiles.
    #[cfg(feature = "profile")]
    pub(crate) ends: Arc<crate::profile::Ends>,
}

#[derive(Default)]
struct State {
    items: VecDeque<Item>,
    /// A ticket is in a queue of the pool.
    ticket: bool,
    /// How many calls nobody has answered (inbox.rs).
    calls: usize,
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
    pub(crate) fn new(pool: Home) -> Arc<Self> {
        let run = thread::with(|thread| thread.run().0).unwrap_or(ptr::null());
        Arc::new(Bag {
            job: Job::new(ptr::null()),
            awaited_by: AtomicPtr::new(run.cast_mut()),
            pool,
            cancelled: AtomicBool::new(false),
            items: AtomicUsize::new(0),
            workers: AtomicUsize::new(0),
            state: Mutex::new(State::default()),
            #[cfg(feature = "profile")]
            ends: Arc::default(),
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

    /// Puts a task in for one worker of the pool.
    pub(crate) fn call_on(self: &Arc<Self>, worker: usize, item: Item) {
        {
            let mut state = lock(&self.state);
            state.calls += 1;
            self.count_workers(&state);
        }
        seat::at(&self.pool, |_, me, _| {
            let worker = me.shared().worker(worker);
            let bag = Arc::clone(self);
            worker.inbox.push(Call { bag, item });
            me.shared().wake_dormant(me);
            me.counters.wakes.add_one();
            #[cfg(feature = "trace")]
            me.note(crate::trace::Happened::Wake);
            worker.parker.unpark();
        });
    }

    fn count_workers(&self, state: &State) {
        let workers = state.takers.len() + state.calls;
        // Whoever sees that nobody is at work any more sees what was done.
        self.workers.store(workers, Ordering::Release);
    }

    /// Whether the scope's owner is in a run of `job`, or deeper.
    pub(crate) fn is_inside(&self, job: &Job) -> bool {
        // SAFETY: the owner waits for the call that the caller has found, so its run cannot end.
        unsafe { Run::is_inside(self.awaited_by.load(Ordering::Acquire), job) }
    }

    /// Answers a call to `me`, the calling thread's member.
    pub(crate) fn attend(self: &Arc<Self>, thread: &Thread, me: &Member, item: Item) {
        let taker = Taker {
            member: NonNull::from(me),
            level: thread.level() + 1,
        };
        {
            let mut state = lock(&self.state);
            state.calls -= 1;
            state.takers.push(taker);
        }
        let work = |_| {
            let scope = TaskScope::of(Arc::clone(self));
            self.call(|| item(&scope));
            self.leave(lock(&self.state), taker, me);
        };
        // SAFETY: as in `run`.
        unsafe {
            run::task(
                thread,
                me,
                &self.job,
                &self.awaited_by,
                Outside::MayGive,
                work,
            )
        };
    }

    /// For the owner: a call that nobody will answer, since the pool has ended.
    fn vain_call(&self, me: &Member) -> Option<Item> {
        let pool = me.shared();
        if !pool.is_terminating() {
            return None;
        }
        let item = pool.members().find_map(|m| m.inbox.take_back(self))?;
        let mut state = lock(&self.state);
        state.calls -= 1;
        self.count_workers(&state);
        Some(item)
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
    fn work(self: &Arc<Self>, taker: Taker, me: &Member) {
        let scope = TaskScope::of(Arc::clone(self));
        let mut end = End::Oldest;
        loop {
            let mut state = lock(&self.state);
            let Some(item) = self.take(&mut state, end) else {
                return self.leave(state, taker, me);
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

    fn leave(&self, mut state: MutexGuard<'_, State>, taker: Taker, me: &Member) {
        let at = state.takers.iter().position(|&t| t == taker);
        state
            .takers
            .swap_remove(at.expect("whoever works is a taker"));
        self.count_workers(&state);
        if state.ticket && me.tasks.remove(ptr::from_ref(self).cast()) {
            state.ticket = false;
        }
        let last = state.takers.is_empty() && state.calls == 0;
        let owner = state.owner.take_if(|_| last);
        drop(state);
        if let Some(owner) = owner {
            owner.0.unpark();
        }
    }

    /// For the owner: runs tasks and waits until the scope is over. The first panic of a task.
    pub(crate) fn finish(self: &Arc<Self>) -> Option<Payload> {
        let panic = seat::inside(&self.pool, |me| self.finish_at(me));
        #[cfg(feature = "profile")]
        crate::profile::joined(&self.ends);
        panic
    }

    fn finish_at(self: &Arc<Self>, me: Option<&Member>) -> Option<Payload> {
        let scope = TaskScope::of(Arc::clone(self));
        let waiting = Waiting {
            bag: self,
            pool: me.map(Member::shared),
            bell: OnceCell::new(),
        };
        loop {
            match self.next() {
                Next::Item(item) => self.call(|| item(&scope)),
                Next::Others => {
                    if let Some(item) = me.and_then(|me| self.vain_call(me)) {
                        self.call(|| item(&scope));
                        continue;
                    }
                    let help = !std::thread::panicking();
                    let waited = me.and_then(|me| {
                        thread::with(|thread| wait::until(thread, me, &waiting, help))
                    });
                    while waited.is_none() && waiting.outcome().is_none() {
                        waiting.nap(None);
                    }
                }
                Next::Over { panic, ticket } => {
                    if let Some(me) = me.filter(|_| ticket) {
                        me.tasks.remove(Arc::as_ptr(self).cast());
                    }
                    return panic;
                }
            }
        }
    }

    /// What the owner is to do next.
    fn next(&self) -> Next {
        let mut state = lock(&self.state);
        match self.take(&mut state, End::Newest) {
            Some(item) => Next::Item(item),
            None if !state.takers.is_empty() || state.calls > 0 => Next::Others,
            None => Next::Over {
                panic: state.panic.take(),
                ticket: state.ticket,
            },
        }
    }
}

/// What the owner of a scope is to do next.
enum Next {
    Item(Item),
    /// Wait: others are at work.
    Others,
    /// Leave. A ticket may still be queued.
    Over {
        panic: Option<Payload>,
        ticket: bool,
    },
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
        self.count_workers(&state);
        drop(state);
        // SAFETY: `me` is the caller's seat, we hold the bag, and the scope's owner, whose run `awaited_by` is, stays until
        // we have left.
        unsafe {
            run::task(
                thread,
                me,
                &self.job,
                &self.awaited_by,
                Outside::Promoted,
                |_| self.work(taker, me),
            )
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
    pool: Option<&'b Shared>,
    bell: OnceCell<Arc<Bell>>,
}

impl Waiting<'_> {
    /// Whether there are calls that nobody may answer any more.
    fn calls_in_vain(&self) -> bool {
        self.pool.is_some_and(Shared::is_terminating) && lock(&self.bag.state).calls > 0
    }

    fn nap(&self, nap: Option<Duration>) {
        let bell = self.bell.get_or_init(Bell::new);
        lock(&self.bag.state).owner = Some(Arc::clone(bell));
        // Whoever changes something after this look unparks us.
        if self.outcome().is_none() {
            bell.0.park(nap);
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

    fn answers_all(&self) -> bool {
        lock(&self.bag.state).calls > 0
    }

    fn outcome(&self) -> Option<()> {
        let done = self.bag.items.load(Ordering::Relaxed) > 0
            || self.bag.workers.load(Ordering::Acquire) == 0
            || self.calls_in_vain();
        done.then_some(())
    }

    fn sleep(&self, me: &Member, nap: Duration) {
        me.counters.parks.add_one();
        self.nap(Some(nap));
    }
}

//! The tasks of a scope that no thread has started, and the threads that run its tasks.
//!
//! The pool's queues hold the scope instead of its tasks, once at a time: a thread that takes it
//! runs tasks until there are none, or others have waited for long. If it finds more than one task
//! it first queues the scope again. So workers come as fast as they can wake one another, and only
//! while there are tasks. A scope that is taken too late does nothing. While there are tasks the
//! scope is queued, also after one has been taken: a yield may run one and leave the others.
//!
//! * **Nothing outlives the scope.** Its owner leaves when there are no tasks and no thread runs
//!   one (`over`). Only the owner and running tasks add tasks, and a thread that gives a call back,
//!   which counts until it has. So this is final. A thread has run and dropped a task before it
//!   records that it is no longer active. So the tasks' lifetimes may be erased. A queue may hold
//!   the memory of `ScopeTasks` for longer, not the tasks.
//! * All tasks here descend from one `lineage`, by which the owner recognises work that it may help
//!   with, and through `awaited_by` from the run around the scope.
//! * A thief takes the oldest task first, then the newest; the owner takes the newest. In a scope
//!   with an order all take the oldest.

mod calls;
mod inside;
mod owner;

pub(super) use self::inside::run_inside;
use super::scope::TaskScope;
use crate::{
    carry::{Carried, Snapshot},
    hooks,
    join::{
        job::Payload,
        lineage::Lineage,
        member::{GUEST, Member, MemberPtr, site::Line},
        run::{self, JobRun, Outside},
        thread::Thread,
    },
    pool::{
        queue::{Place, Queued},
        queues::WeakPool,
        seat,
    },
    protocol::{
        parker::Parker,
        primitive::{AtomicBool, AtomicPtr, AtomicUsize, Mutex, MutexGuard, Ordering, lock},
    },
    unwind,
};
use std::{
    collections::VecDeque,
    mem,
    panic::{self, AssertUnwindSafe},
    ptr,
    sync::Arc,
};

/// The closure of a task, without its lifetime.
pub(crate) type Body = Box<dyn FnOnce(&TaskScope<'static>) + Send>;

pub(crate) struct ScopeTask {
    pub(crate) carried: Carried,
    pub(crate) body: Body,
    /// The line of the program that has spawned it.
    pub(super) line: Line,
}

pub(crate) struct ScopeTasks {
    lineage: Lineage,
    awaited_by: AtomicPtr<JobRun>,
    pool: WeakPool,
    /// Whether the oldest task is taken first.
    in_order: bool,
    /// The line of the program that has opened the scope.
    line: Line,
    /// The owner's index among the workers' seats of the pool, or `GUEST`.
    owner_index: usize,
    cancelled: AtomicBool,
    /// The number of tasks, including the owner's parts of broadcasts, and the number of workers
    /// that are active or called. Written under the lock.
    task_count: AtomicUsize,
    workers: AtomicUsize,
    state: Mutex<State>,
    /// For a thread that profiles.
    pub(crate) ends: hooks::Ends,
}

#[derive(Default)]
struct State {
    tasks: VecDeque<ScopeTask>,
    /// Parts of broadcasts, each for the worker of this index, or for the owner (`GUEST`).
    calls: VecDeque<(usize, ScopeTask)>,
    /// Whether the scope is in a queue of the pool.
    queued: bool,
    /// The members that are active, and their levels.
    active: Vec<(MemberPtr, u32)>,
    /// Where the owner sleeps.
    owner: Option<Arc<Parker>>,
    panic: Option<Payload>,
}

impl State {
    /// The number of calls that the owner answers.
    fn owners_calls(&self) -> usize {
        let owners = self.calls.iter().filter(|&&(index, _)| index == GUEST);
        owners.count()
    }

    /// Takes the oldest call to this worker, or to the owner.
    fn take_call(&mut self, index: usize) -> Option<ScopeTask> {
        let at = self.calls.iter().position(|&(called, _)| called == index)?;
        self.calls.remove(at).map(|(_, task)| task)
    }
}

impl ScopeTasks {
    /// The tasks of a scope that the calling thread owns.
    pub(crate) fn new(pool: WeakPool, in_order: bool, line: Line) -> Arc<Self> {
        let (run, owner_index) = Thread::current().map_or((ptr::null(), GUEST), |thread| {
            (thread.run().0, seat::index_in(&thread, &pool))
        });
        Arc::new(ScopeTasks {
            lineage: Lineage::new(),
            awaited_by: AtomicPtr::new(run.cast_mut()),
            pool,
            in_order,
            line,
            owner_index,
            cancelled: AtomicBool::new(false),
            task_count: AtomicUsize::new(0),
            workers: AtomicUsize::new(0),
            state: Mutex::new(State::default()),
            ends: hooks::Ends::default(),
        })
    }

    /// Adds a task. In a cancelled scope it is dropped.
    pub(crate) fn add(self: &Arc<Self>, task: ScopeTask) {
        let mut state = lock(&self.state);
        if self.is_cancelled() {
            drop(state);
            return self.call(|| drop(task));
        }
        state.tasks.push_back(task);
        let queues = !mem::replace(&mut state.queued, true);
        self.wake_owner(state);
        if queues {
            self.queue();
        }
    }

    /// Counts what is in the state, which has changed.
    fn count(&self, state: &State) {
        let owners = state.owners_calls();
        self.task_count
            .store(state.tasks.len() + owners, Ordering::Relaxed);
        let workers = state.active.len() + state.calls.len() - owners;
        // A thread that reads 0 here sees the writes of the others.
        self.workers.store(workers, Ordering::Release);
    }

    /// Lets go of the state, which has changed, and wakes the owner.
    fn wake_owner(&self, mut state: MutexGuard<'_, State>) {
        self.count(&state);
        let owner = state.owner.take();
        drop(state);
        owner.inspect(|owner| owner.unpark());
    }

    fn queue(self: &Arc<Self>) {
        let scope = Arc::<ScopeTasks>::clone(self);
        let queued = seat::at(&self.pool, scope, |scope, _, me, _| {
            me.shared().queue(me, scope, Place::Newest);
        });
        if let (Err(scope), Some(pool)) = (queued, self.pool.upgrade()) {
            pool.at_free_seat(|pool, me| pool.queue(me, scope, Place::Newest));
        }
    }

    /// Takes a task: the newest, unless it is the `first` of a thief, or tasks have an order.
    fn take(&self, state: &mut State, first: bool) -> Option<ScopeTask> {
        let task = if first || self.in_order {
            state.tasks.pop_front()
        } else {
            state.tasks.pop_back()
        };
        self.count(state);
        task
    }

    /// Calls `f`; the first panic is kept for the owner.
    fn call(&self, f: impl FnOnce()) {
        let Err(payload) = panic::catch_unwind(AssertUnwindSafe(f)) else {
            return;
        };
        let later = {
            let mut state = lock(&self.state);
            match state.panic {
                None => state.panic.replace(payload),
                Some(_) => Some(payload),
            }
        };
        later.into_iter().for_each(unwind::discard);
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    pub(crate) fn cancel(&self) {
        let mut state = lock(&self.state);
        self.cancelled.store(true, Ordering::Relaxed);
        let tasks = mem::take(&mut state.tasks);
        self.count(&state);
        drop(state);
        for task in tasks {
            self.call(|| drop(task));
        }
    }

    /// Runs a task; of a cancelled scope it is dropped.
    fn run_task(&self, task: ScopeTask, scope: &TaskScope<'static>) {
        self.call(|| {
            if !self.is_cancelled() {
                let ScopeTask { carried, body, .. } = task;
                carried.around(|| body(scope));
            }
        });
    }

    /// Runs tasks on the calling thread, which sits on `me`, if there are some.
    fn work_on(
        self: &Arc<Self>,
        state: MutexGuard<'_, State>,
        thread: &Thread,
        me: &Member,
        outside: Outside,
    ) {
        let only_one = outside == Outside::MayGive;
        let work = |level| self.work(level, me, only_one);
        self.enter(state, thread, me, outside, work);
    }

    /// Calls `work`, with its level, on the calling thread, which sits on `me` and is active from
    /// now on until `work` leaves.
    fn enter(
        self: &Arc<Self>,
        mut state: MutexGuard<'_, State>,
        thread: &Thread,
        me: &Member,
        outside: Outside,
        work: impl FnOnce(u32),
    ) {
        state.active.push((MemberPtr::of(me), thread.level() + 1));
        self.count(&state);
        drop(state);
        let work = |level| Snapshot::NONE.around(|| self.inside(|| work(level)));
        // SAFETY: `me` is the caller's seat, we hold the tasks, and the scope's owner, whose run
        // `awaited_by` is, stays until `work` has left.
        unsafe { run::task(thread, me, &self.lineage, &self.awaited_by, outside, work) };
    }

    /// Runs all tasks, or one, or until tasks of others are due; then the scope is queued.
    fn work(self: &Arc<Self>, level: u32, me: &Member, only_one: bool) {
        let scope = TaskScope::of(Arc::clone(self));
        let mut first = true;
        loop {
            let mut state = lock(&self.state);
            let Some(task) = self.take(&mut state, mem::take(&mut first)) else {
                return self.leave(state, level, me);
            };
            let queues = !state.tasks.is_empty() && !mem::replace(&mut state.queued, true);
            drop(state);
            if queues {
                self.queue();
            }
            let at = me.runs(Some(task.line));
            self.run_task(task, &scope);
            drop(at);
            me.queues.turns.count();
            me.counters.looks.add_one();
            if only_one || me.queues.turns.is_due() {
                return self.leave(lock(&self.state), level, me);
            }
        }
    }

    /// Records that the thread that sits on `me` runs no task any more at this level.
    fn leave(&self, mut state: MutexGuard<'_, State>, level: u32, me: &Member) {
        let active = (MemberPtr::of(me), level);
        let at = state.active.iter().position(|&at| at == active);
        let at = at.expect("the thread that leaves is active");
        state.active.swap_remove(at);
        if state.tasks.is_empty() && state.queued {
            state.queued = !me.queues.tasks.remove(ptr::from_ref(self).cast());
        }
        if state.active.is_empty() && state.calls.is_empty() {
            self.wake_owner(state);
        } else {
            self.count(&state);
        }
    }
}

impl Queued for ScopeTasks {
    fn run(self: Arc<Self>, thread: &Thread, me: &Member, outside: Outside) {
        let mut state = lock(&self.state);
        state.queued = false;
        if !state.tasks.is_empty() {
            self.work_on(state, thread, me, outside);
        }
    }

    /// The owner runs the tasks; no others are active.
    fn cancel(&self) {
        let mut state = lock(&self.state);
        state.queued = false;
        self.wake_owner(state);
    }

    fn answer(self: Arc<Self>, thread: &Thread, me: &Member) {
        let mut state = lock(&self.state);
        let Some(task) = state.take_call(me.index) else {
            return;
        };
        self.enter(state, thread, me, Outside::MayGive, |level| {
            let _at = me.runs(Some(task.line));
            self.run_task(task, &TaskScope::of(Arc::clone(&self)));
            self.leave(lock(&self.state), level, me);
        });
    }

    fn leaves_to_owner(&self, index: usize) -> bool {
        self.give_back(index);
        true
    }

    fn is_part_of(&self, lineage: &Lineage) -> bool {
        let state = self.state.try_lock();
        state.is_ok_and(|state| {
            // SAFETY: the owner's run does not end while there are tasks, and none is taken out
            // while we hold the lock.
            !state.tasks.is_empty()
                && unsafe { JobRun::is_inside(self.awaited_by.load(Ordering::Acquire), lineage) }
        })
    }

    fn has_owner(&self) -> bool {
        true
    }

    /// Tries only, as `is_spent` does. If others add and take tasks, some may wait.
    fn waits(&self, each: &mut dyn FnMut(Option<Line>, bool)) {
        match self.state.try_lock() {
            Ok(state) => {
                let lines = state.tasks.iter().map(|task| task.line);
                lines.for_each(|line| each(Some(line), false));
            }
            Err(_) if self.task_count.load(Ordering::Relaxed) > 0 => each(Some(self.line), false),
            Err(_) => {}
        }
    }

    /// Tries only: `leave` takes the queue's lock under this one.
    fn is_spent(&self) -> bool {
        let state = self.state.try_lock();
        state.is_ok_and(|mut state| {
            // Possibly one in an inbox.
            if !state.calls.is_empty() {
                return false;
            }
            state.queued = !state.tasks.is_empty();
            !state.queued
        })
    }
}

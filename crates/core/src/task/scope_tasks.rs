//! The tasks of a scope that no thread has started, and the threads that run its tasks.
//!
//! The pool's queues hold the scope instead of its tasks, once at a time: a thread that takes it
//! runs tasks until there are none, or others have waited for long. If it finds more than one task
//! it first queues the scope again. So workers come as fast as they can wake one another, and only
//! while there are tasks. A scope that is taken too late does nothing. While there are tasks the
//! scope is queued (protocol/task_lists.rs), also after one has been taken: a yield may run one and
//! leave the others.
//!
//! * **Nothing outlives the scope.** Its owner leaves when no thread runs a task and then there are
//!   none (`finish_at`). Only the owner and running tasks add tasks, and a thread that
//!   gives a call back, which counts until it has. So this is final. A thread takes a task after it
//!   has recorded that it is active, under the lock, and found tasks there; it has run and dropped
//!   them before it records that it is no longer active. So the tasks' lifetimes may be erased. A
//!   queue may hold the memory of `ScopeTasks` for longer, not the tasks.
//! * All tasks here descend from one `lineage`, by which the owner recognises work that it may help
//!   with, and through `awaited_by` from the run around the scope.

mod awaited;
mod calls;

use self::awaited::AwaitedScope;
use super::scope::TaskScope;
use crate::{
    carry::{Carried, Snapshot},
    hooks,
    join::{
        job::{Lineage, Payload},
        member::{Member, MemberPtr, site::Line},
        run::{self, Context, JobRun, Outside},
        thread::Thread,
        wait,
    },
    pool::{
        enclosing,
        queue::Queued,
        queues::WeakPool,
        seat,
        shared::Shared,
        threads::{GUEST, STRANGER},
    },
    protocol::{
        parker::Parker,
        primitive::{AtomicBool, AtomicPtr, AtomicUsize, Locked, Mutex, Ordering, lock},
        task_lists::{Added, Order, TaskLists},
    },
    unwind,
};
use std::{
    collections::{BTreeMap, VecDeque},
    mem,
    panic::{self, AssertUnwindSafe},
    ptr,
    sync::Arc,
};

/// A task, without its lifetime. All of it is in one box, since it moves from list to list.
pub(crate) type ScopeTask = Box<Spawned<Body<'static>>>;

pub(crate) struct Spawned<B: ?Sized> {
    pub(super) carried: Carried,
    /// The line of the program that has spawned it.
    pub(super) line: Line,
    pub(super) body: B,
}

/// It is called once.
pub(crate) type Body<'scope> = dyn FnMut(&TaskScope<'scope>) + Send + 'scope;

impl Spawned<Body<'static>> {
    fn run(&mut self, scope: &TaskScope<'static>) {
        if self.carried.is_current() {
            return (self.body)(scope);
        }
        let carried = mem::replace(&mut self.carried, Carried::NOTHING);
        carried.around(|| (self.body)(scope));
    }
}

pub(crate) struct ScopeTasks {
    lineage: Lineage,
    awaited_by: AtomicPtr<JobRun>,
    pool: WeakPool,
    /// The line of the program that has opened the scope.
    line: Line,
    /// The owner's index among the workers' seats of the pool, or `GUEST`.
    pub(super) owner_index: usize,
    /// All but the owner's own, and those of calls.
    tasks: TaskLists<ScopeTask>,
    /// The number of workers that are active or called. Written under the lock.
    workers: AtomicUsize,
    /// Whether the owner runs tasks: at the end of the scope, if it takes part.
    owner_runs: AtomicBool,
    /// The number of the owner's own tasks. Written under the lock.
    owners_count: AtomicUsize,
    state: Mutex<State>,
    /// For a thread that profiles.
    pub(crate) ends: hooks::Ends,
}

struct State {
    /// The owner's own part of broadcasts.
    owners: VecDeque<ScopeTask>,
    /// The tasks of unanswered calls, by the addresses of these.
    calls: BTreeMap<usize, ScopeTask>,
    /// The members that are active, and their levels.
    active: Vec<(MemberPtr, u32)>,
    /// Where the owner sleeps until the scope is over.
    owner: Option<Arc<Parker>>,
    /// Where it sleeps in another wait, which a task of its own ends.
    elsewhere: Option<Arc<Parker>>,
    panic: Option<Payload>,
}

impl ScopeTasks {
    /// The tasks of a scope that the calling thread owns.
    pub(crate) fn new(pool: WeakPool, order: Order, line: Line) -> Arc<Self> {
        let (run, owner_index) = Thread::current().map_or((ptr::null(), GUEST), |thread| {
            (thread.run().0, seat::index_in(&thread, &pool))
        });
        Arc::new(ScopeTasks {
            lineage: Lineage::new(),
            awaited_by: AtomicPtr::new(run.cast_mut()),
            pool,
            line,
            owner_index,
            tasks: TaskLists::new(order, owner_index),
            workers: AtomicUsize::new(0),
            owner_runs: AtomicBool::new(false),
            owners_count: AtomicUsize::new(0),
            state: Mutex::new(State {
                owners: VecDeque::new(),
                calls: BTreeMap::new(),
                active: Vec::new(),
                owner: None,
                elsewhere: None,
                panic: None,
            }),
            ends: hooks::Ends::default(),
        })
    }

    /// Adds a task that the worker of this index, or another thread, has spawned. In a cancelled
    /// scope it is dropped.
    pub(crate) fn add(self: &Arc<Self>, worker: usize, task: ScopeTask) {
        match self.tasks.push(worker, || self.workers_of_pool(), task) {
            Ok(added) => self.announce(added),
            Err(task) => self.call(|| drop(task)),
        }
    }

    fn workers_of_pool(&self) -> usize {
        let pool = self.pool.upgrade();
        pool.map_or(0, |pool| pool.threads.running_workers().1)
    }

    fn announce(self: &Arc<Self>, added: Added) {
        if added.queue {
            self.queue();
        }
        if added.wake {
            self.wake_owner();
        }
    }

    fn wake_owner(&self) {
        let owner = lock(&self.state).owner.take();
        owner.inspect(|owner| owner.unpark());
    }

    /// Locks the state to add a task of a call. In a cancelled scope it is dropped instead.
    fn lock_to_add(&self, task: ScopeTask) -> Option<(Locked<'_, State>, ScopeTask)> {
        let state = lock(&self.state);
        if self.is_cancelled() {
            drop(state);
            self.call(|| drop(task));
            return None;
        }
        Some((state, task))
    }

    fn count_owners(&self, state: &State) {
        self.owners_count
            .store(state.owners.len(), Ordering::Relaxed);
    }

    fn count_workers(&self, state: &State) {
        let workers = state.active.len() + state.calls.len();
        // A thread that reads 0 here sees the writes of the others.
        self.workers.store(workers, Ordering::Release);
    }

    fn queue(self: &Arc<Self>) {
        let scope = Arc::<ScopeTasks>::clone(self);
        let queued = seat::at(&self.pool, scope, |scope, _, me, _| {
            me.shared().queue(me, scope);
        });
        let Err(scope) = queued else {
            return;
        };
        if let Some(pool) = self.pool.upgrade() {
            pool.at_any_seat(|pool, me| pool.queue(me, scope));
        }
    }

    /// Takes a task for the worker of this index, or of `GUEST`.
    fn take(self: &Arc<Self>, worker: usize) -> Option<ScopeTask> {
        if crate::testing::takes_oldest(|| self.tasks.len()) {
            return self.tasks.take_oldest(worker);
        }
        let (task, added) = self.tasks.take(worker, || self.workers_of_pool())?;
        if let Some(added) = added {
            self.announce(added);
        }
        Some(task)
    }

    /// Returns whether any thread, perhaps the owner alone, has to run a task. A hint.
    fn has_tasks(&self) -> bool {
        !self.tasks.is_empty() || self.owners_count.load(Ordering::Relaxed) > 0
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

    /// Runs the task on the calling thread, which sits on `me`, and frees it. It may have been
    /// between two lists when the scope was cancelled.
    fn run_task(&self, me: Option<&Member>, mut task: ScopeTask, scope: &TaskScope<'static>) {
        let _at = me.map(|me| (me.runs(Some(task.line)), me.site.in_task()));
        self.call(move || {
            if !self.is_cancelled() {
                task.run(scope);
            }
        });
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.tasks.is_cancelled()
    }

    pub(crate) fn cancel(&self) {
        let mut tasks = self.tasks.cancel();
        {
            let mut state = lock(&self.state);
            tasks.extend(mem::take(&mut state.owners));
            tasks.extend(mem::take(&mut state.calls).into_values());
            self.count_owners(&state);
            self.count_workers(&state);
        }
        for task in tasks {
            self.call(|| drop(task));
        }
    }

    /// Calls `f`, with the calling thread inside the scope, perhaps as its owner.
    pub(crate) fn inside<R>(self: &Arc<Self>, owns: bool, f: impl FnOnce() -> R) -> R {
        enclosing::inside(self, owns, f)
    }

    /// Runs tasks on the calling thread, which sits on `me` and perhaps owns the scope. Returns
    /// false if there are none.
    fn work_on(
        self: &Arc<Self>,
        thread: &Thread,
        me: &Member,
        owns: bool,
        outside: Outside,
    ) -> bool {
        let state = lock(&self.state);
        // Under the lock: if the owner has left, this thread sees that none are left.
        if self.tasks.is_empty() {
            return false;
        }
        let only_one = outside == Outside::MayGive;
        let taker = match me.index {
            GUEST if !owns => STRANGER,
            worker => worker,
        };
        let work = |level| self.work(level, me, taker, only_one);
        self.enter(state, thread, me, outside, work);
        true
    }

    /// Calls `work`, with its level, on the calling thread, which sits on `me` and is active from
    /// now on until `work` leaves.
    fn enter(
        self: &Arc<Self>,
        mut state: Locked<'_, State>,
        thread: &Thread,
        me: &Member,
        outside: Outside,
        work: impl FnOnce(u32),
    ) {
        state.active.push((MemberPtr::of(me), thread.level() + 1));
        self.count_workers(&state);
        drop(state);
        let work =
            |at: &Context<'_>| Snapshot::NONE.around(|| self.inside(false, || work(at.level)));
        // SAFETY: `me` is the caller's seat, we hold the tasks, and the scope's owner, whose run
        // `awaited_by` is, stays until `work` has left.
        unsafe { run::task(thread, me, &self.lineage, &self.awaited_by, outside, work) };
    }

    /// Runs all tasks, or one, or until tasks of others are due; then the scope is queued.
    fn work(self: &Arc<Self>, level: u32, me: &Member, taker: usize, only_one: bool) {
        let scope = TaskScope::of(Arc::clone(self), taker);
        loop {
            let Some(task) = self.take(taker) else {
                return self.leave(level, me);
            };
            if self.tasks.requeues() {
                self.queue();
            }
            self.run_task(Some(me), task, &scope);
            me.queues.turns.count();
            me.counters.looks.add_one();
            if only_one || me.queues.turns.is_due() {
                return self.leave(level, me);
            }
        }
    }

    /// Records that the thread that sits on `me` runs no task any more at this level.
    fn leave(self: &Arc<Self>, level: u32, me: &Member) {
        let is_over = self.tasks.is_queued() && self.tasks.is_empty();
        if is_over && self.remove_from(me) && self.forget(&self.pool) {
            self.queue();
        }
        let mut state = lock(&self.state);
        let active = (MemberPtr::of(me), level);
        let at = state.active.iter().position(|&at| at == active);
        let at = at.expect("the thread that leaves is active");
        state.active.swap_remove(at);
        self.count_workers(&state);
        let last = state.active.is_empty() && state.calls.is_empty();
        let owner = state.owner.take_if(|_| last);
        drop(state);
        if let Some(owner) = owner {
            owner.unpark();
        }
    }

    /// Removes the scope from the queue of `me`. Returns false if it is not found there.
    fn remove_from(&self, me: &Member) -> bool {
        me.queues.tasks.remove(ptr::from_ref(self).cast())
    }

    /// For the owner: runs tasks, waits until the scope is over, and returns the first panic of a
    /// task. It does not unwind (*nothing outlives the scope*). Panics of user code that runs
    /// inside (tasks, and the destructors of a pool's handlers when the owner takes a seat) are
    /// caught.
    pub(crate) fn finish(scope: &TaskScope<'static>) -> Option<Payload> {
        let tasks = &scope.tasks;
        let finish = || {
            let pool = seat::outside_of(&tasks.pool);
            let ended = pool.map(|pool| tasks.finish_at(scope, None, Some(&pool)));
            ended.unwrap_or(Err(())).or_else(|()| {
                seat::inside(&tasks.pool, |me| {
                    let _at = me.and_then(|me| me.enters(tasks.line));
                    tasks.finish_at(scope, me, None)
                })
            })
        };
        let panic = unwind::abort_on_panic(|| tasks.inside(true, finish));
        hooks::awaited(&tasks.ends);
        panic.expect("inside, the owner goes on to the end")
    }

    /// Fails if the owner, which is outside, has to run the tasks itself from now on.
    fn finish_at(
        self: &Arc<Self>,
        scope: &TaskScope<'static>,
        me: Option<&Member>,
        outside: Option<&Shared>,
    ) -> Result<Option<Payload>, ()> {
        let waiting = AwaitedScope {
            tasks: self,
            outside,
        };
        self.owner_runs.store(outside.is_none(), Ordering::Relaxed);
        loop {
            if outside.is_some() && waiting.runs() {
                return Err(());
            }
            let task = outside.is_none().then(|| self.take(self.owner_index));
            let mut task = task.flatten();
            if task.is_none() {
                let mut state = lock(&self.state);
                task = self.take_owners(&mut state);
                // All that may have added tasks have ended, if these are none.
                let others = !state.active.is_empty() || !state.calls.is_empty();
                if task.is_none() && !others && self.tasks.is_empty() {
                    let panic = state.panic.take();
                    drop(state);
                    if let Some(me) = me.filter(|_| self.tasks.is_queued()) {
                        self.remove_from(me);
                    }
                    return Ok(panic);
                }
            }
            if let Some(task) = task {
                self.run_task(me, task, scope);
                me.inspect(|me| me.counters.looks.add_one());
                continue;
            }
            let help = me.is_some() && !std::thread::panicking();
            let entry = Arc::as_ptr(self).addr();
            let _lent = outside.and_then(|pool| pool.lend_permit(entry));
            wait::here(me, &waiting, help);
        }
    }
}

impl Queued for ScopeTasks {
    fn run(self: Arc<Self>, thread: &Thread, me: &Member, outside: Outside) {
        if self.tasks.unqueue() {
            self.work_on(thread, me, false, outside);
        }
    }

    /// The owner runs the tasks; no others are active.
    fn cancel(&self) {
        self.tasks.unqueue();
        self.wake_owner();
    }

    fn is_part_of(&self, lineage: &Lineage) -> bool {
        let is_part = self.tasks.while_some(|| {
            // SAFETY: the owner's run does not end while there are tasks, and this one is not taken
            // meanwhile.
            unsafe { JobRun::is_inside(self.awaited_by.load(Ordering::Acquire), lineage) }
        });
        is_part == Some(true)
    }

    fn has_owner(&self) -> bool {
        true
    }

    fn owner_runs_it(&self) -> bool {
        self.owner_runs.load(Ordering::Relaxed)
    }

    fn waits(&self, each: &mut dyn FnMut(Option<Line>, bool)) {
        self.tasks.for_each(|task| each(Some(task.line), false));
    }

    fn is_spent(&self) -> bool {
        self.tasks.is_empty()
    }

    fn forget(&self, _: &WeakPool) -> bool {
        self.tasks.unqueue() && self.tasks.requeues()
    }
}

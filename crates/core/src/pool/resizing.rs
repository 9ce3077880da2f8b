//! Pools that change: their size (`resize`), their threads' end and new beginning (`shutdown`), and
//! a quota of processor time that becomes smaller or larger.
//!
//! **A smaller pool.** The workers from a certain index on are *off*: they have no role among the
//! idle ones, nor count there. A thread whose worker is off gives up its role, answers the calls
//! that it has, and ends; a job or task that it is in comes first. Its queue stays, and others take
//! from it, as from all. If it leaves tasks there it announces them again, so that a thread comes
//! for them. The last worker leaves none: the reserve may not come any more, if the pool ends at
//! the same time. It counts as busy before it looks, so whatever is queued then sees that.
//!
//! **A larger pool.** Workers that are on again get threads, on the seats that they had. If the one
//! before is still there, it stays; if it is about to end, the next follows it (protocol/terms.rs).
//!
//! **A pool that is shut down** keeps its size. For as long as `shutdown` waits, a worker that
//! would sleep without a time limit ends its thread instead, and keeps its role: the leader only
//! once it is dormant, and so its deputy, which looks again now and then until it is. Then it is as
//! one that has not been started, so whatever would wake it starts it, and the pool works on. No
//! other state begins or ends with a shutdown. Spares that rest end at once, and the reserve and
//! the watch for stalls in place of their dormancy.
//!
//! **What waits for what.** Only `shutdown` waits: for threads, without a lock that others take but
//! further shutdowns. A thread ends when nothing is queued or offered (dormancy.rs, L5), so after
//! all tasks, and also after those that are blocked. It waits for none of them; so no circle
//! closes, unless such a task waits for the thread that has called `shutdown`, or for another
//! shutdown. On a thread of the pool it panics. The order in which it joins them does not matter:
//! the reserve and the watch end as soon as they would be dormant, whether they are being joined or
//! not, and a thread that needs one then starts another. The watch waits for its handler, too. That
//! may not wait for the pool; a `shutdown` there panics, also while another one joins that thread.
//!
//! **Calls of broadcasts.** A broadcast calls the workers that are on when it begins. A call starts
//! a thread if there is none, also if the worker is off by now: it answers and ends again. If the
//! system refuses it, the call goes to the scope's owner, or becomes a task.
//!
//! **No workers.** If the last worker is turned off, since the pool is smaller or the system
//! refuses its thread, outside threads run what they have handed over themselves. Those that sleep
//! are woken: each has put its parker into the pool's list before it looks for the last time, so
//! by the lock of that list either it sees that there are no workers, or it is found.

use super::{
    builder::ThreadPoolBuilder, error::ThreadPoolBuildError, global, shared::Shared,
    stall::environment, thread_pool::ThreadPool,
};
use crate::{
    join::{member::Member, thread::Thread},
    os::{self, CALLING, Processors},
    policy::roles::Role,
    protocol::{
        parker::Parker,
        primitive::{self, AtomicBool, AtomicU64, AtomicUsize, Mutex, Ordering, fence, lock},
    },
};
use std::{
    env,
    ffi::OsStr,
    ptr,
    sync::{Arc, Once},
};

/// How often a pool looks for the number of processors, in nanoseconds.
const LOOK_AFTER: u64 = 1_000_000_000 / 2;

pub(crate) struct Resizing {
    /// The number of processors.
    pub(super) cpus: AtomicUsize,
    /// The number of shutdowns that wait.
    stopping: AtomicUsize,
    /// Held by the shutdown that joins threads.
    joins: Mutex<()>,
    /// The parkers of the outside threads that sleep until workers have run something.
    outside: Mutex<Vec<Arc<Parker>>>,
    /// Whether the number of threads is that of processors, since none has been asked for.
    follows: AtomicBool,
    /// When the pool last looked.
    looked_at: AtomicU64,
    /// The processors that the thread might use that has built the pool. (If those change, the pool
    /// does not follow.)
    processors: Option<Processors>,
}

impl Resizing {
    pub(super) fn new(follows: bool, cpus: usize) -> Self {
        Resizing {
            cpus: AtomicUsize::new(cpus),
            stopping: AtomicUsize::new(0),
            joins: Mutex::new(()),
            outside: Mutex::default(),
            follows: AtomicBool::new(follows),
            looked_at: AtomicU64::new(0),
            processors: os::processors(CALLING),
        }
    }
}

/// Returns the number of threads that a program or its environment asks for, if any.
pub(super) fn asked_threads(num_threads: usize) -> Option<usize> {
    static TOLD: Once = Once::new();
    let number = |asked: &OsStr| asked.to_str()?.trim_ascii().parse().ok();
    let asked = match (num_threads, env::var_os("SUMAC_NUM_THREADS")) {
        (0, Some(asked)) => {
            let number = number(&asked);
            if number.is_none() && !asked.is_empty() {
                let why = "sumac: SUMAC_NUM_THREADS is ignored, since it is no number of threads";
                TOLD.call_once(|| environment::print(&format!("{why}: {asked:?}\n")));
            }
            number
        }
        (0, None) => env::var_os("RAYON_NUM_THREADS").and_then(|asked| number(&asked)),
        (n, _) => Some(n),
    };
    asked.filter(|&n| n > 0)
}

impl<S> ThreadPoolBuilder<S> {
    /// Sets the greatest number of threads that the pool can be [given](ThreadPool::resize). By
    /// default, and at least, it is that with which the pool is built. As many
    /// [names](Self::thread_name) are made when the pool is built.
    ///
    /// A pool whose [number of threads](Self::num_threads) is the default becomes smaller by itself
    /// when the quota of the process does, and larger again, up to this number.
    ///
    /// # Examples
    ///
    /// ```
    /// let pool = sumac::ThreadPoolBuilder::new()
    ///     .num_threads(2)
    ///     .max_threads(8)
    ///     .thread_name(|index| format!("worker {index}"))
    ///     .build()?;
    /// pool.resize(8)?;
    /// assert!(pool.resize(9).is_err());
    /// # Ok::<(), sumac::ThreadPoolBuildError>(())
    /// ```
    ///
    /// # Cost
    /// Some bytes for each.
    pub fn max_threads(mut self, max_threads: usize) -> Self {
        self.asked.max_threads = max_threads;
        self
    }
}

impl ThreadPool {
    /// Makes the pool one of `num_threads` threads, counted as in
    /// [`ThreadPoolBuilder::num_threads`]; 0 means the default, as there.
    ///
    /// It does not wait. Threads that are too many end when they have finished the jobs and tasks
    /// that they are in; those that are missing start at once, with the names, stacks and handlers
    /// that the pool was built with. (Where no worker is left, the last one goes on for as long as
    /// tasks come without a pause.) From now on
    /// [`current_num_threads`](Self::current_num_threads) is `num_threads`, unless the system
    /// refuses threads: then the pool works with those that there are, and
    /// [`spawn_error`](Self::spawn_error) returns the reason. A thread that has not ended yet may
    /// have a greater index.
    ///
    /// Where callers [wait](crate::Callers::Wait), a pool of one thread that the builder
    /// [used](ThreadPoolBuilder::use_current_thread) has no other: what is neither called nor
    /// joined waits until that thread waits or yields in the pool.
    ///
    /// # Examples
    ///
    /// ```
    /// let pool = sumac::ThreadPoolBuilder::new().num_threads(4).build()?;
    /// pool.resize(2)?;
    /// assert_eq!(pool.current_num_threads(), 2);
    /// assert_eq!(pool.broadcast(|context| context.index()), [0, 1]);
    /// # Ok::<(), sumac::ThreadPoolBuildError>(())
    /// ```
    ///
    /// # Cost
    /// A wake-up, or the start of a thread, for each of the difference. Threads that look for work
    /// look through as many seats as the pool has ever had.
    ///
    /// # Errors
    /// If the pool can have no more than fewer threads
    /// ([`max_threads`](ThreadPoolBuilder::max_threads)), or if it has a
    /// [`spawn_handler`](ThreadPoolBuilder::spawn_handler).
    pub fn resize(&self, num_threads: usize) -> Result<(), ThreadPoolBuildError> {
        let (shared, threads) = (&self.shared, &self.shared.threads);
        if !shared.own_threads.has_workers {
            let why = "the threads of the pool come from its spawn handler";
            return Err(ThreadPoolBuildError(why.into()));
        }
        let asked = asked_threads(num_threads);
        let size = asked.unwrap_or_else(|| primitive::processors().min(threads.most()));
        let most = threads.most();
        if size > most {
            let why = format!("the pool was built for at most {most} threads");
            return Err(ThreadPoolBuildError(why.into()));
        }
        let follows = asked.is_none();
        shared.set_threads(size, || {
            shared.resizing.follows.store(follows, Ordering::Relaxed);
            true
        });
        Ok(())
    }

    /// Ends the pool's threads when they have run all queued tasks, and waits until they have
    /// ended. The pool stays as it is: whatever needs a thread later starts it anew, with the name,
    /// stack and handlers that the pool was built with.
    ///
    /// If other threads give work to the pool meanwhile, its threads do that, too, before they end.
    /// No such work may wait for the caller. While work comes without a pause this does not return;
    /// nor does it if exit handlers, or values in thread-locals of the pool's threads, give the
    /// pool work each time when a thread ends, since another one starts for that. Such values must
    /// not call `shutdown`. Of threads that have ended before, since they were too many, it may not
    /// wait for the last steps, which run no users' code.
    ///
    /// Threads of a [`spawn_handler`](ThreadPoolBuilder::spawn_handler) do not end, and in such a
    /// pool this does not wait for them, nor for their tasks.
    ///
    /// # Examples
    ///
    /// ```
    /// let pool = sumac::ThreadPoolBuilder::new().num_threads(4).build()?;
    /// let task = pool.spawn(|| 1 + 1);
    /// pool.shutdown();
    /// assert_eq!(task.join(), 2);
    /// assert_eq!(pool.current_num_threads(), 4);
    /// assert_eq!(pool.spawn(|| 2 + 2).join(), 4);
    /// # Ok::<(), sumac::ThreadPoolBuildError>(())
    /// ```
    ///
    /// # Cost
    /// The start of each thread that is needed later; if there is a start handler, of all threads,
    /// one by one, since a thread that runs the handler counts as busy.
    ///
    /// # Panics
    /// If called on a thread of the pool, in a job or task that it has given away, or in its
    /// handler of stalls: that thread would wait for itself.
    pub fn shutdown(&self) {
        let shared = &self.shared;
        if shared.is_forked() {
            return;
        }
        assert!(!shared.is_inside(), "a pool waits for itself");
        shared.settle_in_process();
        let stopping = &shared.resizing.stopping;
        stopping.fetch_add(1, Ordering::Relaxed);
        shared.rouse();
        let joins = lock(&shared.resizing.joins);
        shared.join_all();
        drop(joins);
        stopping.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Ends the threads of the global pool, and waits until they have ended, see
/// [`ThreadPool::shutdown`]: for libraries that are unloaded, for sanitizers and for tests. A later
/// use starts them anew.
///
/// # Examples
///
/// ```
/// let (a, b) = sumac::join(|| 1, || 2);
/// sumac::shutdown();
/// assert_eq!(sumac::spawn(move || a + b).join(), 3);
/// ```
///
/// # Panics
/// As [`ThreadPool::shutdown`].
pub fn shutdown() {
    if let Some(pool) = global::built_global() {
        pool.shutdown();
    }
}

/// Makes the global pool one of `num_threads` threads, see [`ThreadPool::resize`]. Builds it if
/// this is its first use.
///
/// # Examples
///
/// ```
/// sumac::resize_global(1)?;
/// assert_eq!(sumac::current_num_threads(), 1);
/// # Ok::<(), sumac::ThreadPoolBuildError>(())
/// ```
///
/// # Errors
/// As [`ThreadPool::resize`].
pub fn resize_global(num_threads: usize) -> Result<(), ThreadPoolBuildError> {
    global::pool().resize(num_threads)
}

impl Shared {
    /// Returns whether a shutdown waits.
    pub(crate) fn is_stopping(&self) -> bool {
        self.resizing.stopping.load(Ordering::Relaxed) > 0
    }

    /// Returns whether the calling thread is one that the pool has started, or is inside a job or
    /// task of the pool.
    pub(super) fn is_inside(&self) -> bool {
        let is_watch = self.stall.as_ref().is_some_and(|watch| watch.is_here());
        if is_watch || lock(&self.starting.running).is_here() {
            return true;
        }
        let (first, _) = self.threads.running_workers();
        Thread::current().is_some_and(|thread| {
            let mut own = (0..).map_while(|nth| thread.own(nth));
            let is_its = |own: &Member| ptr::eq(own.shared, self) && own.index >= first;
            thread.runs_for(self) || own.any(is_its)
        })
    }

    /// Has all threads of the pool look what there is to do, and whether they end.
    pub(super) fn rouse(&self) {
        fence(Ordering::SeqCst);
        self.members.unpark();
        self.reserve.wake();
        self.stall.iter().for_each(|watch| watch.parker.unpark());
    }

    /// Makes the pool one of so many threads, if it `may` be so under the lock.
    fn set_threads(&self, threads: usize, may: impl FnOnce() -> bool) {
        if self.is_forked() {
            return;
        }
        self.settle_in_process();
        let end = self.threads.workers_of(threads);
        // Not under the lock.
        (0..end).for_each(|index| self.members.add_seat(self, index));
        let running = lock(&self.starting.running);
        if self.ending.is_terminating() || !may() {
            return;
        }
        let heirs = self.turn_off(end, None);
        let terms = self.starting.terms[..end].iter().enumerate();
        let mut missing = terms.filter_map(|(index, term)| (!term.counts()).then_some(index));
        self.call_workers(running, &mut missing, Some(heirs));
    }

    /// Under the lock: the workers below `end` are on.
    fn set_end(&self, end: usize) {
        let had_workers = self.threads.has_workers();
        self.threads.set_end(end);
        self.count_threads();
        // In a pool without workers, callers may be gone at any time.
        let has_workers = self.threads.has_workers();
        self.spares.set_workers(has_workers);
        if had_workers && !has_workers {
            let outside = lock(&self.resizing.outside);
            outside.iter().for_each(|parker| parker.unpark());
        }
    }

    /// Calls `park`, in which a thread looks for the last time and sleeps on its `parker`. If it is
    /// an outside one that has handed work over to a pool, it is unparked when that has no workers
    /// any more.
    pub(crate) fn sleep_outside(pool: Option<&Self>, parker: &Arc<Parker>, park: &mut dyn FnMut()) {
        // In a child of fork, the lock may stay locked.
        let pool = pool.filter(|pool| !pool.is_forked());
        let outside = pool.map(|pool| &pool.resizing.outside);
        outside.inspect(|outside| lock(outside).push(Arc::clone(parker)));
        park();
        outside.inspect(|outside| lock(outside).retain(|other| !Arc::ptr_eq(other, parker)));
    }

    /// Under the lock: turns the workers from `end` on off. Those that have threads see that
    /// themselves. One that the system has `refused` counts no more. Returns the new leaders, which
    /// the caller wakes.
    pub(super) fn turn_off(&self, end: usize, refused: Option<usize>) -> Vec<usize> {
        self.set_end(end);
        let mut heirs = Vec::new();
        let refused = refused.filter(|&index| index < end);
        for index in (end..self.threads.workers).rev().chain(refused) {
            if self.starting.terms[index].lose() {
                self.idle.lose(1);
                let (role, heir) = self
                    .idle
                    .roles(|roles| (roles.of(index), roles.resign(index)));
                if role == Role::Leader {
                    // It is dormant, but has no thread. Its heir looks before it is.
                    self.idle.leader.wake();
                }
                heirs.extend(heir);
            }
        }
        let others = self.members.workers_from(end);
        others.for_each(|worker| worker.parker.unpark());
        heirs.retain(|&heir| heir < end && Some(heir) != refused);
        heirs
    }

    /// For the thread of `me`, which does nothing: returns true if it ends, since its worker is off
    /// and has no calls, nor, as the last one, tasks.
    pub(crate) fn leaves_as_off(&self, me: &Member) -> bool {
        let others_come = || self.threads.has_workers() || !self.members.have_tasks();
        let is_done = || me.queues.inbox.is_empty() && others_come();
        let may_end = || self.threads.is_off(me.index) && is_done();
        let running = lock(&self.starting.running);
        let term = &self.starting.terms[me.index];
        if self.ending.is_terminating() || !term.leave_as_off(&self.idle, may_end) {
            return false;
        }
        drop(running);
        fence(Ordering::SeqCst);
        if self.members.have_tasks() {
            self.wake_dormant(me);
        }
        self.call_more();
        true
    }

    /// For the thread of `me`, which would sleep until it is woken: returns true if it ends
    /// instead, since a shutdown waits and its worker still `is_asleep`.
    pub(crate) fn leaves_asleep(&self, me: &Member, is_asleep: impl FnOnce() -> bool) -> bool {
        if !self.is_stopping() || !self.own_threads.has_workers {
            return false;
        }
        let _running = lock(&self.starting.running);
        self.starting.terms[me.index].leave_asleep(is_asleep)
    }

    /// Looks now and then whether there are fewer processors, or more, and makes the pool as large
    /// if its size was the default. Called by workers between jobs, and, where there are none, by
    /// threads that enter the pool.
    pub(crate) fn follow_processors(&self) {
        if self.resizing.follows.load(Ordering::Relaxed) {
            self.look_at_processors();
        }
    }

    #[cold]
    #[inline(never)]
    fn look_at_processors(&self) {
        let looked_at = &self.resizing.looked_at;
        let (now, before) = (self.now(), looked_at.load(Ordering::Relaxed));
        let order = Ordering::Relaxed;
        if now.saturating_sub(before) < LOOK_AFTER
            || looked_at.compare_exchange(before, now, order, order).is_err()
            // A thread that is kept off some processors, or was moved by others, knows only those.
            || os::processors(CALLING) != self.resizing.processors
        {
            return;
        }
        self.use_processors(primitive::processors());
    }

    /// There are so many processors.
    fn use_processors(&self, processors: usize) {
        if self.resizing.cpus.swap(processors, Ordering::Relaxed) != processors {
            // Unless a program has asked for another number meanwhile, or the quota has changed.
            let follows = || {
                self.resizing.follows.load(Ordering::Relaxed)
                    && self.resizing.cpus.load(Ordering::Relaxed) == processors
            };
            self.set_threads(processors.min(self.threads.most()), follows);
        }
    }
}

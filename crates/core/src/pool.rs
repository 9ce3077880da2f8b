//! `ThreadPool`, and what its members share.

use crate::{
    chain::Root,
    dormancy::Dormancy,
    idle::Idle,
    member::{GUEST, Member},
    policy,
    run::{Context, Leave},
    scope::Scope,
    stats::Stats,
    thread,
};
use std::{
    fmt, io, ptr,
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering},
    },
    thread::JoinHandle,
    time::Instant,
};

/// What the members of a pool share.
pub(crate) struct Shared {
    /// The newest member; the others follow by `older`. Members are never unlinked.
    newest: AtomicPtr<Member>,
    /// Seats of guests who have left.
    free_seats: Mutex<Vec<SeatPtr>>,
    /// The workers' members, by index, once the pool has been built.
    workers: OnceLock<Box<[SeatPtr]>>,
    /// How many of the workers' seats are those of threads that use the pool.
    own: usize,
    /// How many workers the system refused to start.
    lost: AtomicUsize,
    pub(crate) idle: Idle,
    /// How many processors there are.
    cpus: usize,
    pub(crate) dormancy: Dormancy,
    /// The leader, while it is dormant.
    leader: AtomicPtr<Member>,
    /// The guest that the index after the workers' is lent to.
    caller: AtomicPtr<Member>,
    terminating: AtomicBool,
    start: Instant,
}

#[derive(Clone, Copy)]
struct SeatPtr(*const Member);

// SAFETY: members are `Sync` and live as long as their pool.
unsafe impl Send for SeatPtr {}
// SAFETY: as for `Send`.
unsafe impl Sync for SeatPtr {}

impl Shared {
    /// A pool with seats for so many workers, of which the first `own` are threads that exist.
    pub(crate) fn new(workers: usize, own: usize) -> Arc<Self> {
        let shared = Arc::new(Shared {
            newest: AtomicPtr::new(ptr::null_mut()),
            free_seats: Mutex::new(Vec::new()),
            workers: OnceLock::new(),
            idle: Idle::new(workers),
            own,
            lost: AtomicUsize::new(0),
            cpus: std::thread::available_parallelism().map_or(1, usize::from),
            dormancy: Dormancy::new(),
            leader: AtomicPtr::new(ptr::null_mut()),
            caller: AtomicPtr::new(ptr::null_mut()),
            terminating: AtomicBool::new(false),
            start: Instant::now(),
        });
        shared.idle.lose(own);
        let seats = (0..workers)
            .map(|index| SeatPtr(shared.add_member(index)))
            .collect();
        let _ = shared.workers.set(seats);
        shared
    }

    fn add_member(&self, index: usize) -> *const Member {
        let mut member = Box::new(Member::new(self, index, policy::INTERVAL_MIN));
        let mut newest = self.newest.load(Ordering::Relaxed);
        loop {
            member.older = newest;
            let new = Box::into_raw(member);
            match self
                .newest
                .compare_exchange(newest, new, Ordering::Release, Ordering::Relaxed)
            {
                Ok(_) => return new,
                Err(now) => {
                    newest = now;
                    // SAFETY: it was not linked, so it is still ours alone.
                    member = unsafe { Box::from_raw(new) };
                }
            }
        }
    }

    /// All members there have ever been, with and without a thread on them.
    pub(crate) fn members(&self) -> impl Iterator<Item = &Member> {
        let mut at = self.newest.load(Ordering::Acquire).cast_const();
        std::iter::from_fn(move || {
            // SAFETY: members live as long as the pool; `older` was written before the member was linked.
            let member = unsafe { at.as_ref() }?;
            at = member.older;
            Some(member)
        })
    }

    pub(crate) fn contains(&self, member: *const Member) -> bool {
        self.members().any(|m| ptr::eq(m, member))
    }

    pub(crate) fn worker_count(&self) -> usize {
        self.workers.get().map_or(0, |w| w.len())
    }

    pub(crate) fn worker(&self, index: usize) -> &Member {
        let seat = self
            .workers
            .get()
            .expect("a pool is built with its workers' seats")[index];
        // SAFETY: members live as long as the pool.
        unsafe { &*seat.0 }
    }

    /// How many threads the pool has, counting one that uses it.
    pub(crate) fn num_threads(&self) -> usize {
        self.worker_count() + 1 - self.own - self.lost.load(Ordering::Relaxed)
    }

    /// Says that the workers from `first` on were not started.
    pub(crate) fn lose_workers(&self, first: usize) {
        let lost = self.worker_count() - first;
        self.lost.store(lost, Ordering::Relaxed);
        self.idle.lose(lost);
    }

    /// A seat for a thread from outside.
    pub(crate) fn guest_seat(&self) -> *const Member {
        let mut free = self
            .free_seats
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let seat = free
            .pop()
            .map_or_else(|| self.add_member(GUEST), |seat| seat.0);
        // SAFETY: members live as long as the pool.
        unsafe { &*seat }.leave_asked(self.demand());
        seat
    }

    pub(crate) fn return_guest_seat(&self, seat: *const Member) {
        self.free_seats
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(SeatPtr(seat));
    }

    /// Nanoseconds since the pool was built; at least 1.
    pub(crate) fn now(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_nanos())
            .unwrap_or(u64::MAX)
            .max(1)
    }

    /// How many jobs to ask a member for that is worth asking.
    pub(crate) fn demand(&self) -> u32 {
        policy::demand(1, self.idle.count(), policy::INTERVAL_MIN)
    }

    /// Whether there is a processor for one more worker besides those that run jobs and one that uses the pool.
    pub(crate) fn has_free_cpu(&self) -> bool {
        let running = self.worker_count() - self.idle.count();
        running + 1 < self.cpus
    }

    pub(crate) fn anything_offered(&self) -> bool {
        self.members().any(Member::offers)
    }

    /// How many ticks there have been: whether anybody answers.
    pub(crate) fn answers(&self) -> u64 {
        self.members()
            .map(|m| m.counters.ticks.get())
            .fold(0, u64::wrapping_add)
    }

    /// Raises everybody's attention, for the dormant leader, and forgets what has been learnt about them.
    pub(crate) fn arm(&self) {
        let now = self.now();
        for member in self.members().filter(|m| m.is_seated()) {
            member.set_interval(policy::INTERVAL_MIN);
            member.ask(self.demand(), now);
        }
    }

    pub(crate) fn set_leader(&self, leader: &Member) {
        self.leader
            .store(ptr::from_ref(leader).cast_mut(), Ordering::Release);
    }

    /// After a publication by `by`: wakes the leader if it is dormant.
    pub(crate) fn wake_dormant(&self, by: &Member) {
        if self.dormancy.wake() {
            by.counters.wakes.add_one();
            // SAFETY: whoever goes dormant has set it before; members live as long as the pool.
            unsafe { &*self.leader.load(Ordering::Acquire) }
                .parker
                .unpark();
        }
    }

    pub(crate) fn unpark_worker(&self, by: &Member, index: usize) {
        by.counters.wakes.add_one();
        self.worker(index).parker.unpark();
    }

    pub(crate) fn is_terminating(&self) -> bool {
        self.terminating.load(Ordering::Acquire)
    }

    pub(crate) fn terminate(&self) {
        self.terminating.store(true, Ordering::Release);
        for index in 0..self.worker_count() {
            self.worker(index).parker.unpark();
        }
    }

    /// The index of `member` in `0..num_threads`, if it has one.
    pub(crate) fn index_of(&self, member: &Member) -> Option<usize> {
        if member.index != GUEST {
            return Some(member.index);
        }
        let caller = self.caller.load(Ordering::Relaxed);
        ptr::eq(caller, member).then(|| self.num_threads() - 1)
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        let mut at = *self.newest.get_mut();
        while !at.is_null() {
            // SAFETY: boxed by `add_member`; nobody holds the pool any more.
            let member = unsafe { Box::from_raw(at) };
            at = member.older.cast_mut();
        }
    }
}

/// A pool of worker threads.
///
/// A pool of *n* threads starts *n - 1* workers: the thread that uses it takes part. Any number of outside threads may
/// use a pool at once. An idle pool uses no processor time. Dropping a pool ends and joins its workers.
///
/// # Examples
///
/// ```
/// use sumac_core::{ThreadPoolBuilder, join};
///
/// let pool = ThreadPoolBuilder::new().num_threads(4).build()?;
/// let (a, b) = pool.install(|| join(|| 1, || 2));
/// assert_eq!(a + b, 3);
/// # Ok::<(), sumac_core::ThreadPoolBuildError>(())
/// ```
pub struct ThreadPool {
    shared: Arc<Shared>,
    handles: Vec<JoinHandle<()>>,
    spawn_error: Option<io::Error>,
}

impl ThreadPool {
    pub(crate) fn from_parts(
        shared: Arc<Shared>,
        handles: Vec<JoinHandle<()>>,
        spawn_error: Option<io::Error>,
    ) -> Self {
        ThreadPool {
            shared,
            handles,
            spawn_error,
        }
    }

    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    /// Returns a scope on this pool, chili's way to use it.
    ///
    /// # Examples
    ///
    /// ```
    /// let pool = sumac_core::ThreadPool::new();
    /// let mut scope = pool.scope();
    /// assert_eq!(scope.join(|_| 1, |_| 2), (1, 2));
    /// ```
    ///
    /// # Cost
    /// Some tens of nanoseconds; the first time on a thread some microseconds.
    pub fn scope(&self) -> Scope<'_> {
        let member = thread::with(|thread| thread.member_of(&self.shared));
        let member = member.unwrap_or(ptr::null());
        thread::renew_attention_of(member);
        Scope::owned(member)
    }

    /// Runs `op` on the calling thread, with this pool as the one that plain joins inside belong to.
    ///
    /// Nothing is handed over: the caller takes part in the pool's work for as long as `op` runs.
    ///
    /// # Cost
    /// Some tens of nanoseconds; the first time on a thread some microseconds.
    ///
    /// # Panics
    /// If `op` does.
    pub fn install<OP, R>(&self, op: OP) -> R
    where
        OP: FnOnce() -> R + Send,
        R: Send,
    {
        let mut op = Some(op);
        let result = thread::with(|thread| {
            let member = thread.member_of(&self.shared);
            let mut root = Root::new(member);
            let scope = Scope::of_root(&raw mut root);
            let context = Context::installed(thread, &raw mut root, member);
            let _lent = Lent::index(&self.shared, member);
            // SAFETY: everything is on our stack and outlives the guard, which is dropped first.
            let _leave = unsafe { Leave::enter(thread, &raw const context, &raw const scope) };
            thread::renew_attention();
            op.take().map(|op| op())
        });
        match (result.flatten(), op) {
            (Some(result), _) => result,
            (None, Some(op)) => op(),
            (None, None) => unreachable!("the operation has either run or not"),
        }
    }

    /// `install(|| join(a, b))`.
    ///
    /// # Panics
    /// As [`join`](crate::join).
    pub fn join<A, B, RA, RB>(&self, a: A, b: B) -> (RA, RB)
    where
        A: FnOnce() -> RA + Send,
        B: FnOnce() -> RB + Send,
        RA: Send,
        RB: Send,
    {
        self.install(|| crate::join(a, b))
    }

    /// How many threads the pool has, counting the one that uses it.
    pub fn current_num_threads(&self) -> usize {
        self.shared.num_threads()
    }

    /// The index of the calling thread in this pool, see [`current_thread_index`](crate::current_thread_index).
    pub fn current_thread_index(&self) -> Option<usize> {
        current_member(Some(&self.shared), |member| self.shared.index_of(member))?
    }

    /// As [`yield_now`](crate::yield_now); `None` outside of this pool.
    pub fn yield_now(&self) -> Option<Yield> {
        current_member(Some(&self.shared), |_| ())?;
        yield_now()
    }

    /// What the pool has counted so far.
    ///
    /// # Cost
    /// Nothing where the counting is done but on the cold path; reading takes some nanoseconds per thread.
    pub fn stats(&self) -> Stats {
        Stats::of(self.shared.members().map(|m| &m.counters))
    }

    /// Why the pool has fewer threads than it was asked for, if it has: the system's refusal to start one.
    ///
    /// The pool works with the threads it got; [`current_num_threads`](Self::current_num_threads) counts those.
    pub fn spawn_error(&self) -> Option<&io::Error> {
        self.spawn_error.as_ref()
    }
}

impl Drop for ThreadPool {
    fn drop(&mut self) {
        self.shared.terminate();
        let me = std::thread::current().id();
        for handle in self.handles.drain(..) {
            // A worker that drops its own pool cannot wait for itself.
            if handle.thread().id() != me {
                let _ = handle.join();
            }
        }
    }
}

impl fmt::Debug for ThreadPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ThreadPool")
            .field("num_threads", &self.current_num_threads())
            .field("stats", &self.stats())
            .finish_non_exhaustive()
    }
}

/// The index after the workers', lent to the first guest inside `install`.
struct Lent<'p> {
    shared: Option<&'p Shared>,
}

impl<'p> Lent<'p> {
    fn index(shared: &'p Shared, member: *const Member) -> Self {
        // SAFETY: the thread's seat keeps the member.
        let guest = unsafe { (*member).index } == GUEST;
        let lent = guest
            && shared
                .caller
                .compare_exchange(
                    ptr::null_mut(),
                    member.cast_mut(),
                    Ordering::Relaxed,
                    Ordering::Relaxed,
                )
                .is_ok();
        Lent {
            shared: lent.then_some(shared),
        }
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        if let Some(shared) = self.shared {
            shared.caller.store(ptr::null_mut(), Ordering::Relaxed);
        }
    }
}

/// What [`yield_now`] did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Yield {
    /// It ran a job.
    Executed,
    /// There was nothing to run.
    Idle,
}

/// Calls `f` with the member of the current context, if it is one of `pool`.
fn current_member<R>(pool: Option<&Arc<Shared>>, f: impl FnOnce(&Member) -> R) -> Option<R> {
    thread::with(|thread| {
        let member = thread.current_member();
        // SAFETY: the member of the current context lives as long as the context.
        let member = unsafe { member.as_ref() }?;
        if pool.is_some_and(|pool| !ptr::eq(Arc::as_ptr(pool), member.shared)) {
            return None;
        }
        Some(f(member))
    })
    .flatten()
}

/// How many threads the current pool has: the innermost installed one, that of the running job, or the global one.
///
/// # Examples
///
/// ```
/// let pool = sumac_core::ThreadPoolBuilder::new().num_threads(3).build()?;
/// assert_eq!(pool.install(sumac_core::current_num_threads), 3);
/// # Ok::<(), sumac_core::ThreadPoolBuildError>(())
/// ```
pub fn current_num_threads() -> usize {
    current_member(None, |member| member.shared().num_threads())
        .unwrap_or_else(|| crate::global::pool().current_num_threads())
}

/// The index of the calling thread in its pool, below [`current_num_threads`].
///
/// Workers have one; of the threads from outside, the first that is inside
/// [`install`](crate::ThreadPool::install). `None` for all others.
pub fn current_thread_index() -> Option<usize> {
    current_member(None, |member| member.shared().index_of(member))?
}

/// Gives way: offers work to idle threads if they have asked for it, then lets other threads of the system run.
///
/// It never starts unrelated work on the caller's stack. `None` outside of all pools.
pub fn yield_now() -> Option<Yield> {
    current_member(None, |_| ())?;
    crate::promote::tick_plain();
    std::thread::yield_now();
    Some(Yield::Idle)
}

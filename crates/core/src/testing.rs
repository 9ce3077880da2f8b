//! Runs a program in orders that a seed decides, one thread at a time, behind the feature
//! `testing`.
//!
//! A *session* is one run. In it a join's second half runs after the first, or before it, each on
//! the same thread or on another one, as if stolen. A loop splits parts off between its blocks, and
//! such a part runs before the rest. A task runs when a thread waits for it, or before that on the
//! other thread, or at the end; of a scope's, the newest or the oldest. The two threads take turns:
//! the one that hands something over waits for its end. So the seed alone decides the order, and a
//! session can be repeated.
//!
//! * **Each order is possible in a real run.** Nothing runs on top of unrelated code, which may
//!   hold a lock or a borrow: halves run where the join is, parts between two blocks of their loop,
//!   tasks on the other thread.
//! * **A task on the other thread may have to wait** for a lock that the first one holds. After
//!   `PATIENCE` the first goes on: both run until the task has ended, and nothing more is handed
//!   over.
//! * **A thread that would sleep** runs a queued task of the pool instead, as on a system without
//!   threads (alone.rs). If there is none it polls: a thread that the program started, unknown to
//!   the session, may end the wait.
//! * **A deadlock**, such as a half that waits for its sibling, is found by a third thread, which
//!   sees that no more decisions are made.
//! * Pools that the program builds, and threads that it starts, work as usual.

pub(crate) mod active;
mod watch;

use self::{active::is_active, watch::Watch};
use crate::{
    join::scope::Scope,
    join::{
        job::{Payload, Taken},
        member::Member,
        run::{self, Outside},
        thread::Thread,
    },
    pool::{builder::ThreadPoolBuilder, callers::Callers, find, seat, thread_pool::ThreadPool},
    random::Random,
    unwind::{self, Finally, swallow},
};
use std::{
    cell::RefCell,
    panic::{self, AssertUnwindSafe},
    ptr,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
        mpsc,
    },
    thread,
    time::Duration,
};

/// The time that a thread waits for the other one, which may be waiting for a lock.
const PATIENCE: Duration = Duration::from_millis(500);
/// The time that each read of the clock of loops advances it, in nanoseconds.
const CLOCK_STEP: u64 = 400;

thread_local! {
    static SESSION: RefCell<Option<Arc<Session>>> = const { RefCell::new(None) };
}

struct Session {
    watch: Arc<Watch>,
    random: Mutex<Random>,
    clock: AtomicU64,
    /// The pool of plain joins and tasks. It has no threads.
    pool: ThreadPool,
    /// The other thread.
    other: Arc<ThreadPool>,
    /// Whether the other thread is running.
    busy: AtomicBool,
    /// The first panic of a task whose promise was dropped.
    panic: Arc<Mutex<Option<Payload>>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn set(session: Option<Arc<Session>>) -> Option<Arc<Session>> {
    active::set(session.is_some().then_some(wait));
    SESSION.replace(session)
}

/// The calling thread's session is this one, or none, until the result is dropped.
fn inside(session: Option<Arc<Session>>) -> Finally<impl FnMut()> {
    let mut outer = set(session);
    Finally(move || _ = set(outer.take()))
}

/// The state that all sessions of a call share. Its thread ends when it is dropped.
struct Sessions {
    other: Arc<ThreadPool>,
    watch: Arc<Watch>,
    watcher: thread::Thread,
}

impl Sessions {
    fn new() -> Self {
        assert!(
            !is_active(),
            "schedules inside of schedules: one of them decides the order"
        );
        let builder = ThreadPoolBuilder::new().num_threads(1);
        let other = builder.callers(Callers::Wait).build();
        let watch = Arc::new(Watch::default());
        let watched = Arc::clone(&watch);
        let watcher = thread::Builder::new().spawn(move || watched.live());
        Sessions {
            other: Arc::new(other.unwrap_or_else(|e| panic!("schedules need a thread: {e}"))),
            watch,
            watcher: watcher
                .unwrap_or_else(|e| panic!("schedules need a thread: {e}"))
                .thread()
                .clone(),
        }
    }
}

impl Drop for Sessions {
    fn drop(&mut self) {
        self.watch.is_over.store(true, Ordering::Release);
        self.watcher.unpark();
    }
}

/// Runs `f` in `runs` orders, decided by the seeds from `seed` on.
///
/// In each run threads take turns: the second half of a join may come first, or run on another
/// thread, as if it had been stolen; a parallel iterator is split where the seed decides, and any
/// part of it may come before the items on its left; a task runs at once on another thread, or
/// later, or last. So a program that depends on an order, and fails once in a thousand real runs,
/// fails here soon, and the failure can be repeated: see [`replay`].
///
/// # Examples
///
/// A list that is wrongly expected to be in the order of the items:
///
/// ```should_panic
/// use std::sync::Mutex;
/// use sumac::prelude::*;
///
/// sumac::testing::schedules(1, 100, || {
///     let list = Mutex::new(Vec::new());
///     (0..100).into_par_iter().for_each(|i| list.lock().unwrap().push(i));
///     assert!(list.into_inner().unwrap().is_sorted());
/// });
/// ```
///
/// # Cost
/// About a hundred microseconds for a run that forks ten times. The feature `testing` makes each
/// join some instructions longer: use it for tests only.
///
/// # Panics
/// If `f` panics, after printing the seed; inside another call; and if the system refuses a thread.
/// A deadlock, that is, no fork for ten seconds, prints the seed and ends the process.
///
/// # Limits
/// One thread runs at a time, so this finds no data races: use Miri and ThreadSanitizer. Pools that
/// `f` builds, and threads that it starts, work as usual.
pub fn schedules(seed: u64, runs: u64, f: impl Fn()) {
    let sessions = Sessions::new();
    for run in 0..runs {
        in_session(seed.wrapping_add(run), &sessions, &f);
    }
}

/// Runs `f` in the order that `seed` decides, to repeat a failed run of [`schedules`].
///
/// # Examples
///
/// ```
/// let run = || {
///     let order = std::sync::Mutex::new(Vec::new());
///     sumac::testing::replay(7, || {
///         sumac::join(|| order.lock().unwrap().push('a'), || order.lock().unwrap().push('b'));
///     });
///     order.into_inner().unwrap()
/// };
/// assert_eq!(run(), run());
/// ```
///
/// If a task had to wait for a lock, both threads ran at once, and the order may differ.
///
/// # Panics
/// As [`schedules`].
pub fn replay(seed: u64, f: impl Fn()) {
    in_session(seed, &Sessions::new(), &f);
}

fn in_session(seed: u64, sessions: &Sessions, f: &impl Fn()) {
    sessions.watch.seed.store(seed, Ordering::Relaxed);
    let lost = Arc::new(Mutex::new(None));
    let first = Arc::clone(&lost);
    let handler = move |payload| match &mut *lock(&first) {
        Some(_) => unwind::discard(payload),
        none => *none = Some(payload),
    };
    let builder = ThreadPoolBuilder::new().num_threads(1);
    let pool = builder.panic_handler(handler).build();
    let session = Arc::new(Session {
        watch: Arc::clone(&sessions.watch),
        random: Mutex::new(Random::new(seed)),
        clock: AtomicU64::new(0),
        pool: pool.unwrap_or_else(|error| panic!("a pool without threads: {error}")),
        other: Arc::clone(&sessions.other),
        busy: AtomicBool::new(false),
        panic: lost,
    });
    let result = {
        let _inside = inside(Some(Arc::clone(&session)));
        panic::catch_unwind(AssertUnwindSafe(|| {
            let Some(thread) = Thread::current() else {
                unreachable!("a thread that runs tests has a record");
            };
            thread.inside(thread.seat_in(session.pool.shared()).member(), || {
                f();
                // Tasks that no thread waited for.
                while session.run_a_task() {}
            });
        }))
    };
    session.wait_for_other();
    let lost = lock(&session.panic).take();
    if let Some(payload) = result.err().or(lost) {
        eprintln!(
            "sumac: this fails in the order of seed {seed}: sumac::testing::replay({seed}, ..)"
        );
        panic::resume_unwind(payload);
    }
}

fn session() -> Option<Arc<Session>> {
    SESSION.try_with(|session| session.borrow().clone()).ok()?
}

impl Session {
    fn below(&self, bound: u64) -> u64 {
        self.watch.decided.fetch_add(1, Ordering::Relaxed);
        lock(&self.random).below(bound)
    }

    /// Decides whether the second half of a join runs before the first, and whether it runs on the
    /// other thread.
    fn order(&self) -> (bool, bool) {
        let n = self.below(4);
        (n < 2, (n == 1 || n == 2) && self.is_free())
    }

    fn is_free(&self) -> bool {
        !self.busy.load(Ordering::Acquire)
    }

    /// Calls `f` on the other thread, inside the session, and waits for it.
    fn elsewhere<R: Send>(self: &Arc<Self>, f: impl FnOnce() -> R + Send) -> R {
        self.busy.store(true, Ordering::Release);
        let away = inside(None);
        let result = panic::catch_unwind(AssertUnwindSafe(|| {
            self.other.install(|| {
                let _inside = inside(Some(Arc::clone(self)));
                self.pool.install(f)
            })
        }));
        drop(away);
        self.busy.store(false, Ordering::Release);
        result.unwrap_or_else(|payload| panic::resume_unwind(payload))
    }

    /// Runs a queued task here, on a thread that is in the session; false if there is none. Pools
    /// of the program's own have theirs run by their threads, where nothing is in the middle.
    fn run_a_task(&self) -> bool {
        find::run_any(|pool| ptr::eq(pool, Arc::as_ptr(self.pool.shared())))
    }

    /// Perhaps runs a queued task on the other thread.
    fn perhaps_run_a_task(self: &Arc<Self>, one_in: u64) {
        let queued = || self.pool.shared().members.have_tasks();
        if !queued() || self.below(one_in) != 0 || !self.is_free() {
            return;
        }
        self.busy.store(true, Ordering::Release);
        let _away = inside(None);
        let (send, receive) = mpsc::channel();
        let session = Arc::clone(self);
        drop(self.other.spawn(move || {
            let inside = inside(Some(Arc::clone(&session)));
            swallow(|| {
                session.pool.install(|| session.run_a_task());
            });
            drop(inside);
            session.busy.store(false, Ordering::Release);
            // The first thread may have gone on.
            let _ = send.send(());
        }));
        // If it waits for a lock of ours, it goes on beside us.
        let _ = receive.recv_timeout(PATIENCE);
    }

    fn wait_for_other(&self) {
        while !self.is_free() {
            thread::sleep(Duration::from_micros(100));
        }
    }
}

/// The results of the two halves of a join. The second is `None` if the first panicked before the
/// second started.
pub(crate) type Halves<RA, RB> = (thread::Result<RA>, Option<thread::Result<RB>>);

fn caught<R>(f: impl FnOnce() -> R) -> thread::Result<R> {
    panic::catch_unwind(AssertUnwindSafe(f))
}

/// Runs a join on a thread that is in a session. The argument of `b` is whether it runs elsewhere.
pub(crate) fn join<RA, RB: Send>(
    a: impl FnOnce() -> RA,
    b: impl FnOnce(bool) -> RB + Send,
) -> Halves<RA, RB> {
    let Some(session) = session() else {
        unreachable!("only called in a session");
    };
    session.perhaps_run_a_task(8);
    let (first, elsewhere) = session.order();
    let b = || match elsewhere {
        false => caught(|| b(false)),
        true => caught(|| session.elsewhere(|| b(true))),
    };
    if first {
        let rb = b();
        return (caught(a), Some(rb));
    }
    let ra = caught(a);
    let rb = ra.is_ok().then(b);
    (ra, rb)
}

/// Runs a scope's join on a thread that is in a session.
pub(crate) fn scoped_join<RA, RB>(
    scope: &mut Scope<'_>,
    a: impl FnOnce(&mut Scope<'_>) -> RA,
    b: impl FnOnce(&mut Scope<'_>) -> RB,
) -> Halves<RA, RB> {
    let Some(session) = session() else {
        unreachable!("only called in a session");
    };
    session.perhaps_run_a_task(8);
    if session.below(2) == 0 {
        let rb = caught(|| b(&mut *scope));
        return (caught(|| a(scope)), Some(rb));
    }
    let ra = caught(|| a(&mut *scope));
    let rb = ra.is_ok().then(|| caught(|| b(scope)));
    (ra, rb)
}

/// What a loop does between two blocks.
pub(crate) enum Between {
    /// Goes on.
    Nothing,
    /// Gives a part away, which stays offered until the loop takes it back.
    Give,
    /// Gives a part away that is run at once.
    GiveAndRun,
}

/// Returns what a loop on this thread, which is in a session, does next.
pub(crate) fn between_blocks() -> Between {
    let Some(session) = session() else {
        return Between::Nothing;
    };
    session.perhaps_run_a_task(8);
    match session.below(6) {
        0 => Between::Give,
        1 | 2 => Between::GiveAndRun,
        _ => Between::Nothing,
    }
}

/// Runs a part that a loop of this thread, which sits on `member`, has just given away, here or
/// elsewhere.
pub(crate) fn run_part(member: &Member, job: Taken<'_>) {
    let run = |me: &Member| {
        if let Some(thread) = Thread::current() {
            run::execute(&thread, me, job, Outside::MayGive);
        }
    };
    let session = session().filter(|session| {
        let is_its_own = ptr::eq(member.shared(), Arc::as_ptr(session.pool.shared()));
        is_its_own && session.is_free() && session.below(2) == 0
    });
    match session {
        Some(session) => session.elsewhere(|| {
            let ran = seat::at_current((), |(), me| run(me));
            debug_assert!(ran.is_ok(), "a thread that works has a record");
        }),
        None => run(member),
    }
}

/// Possibly lets the other thread run: called when a thread has queued a task, or waits.
pub(crate) fn turn() {
    if let Some(session) = session() {
        session.perhaps_run_a_task(3);
    }
}

/// Returns whether a worker takes the oldest of a scope's tasks instead of its own newest: perhaps,
/// in a session.
pub(crate) fn takes_oldest(tasks: impl Fn() -> usize) -> bool {
    // A wait that looks for tasks decides nothing, or no deadlock would be found.
    let session = session().filter(|_| tasks() > 1);
    session.is_some_and(|session| session.below(2) == 0)
}

/// Returns the time of loops, if this thread is in a session: it counts how often it is read.
pub(crate) fn clock() -> Option<u64> {
    let session = is_active().then(session)??;
    Some(session.clock.fetch_add(CLOCK_STEP, Ordering::Relaxed))
}

/// Runs a queued task instead of waiting, on a thread that is in a session.
fn wait() {
    if session().is_some_and(|session| session.run_a_task()) {
        return;
    }
    // The other thread, or one of the program's threads, may end the wait.
    thread::sleep(Duration::from_micros(100));
}

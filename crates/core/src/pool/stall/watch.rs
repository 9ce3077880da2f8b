//! The watch: a thread that looks now and then whether a pool stalls, if its builder or the
//! environment asks for it.
//!
//! **A stall** is that work waits, and that no thread which may take it has looked for work for
//! the time `after` (`Shared::waiting_looks`). Threads count their looks (`Counters::looks`) on the
//! cold path: in the cycle of a worker, in the reserve after each task and call, in a yield, after
//! each task of a scope, and when a wait finds something. A vain look of a thread that waits is
//! none: it does not look for what waits here. Offered jobs alone are no waiting work, since their
//! owner runs them; but they are if it is in `blocking`.
//!
//! ```text
//!   dormant ── work is published ──► watching: looks four times in `after`
//!      ▲                               │    │
//!      └── nothing waits, and no ──────┘    └── work waits, and no thread has looked since
//!          added thread is needed               four looks or more: reports, and again when
//!                                               that has lasted twice as long
//! ```
//!
//! * **Nothing while nothing waits.** The watch is dormant as a leader is (dormancy.rs): a thread
//!   that publishes a job, a task or a call wakes it, after the fence of its publication; L5 is
//!   `may_stall`. A scope that is in a queue gets tasks without a publication: so the watch is
//!   awake while any entry is. Its thread starts with the first publication. If the system refuses
//!   that, it is tried again after a second.
//! * **A process that was stopped does not stall**: the time between two looks counts as no more
//!   than it should have been, and at least four looks follow the last change.
//! * **It keeps nothing alive.** It holds the pool only while it looks, and no guard. It ends when
//!   the pool is terminating, as the tasks have ended (ending.rs): the thread that writes that
//!   unparks it afterwards, and the parker keeps the token. Whatever takes a token is followed by a
//!   look at that before the watch sleeps again. (A pool that is dropped may still stall.)
//! * **Users' code**, the handler, runs on this thread, with nothing held but the handler itself.
//!   That is dropped with the pool's last guard, without locks, or, if it runs then, by this thread
//!   afterwards.
//!
//! **Added threads** are spares that stand in for threads which stall: for each, one more counts as
//! blocked (protocol/spares.rs), and if spares stall, it is one that counts. There are no more of
//! them than threads that stall and are neither idle nor in `blocking`, which have spares of their
//! own. None is added for calls, which it could not take, nor if the stall has ended while the
//! handler ran, nor counted if the system refuses it: the next report asks again. The reason is
//! over when fewer of those threads that stalled when the last one was added are still in the pool
//! and have not looked for work since: then one fewer counts as blocked, and a spare is left over.
//! Until then the watch stays awake, also if nothing waits.
//!
//! **What waits for what.** The watch waits for nothing but its handler; while that runs, all added
//! threads stay. Only `wait_until_stopped` and `shutdown` wait for the watch, which panic in the
//! handler. While a shutdown waits, the watch looks often, so that this does not wait for a pause.

use super::{OnStall, Stall};
use crate::{
    join::member::{Member, site::WaitsFor},
    pool::{on_call::OnCall, own_threads::with_stack, shared::Shared},
    protocol::{
        parker::Parker,
        primitive::{AtomicU64, Instant, Mutex, Ordering, lock, spawn},
    },
    unwind::{self, Finally, swallow},
};
use std::{
    cell::Cell,
    panic::{self, AssertUnwindSafe},
    ptr,
    sync::{Arc, Weak},
    time::Duration,
};

pub(in crate::pool) type Handler = Arc<dyn Fn(&Stall) -> OnStall + Send + Sync>;

/// How many looks lie in the time after which there is a report.
const LOOKS: u32 = 4;
/// The least time between two looks.
const LEAST: Duration = Duration::from_millis(1);
/// The greatest while there are added threads, or a shutdown waits.
const MOST_SHORT: Duration = Duration::from_millis(20);
/// The greatest of all, so that sums of times do not overflow.
const MOST: Duration = Duration::from_secs(1 << 30);
/// For how long no thread is started after the system has refused it, in nanoseconds.
const AFTER_REFUSAL: u64 = 1_000_000_000;

thread_local! {
    /// The watch whose thread this is.
    static HERE: Cell<*const StallWatch> = const { Cell::new(ptr::null()) };
}

pub(crate) struct StallWatch {
    thread: OnCall,
    /// Where the thread sleeps. An unpark ends a pause.
    pub(in crate::pool) parker: Parker,
    /// The time between two looks.
    step: Duration,
    /// Until when, on the pool's clock, the thread is not started, since the system refused it.
    refused_until: AtomicU64,
    /// `None` when the last guard has been dropped.
    handler: Mutex<Option<Handler>>,
}

impl StallWatch {
    pub(in crate::pool) fn new(after: Duration, handler: Handler) -> Arc<Self> {
        Arc::new(StallWatch {
            thread: OnCall::new(),
            parker: Parker::new(),
            step: (after / LOOKS).clamp(LEAST, MOST),
            refused_until: AtomicU64::new(0),
            handler: Mutex::new(Some(handler)),
        })
    }

    /// After a publication and a fence: starts or wakes the thread. (Not in a child of the pool's
    /// process, which may find its locks locked.)
    fn come(self: &Arc<Self>, pool: &Shared) {
        // All is run in turns.
        if crate::testing::active::is_active() {
            return;
        }
        let may_start = || pool.now() >= self.refused_until.load(Ordering::Relaxed);
        if !self.thread.has_started() && !pool.is_forked() && may_start() {
            self.thread.start(pool, &|pool| {
                let (watch, weak) = (Arc::clone(self), Arc::downgrade(pool));
                let builder = with_stack(None).name("sumac-watch".into());
                spawn(builder, move || watch.live(&weak)).inspect_err(|_| {
                    let until = pool.now() + AFTER_REFUSAL;
                    self.refused_until.store(until, Ordering::Relaxed);
                })
            });
        }
        if self.thread.sleeper.wake() && !pool.is_forked() {
            self.parker.unpark();
        }
    }

    /// Drops the handler, since the last guard has been dropped.
    pub(in crate::pool) fn end(&self) {
        let handler = lock(&self.handler).take();
        swallow(|| drop(handler));
    }

    /// Returns whether the calling thread is one of the watch.
    pub(in crate::pool) fn is_here(&self) -> bool {
        ptr::eq(HERE.get(), self)
    }

    fn live(&self, pool: &Weak<Shared>) {
        // In destructors of thread-locals another watch may be at this address.
        let _gone = Finally(|| HERE.set(ptr::null()));
        HERE.set(self);
        let mut watching = Watching {
            watch: self,
            looks: None,
            quiet: Duration::ZERO,
            report_at: Duration::ZERO,
            stalled: Vec::new(),
            added: Vec::new(),
        };
        let is_over = || {
            pool.upgrade()
                .is_none_or(|pool| pool.ending.is_terminating())
        };
        let is_stopping = || pool.upgrade().is_some_and(|pool| pool.is_stopping());
        while !is_over() {
            let stall = pool.upgrade().map(|pool| watching.look(&pool));
            match stall {
                Some(Look::Stall(stall)) => watching.report(stall, pool),
                Some(Look::Nothing) if watching.added.is_empty() => {
                    let comes = || pool.upgrade().is_some_and(|pool| pool.may_stall());
                    let ends = |pool: Arc<Shared>| self.thread.ends(&pool, comes);
                    if pool.upgrade().is_some_and(ends) {
                        return;
                    }
                    let is_over = || is_over() || is_stopping();
                    let park = || self.parker.park(None);
                    self.thread.sleeper.sleep(|| (), comes, is_over, park);
                    // It may have used the token of the end.
                    if is_over() {
                        continue;
                    }
                }
                _ => {}
            }
            watching.pause(is_stopping());
        }
    }
}

/// What the watch has seen.
struct Watching<'w> {
    watch: &'w StallWatch,
    /// How often threads had looked for work, if some waited (`Shared::waiting_looks`).
    looks: Option<u64>,
    /// For how long that has not changed, and when to report it.
    quiet: Duration,
    report_at: Duration,
    /// The threads that stalled when the last thread was added.
    stalled: Vec<Stalled>,
    /// The threads that have been added and are needed: whether each counts as a blocked spare.
    added: Vec<bool>,
}

/// A thread, how often it has looked for work, and since when it is in its call.
type Stalled = (*const Member, u64, u64);

fn stalled(member: &Member) -> Stalled {
    (
        ptr::from_ref(member),
        member.counters.looks.get(),
        member.site.since(),
    )
}

enum Look {
    /// Nothing waits, nor will without a publication.
    Nothing,
    /// Something does, or may.
    Work,
    /// It has waited for long.
    Stall(Stall),
}

impl Watching<'_> {
    fn look(&mut self, pool: &Shared) -> Look {
        let looks = pool.waiting_looks();
        self.release(pool);
        if looks.is_none() || self.looks != looks {
            self.looks = looks;
            self.quiet = Duration::ZERO;
            self.report_at = self.watch.step * LOOKS;
        }
        if looks.is_none() && !pool.may_stall() {
            return Look::Nothing;
        }
        if looks.is_none() || self.quiet < self.report_at {
            return Look::Work;
        }
        self.report_at = self.quiet * 2;
        Look::Stall(pool.describe_stall(self.quiet))
    }

    /// Sleeps until the next look.
    fn pause(&mut self, is_stopping: bool) {
        let step = match is_stopping || !self.added.is_empty() {
            true => self.watch.step.min(MOST_SHORT),
            false => self.watch.step,
        };
        let start = Instant::now();
        self.watch.parker.park(Some(step));
        self.quiet += start.elapsed().min(step);
    }

    /// Calls the handler, and does what it says.
    fn report(&mut self, stall: Stall, pool: &Weak<Shared>) {
        let handler = lock(&self.watch.handler).clone();
        let Some(handler) = handler else { return };
        let answer = panic::catch_unwind(AssertUnwindSafe(|| handler(&stall)));
        swallow(|| drop(handler));
        let Some(pool) = pool.upgrade() else { return };
        match answer {
            Ok(OnStall::Wait) => {}
            Ok(OnStall::AddThread) => self.add(&pool),
            Err(payload) => {
                let panic = pool.panic.clone();
                drop(pool);
                match &panic {
                    Some(panic) => swallow(|| panic(payload)),
                    None => unwind::discard(payload),
                }
                swallow(|| drop(panic));
            }
        }
    }

    /// Adds a thread, if there may be one that takes what still waits.
    fn add(&mut self, pool: &Shared) {
        let is_over = pool.waiting_looks() != self.looks;
        if is_over || !pool.has_waiting_tasks() || pool.has_idle() || pool.is_forked() {
            return;
        }
        let stands_alone = |m: &&Member| m.site.waits_for() != WaitsFor::Blocking;
        let mut busy = pool.threads_there();
        busy.retain(|m| !m.is_idle());
        let of_spare = busy.iter().any(|m| pool.threads.is_spare(m.index));
        busy.retain(stands_alone);
        self.stalled = busy.into_iter().map(stalled).collect();
        // Spares that are left over may stall, too.
        while self.added.len() < self.stalled.len().min(pool.spares.max()) {
            self.added.push(of_spare);
            pool.spares.block(of_spare);
            if pool.call_spare() {
                self.looks = None;
                return;
            }
            if pool.spares.is_one_missing() {
                return self.give_back(pool);
            }
        }
    }

    /// Counts the threads that no longer stall.
    fn release(&mut self, pool: &Shared) {
        if self.added.is_empty() {
            return;
        }
        let now: Vec<_> = pool.threads_there().into_iter().map(stalled).collect();
        self.stalled.retain(|thread| now.contains(thread));
        while self.added.len() > self.stalled.len() {
            self.give_back(pool);
        }
    }

    /// One thread that has been added is needed no more.
    fn give_back(&mut self, pool: &Shared) {
        if let Some(of_spare) = self.added.pop() {
            pool.spares.unblock(of_spare);
            pool.end_lending();
        }
    }
}

impl Shared {
    /// After a publication and a fence: calls the watch, if there is one.
    #[inline]
    pub(crate) fn call_watch(&self) {
        if let Some(watch) = &self.stall {
            watch.come(self);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pool::{builder::ThreadPoolBuilder, callers::Callers, thread_pool::ThreadPool};
    use std::sync::mpsc;
    use sumac_test_support::{LONG, wait_until, within};

    /// Tasks of the pool that have begun, and wait until these are dropped.
    fn held(pool: &ThreadPool, tasks: usize) -> Vec<mpsc::Sender<()>> {
        let (begun, has_begun) = mpsc::channel();
        let ends = (0..tasks).map(|_| {
            let (send, receive) = mpsc::channel::<()>();
            let begun = begun.clone();
            drop(pool.spawn(move || {
                begun.send(()).ok();
                receive.recv().ok();
            }));
            send
        });
        let ends = ends.collect();
        for _ in 0..tasks {
            has_begun.recv_timeout(LONG).expect("it begins");
        }
        ends
    }

    fn is_none_needed(pool: &ThreadPool) -> bool {
        let spares = &pool.shared().spares;
        wait_until(LONG, || spares.on_and_blocked().1 == 0)
    }

    /// No spare is needed any more when the threads go on that had stalled.
    #[test]
    fn what_is_added_is_needed_no_more() {
        let builder = ThreadPoolBuilder::new().num_threads(1);
        let builder = builder.callers(Callers::Wait);
        let builder = builder.stall_handler(LEAST, |_| OnStall::AddThread);
        let pool = builder.build().expect("a pool");
        let ends = held(&pool, 3);
        pool.install(|| ());
        let spares = &pool.shared().spares;
        assert_eq!(spares.on_and_blocked(), (3, 3));
        drop(ends);
        assert!(is_none_needed(&pool));
        pool.wait_until_stopped();
    }

    /// Nor when the reserve goes on, which then has nothing to do.
    #[test]
    fn what_is_added_for_the_reserve_is_needed_no_more() {
        let builder = ThreadPoolBuilder::new().num_threads(2);
        let builder = builder.stall_handler(LEAST * 40, |_| OnStall::AddThread);
        let pool = builder.build().expect("a pool");
        // A worker and the reserve: this thread takes no part.
        let ends = held(&pool, 2);
        let (send, receive) = mpsc::channel();
        drop(pool.spawn(move || {
            drop(ends);
            send.send(()).ok();
        }));
        receive.recv_timeout(LONG).expect("a spare runs it");
        assert!(is_none_needed(&pool));
        pool.wait_until_stopped();
    }

    /// A shutdown ends the watch when the work has ended that waited, however long its pauses are.
    #[test]
    fn a_shutdown_waits_for_no_pause() {
        let builder = ThreadPoolBuilder::new().num_threads(1);
        let builder = builder.callers(Callers::Wait);
        let builder = builder.stall_handler(LONG * 100, |_| OnStall::Wait);
        let pool = Arc::new(builder.build().expect("a pool"));
        let ends = held(&pool, 1);
        drop(pool.spawn(|| ()));
        within(LONG, "the end of the watch", move || {
            std::thread::scope(|threads| {
                threads.spawn(|| pool.shutdown());
                assert!(wait_until(LONG, || pool.shared().is_stopping()));
                // The watch sees once more that work waits.
                std::thread::sleep(LEAST * 20);
                drop(ends);
            });
        });
    }

    /// None is added by an answer that comes when the stall is over.
    #[test]
    fn a_late_answer_adds_nothing() {
        let ((run, runs), (go_on, goes_on)) = (mpsc::channel(), mpsc::channel::<()>());
        let goes_on = std::sync::Mutex::new(goes_on);
        let builder = ThreadPoolBuilder::new().num_threads(1);
        let builder = builder.callers(Callers::Wait);
        let builder = builder.stall_handler(LEAST, move |_| {
            run.send(()).ok();
            goes_on.lock().expect("no panic").recv().ok();
            OnStall::AddThread
        });
        let pool = builder.build().expect("a pool");
        let ends = held(&pool, 1);
        let second = pool.spawn(|| ());
        runs.recv_timeout(LONG).expect("it stalls");
        drop(ends);
        second.join();
        drop(go_on);
        let shared = Arc::clone(pool.shared());
        pool.wait_until_stopped();
        assert_eq!(shared.spares.on_and_blocked(), (0, 0));
    }
}

//! A handover: a closure that an outside thread hands over to a pool, and waits for.
//!
//! One allocation, shared by the caller and the queue. The closure stays in the caller's frame, and
//! so does its result.
//!
//! * **The caller stays** until the handover is done: it waits without unwinding. The handover is
//!   queued once, and the thread that takes it from the queue completes it: it runs the closure,
//!   or, if the pool has ended, leaves it to the caller. Before that the entry is in the queue, so
//!   threads that look at it there find the caller waiting. After that it is only memory.
//! * **The end comes last.** The run of the closure has ended before the handover is done, and no
//!   user code follows: only the caller's parker is woken.
//! * A caller that is a thread of another pool may be needed there meanwhile: it answers calls
//!   (wait.rs), but helps with nothing else. A call that it answers may wait for tasks that the
//!   closure spawns, so it is not relied on to poll for the end (nap.rs). All other callers only
//!   poll.

use super::awaited::AwaitedCompletion;
use crate::{
    carry::Carried,
    join::{
        job::Payload,
        lineage::Lineage,
        member::Member,
        run::{self, JobRun, Outside},
        thread::Thread,
    },
    pool::{queue::Queued, shared::Shared},
    protocol::{
        completion::Completion,
        primitive::{AtomicPtr, Ordering},
    },
    unwind,
};
use std::{
    cell::UnsafeCell,
    mem,
    panic::{self, AssertUnwindSafe},
    ptr,
    sync::Arc,
};

type Work<'w> = dyn FnMut() + Send + 'w;

struct Handover {
    completion: Completion,
    lineage: Lineage,
    /// The run around the caller.
    caller: AtomicPtr<JobRun>,
    /// Whether the caller is a thread of another pool.
    answers: bool,
    /// The closure, until the handover is done.
    work: *mut Work<'static>,
    end: UnsafeCell<HandoverEnd>,
}

/// The outcome of a handover. Written by the thread that took it, before it is done; then owned by
/// the caller.
enum HandoverEnd {
    /// No thread has run the closure, nor will.
    Unrun,
    Returned,
    Panicked(Payload),
}

// SAFETY: the closure is `Send`, and `end` has one owner at a time (`HandoverEnd`); all else is
// shared safely.
unsafe impl Sync for Handover {}
// SAFETY: as for `Sync`; `caller` is only an address here.
unsafe impl Send for Handover {}

/// Calls `work` once on a thread of `pool`, or, if the pool ends meanwhile, on the calling thread,
/// which is outside of the pool.
///
/// # Panics
/// If `work` does.
pub(crate) fn hand_over(pool: &Shared, work: &mut Work<'_>) {
    #[cfg(feature = "hooks")]
    let ends = Arc::default();
    #[cfg(feature = "hooks")]
    let mut work = {
        let mut spawned = Some(crate::hooks::Spawned::new(&ends));
        move || match spawned.take() {
            Some(spawned) => spawned.run(&mut *work),
            None => work(),
        }
    };
    #[cfg(feature = "hooks")]
    let work: &mut Work<'_> = &mut work;

    let mut carried = Some(Carried::from_here());
    let mut work = move || match carried.take() {
        Some(carried) => carried.around(&mut *work),
        None => work(),
    };
    let work: &mut Work<'_> = &mut work;

    let erased: *mut Work<'_> = work;
    // SAFETY: only the lifetime changes; `wait` returns when the handover is done, and it is not
    // used after that (*the caller stays*).
    let erased = unsafe { mem::transmute::<*mut Work<'_>, *mut Work<'static>>(erased) };
    let (caller, answers) = Thread::current().map_or((ptr::null(), false), |thread| {
        (thread.run().0, thread.own(0).is_some())
    });
    let handover = Arc::new(Handover {
        completion: Completion::new(),
        lineage: Lineage::new(),
        caller: AtomicPtr::new(caller.cast_mut()),
        answers,
        work: erased,
        end: UnsafeCell::new(HandoverEnd::Unrun),
    });
    let mut is_queued = false;
    let queued = panic::catch_unwind(AssertUnwindSafe(|| {
        pool.at_any_seat(|pool, me| {
            is_queued = true;
            pool.queue(me, Arc::<Handover>::clone(&handover));
        });
    }));
    if is_queued {
        // Panics of user code that runs inside, in calls from another pool, are caught.
        unwind::abort_on_panic(|| handover.wait(pool));
    }
    // SAFETY: the handover is done, or has never been queued (`HandoverEnd`).
    let end = mem::replace(unsafe { &mut *handover.end.get() }, HandoverEnd::Unrun);
    if let (Ok(()), HandoverEnd::Unrun) = (&queued, &end) {
        work();
    }
    #[cfg(feature = "hooks")]
    crate::hooks::awaited(&ends);
    match (queued, end) {
        (Ok(()), HandoverEnd::Unrun | HandoverEnd::Returned) => {}
        (Ok(()), HandoverEnd::Panicked(payload)) => panic::resume_unwind(payload),
        // The destructor of a pool's handler, or of a task that the queue had kept, has panicked.
        (Err(payload), end) => {
            if let HandoverEnd::Panicked(later) = end {
                unwind::discard(later);
            }
            panic::resume_unwind(payload)
        }
    }
}

impl Handover {
    fn wait(&self, pool: &Shared) {
        AwaitedCompletion::new(&self.completion, &self.lineage)
            .of_pool(pool, ptr::from_ref(self))
            .wait_here();
    }

    /// Ends the handover.
    ///
    /// # Safety
    /// The caller has taken the handover out of the queue, and touches neither the closure nor what
    /// waits for it afterwards.
    unsafe fn finish(&self, end: HandoverEnd) {
        // SAFETY: not yet done (`HandoverEnd`). What it replaces has no destructor.
        unsafe { *self.end.get() = end };
        self.completion.finish();
    }
}

impl Queued for Handover {
    fn run(self: Arc<Self>, thread: &Thread, me: &Member, outside: Outside) {
        self.completion.stage.claim();
        let run = |level| {
            self.lineage.taker.set(me, level);
            // SAFETY: taken out of the queue, so the caller waits, and does not touch it.
            let work = unsafe { &mut *self.work };
            panic::catch_unwind(AssertUnwindSafe(work))
        };
        // SAFETY: the caller, whose run `caller` is, stays until the handover is done.
        let result = unsafe { run::task(thread, me, &self.lineage, &self.caller, outside, run) };
        let end = result.map_or_else(HandoverEnd::Panicked, |()| HandoverEnd::Returned);
        // SAFETY: taken out of the queue; the last that we do.
        unsafe { self.finish(end) };
    }

    fn cancel(&self) {
        // SAFETY: taken out of the queue; the last that we do.
        unsafe { self.finish(HandoverEnd::Unrun) };
    }

    fn is_spent(&self) -> bool {
        false
    }

    fn is_part_of(&self, lineage: &Lineage) -> bool {
        // SAFETY: the caller stays while this is in the queue, which our caller has locked.
        unsafe { JobRun::is_inside(self.caller.load(Ordering::Acquire), lineage) }
    }

    fn caller_looks(&self) -> bool {
        !self.answers && !self.completion.has_waker()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::{Callers, ThreadPool, ThreadPoolBuilder};
    use std::{sync::mpsc, thread};
    use sumac_test_support::{LONG, within};

    fn pool_of_one() -> ThreadPool {
        let one = ThreadPoolBuilder::new().num_threads(1);
        one.callers(Callers::Wait).build().expect("a pool")
    }

    /// The thread on which the closure of a handover runs. It borrows from this frame.
    fn place_of_a_call(pool: &Shared) -> Option<thread::ThreadId> {
        let mut place = None;
        hand_over(pool, &mut || place = Some(thread::current().id()));
        place
    }

    #[test]
    fn a_pool_that_has_ended_leaves_handovers_to_their_callers() {
        within(LONG, "its end", || {
            let pool = pool_of_one();
            let shared = Arc::clone(pool.shared());
            let here = thread::current().id();
            assert!(place_of_a_call(&shared).is_some_and(|place| place != here));
            pool.wait_until_stopped();
            assert!(shared.ending.tasks_ended());
            assert_eq!(place_of_a_call(&shared), Some(here));
            let mut throw = || panic::resume_unwind(Box::new(5));
            let thrown = panic::catch_unwind(AssertUnwindSafe(|| hand_over(&shared, &mut throw)));
            assert_eq!(thrown.expect_err("it panics").downcast_ref(), Some(&5));
        });
    }

    #[test]
    fn a_call_that_is_cancelled_is_left_to_its_caller() {
        within(LONG, "cancelled", || {
            let pool = pool_of_one();
            let shared = pool.shared();
            let (begun, has_begun) = mpsc::channel();
            let (end, ended) = mpsc::channel::<()>();
            let held = pool.spawn(move || {
                begun.send(()).expect("the test waits");
                ended.recv().is_ok()
            });
            has_begun.recv().expect("the worker begins");
            thread::scope(|threads| {
                let caller = threads.spawn(|| place_of_a_call(shared));
                let is_queued = || {
                    shared
                        .members
                        .iter()
                        .any(|member| !member.queues.tasks.is_empty())
                };
                while !is_queued() {
                    thread::yield_now();
                }
                shared.cancel_tasks();
                let here = caller.thread().id();
                assert_eq!(caller.join().expect("no panic"), Some(here));
            });
            end.send(()).expect("the task waits");
            assert!(held.join());
            pool.wait_until_stopped();
        });
    }
}

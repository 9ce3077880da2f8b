//! A call: a task that an outside thread hands over to a pool, and waits for.
//!
//! Its closure borrows from the caller's frame, and so does its result.
//!
//! * **The caller stays** until the task is done: it waits without unwinding. So the task names the
//!   caller's run from the beginning. The thread that takes the task from the queue runs the
//!   closure, or, if the pool has ended, drops it: then the caller does its work itself.
//! * A caller that is a thread of another pool may be needed there meanwhile: it answers calls
//!   (wait.rs), but helps with nothing else. A call that it answers may wait for tasks that the
//!   closure spawns, so it is not relied on to poll for the end (nap.rs). All other callers only
//!   poll.

use super::{outcome::JoinError, work::Task};
use crate::{
    carry::Carried,
    hooks,
    join::{
        hot_path::join,
        member::site::Line,
        thread::{Current, Thread},
    },
    pool::{queue::Queued, seat, seats::Seat, shared::Shared, thread_pool::ThreadPool},
    protocol::completion::Completion,
    unwind,
};
use std::{
    mem,
    panic::{self, AssertUnwindSafe, Location},
    ptr,
    rc::Rc,
    sync::Arc,
};

type Work<'w> = dyn FnMut() + Send + 'w;

/// Calls `work` once on a thread of `pool`, or, if the pool ends meanwhile, on the calling thread,
/// which is outside of the pool. The call is on this line of the program, if it is known.
///
/// # Panics
/// If `work` does.
fn call(pool: &Shared, line: Option<Line>, work: &mut Work<'_>) {
    let ends = hooks::Ends::default();
    let (carried, mut spawned) = (Carried::from_here(), Some(hooks::Spawned::new(&ends)));
    let mut work = move || match spawned.take() {
        Some(spawned) => spawned.run(&mut *work),
        None => work(),
    };
    let work: &mut Work<'_> = &mut work;

    let borrowed: &mut Work<'_> = &mut *work;
    // SAFETY: only the lifetime changes. Nothing unwinds from when the task is queued until
    // `wait_for_call` has returned; then it is done, and no thread uses the closure any more (*the
    // caller stays*). The frames that the closure was passed through have ended by then, too.
    let erased = unsafe { mem::transmute::<&mut Work<'_>, &'static mut Work<'static>>(borrowed) };
    let (caller, answers) = Thread::current().map_or((ptr::null(), false), |thread| {
        (thread.run().0, thread.own(0).is_some())
    });
    let call = move || erased();
    let mut task = None;
    let queued = panic::catch_unwind(AssertUnwindSafe(|| {
        pool.at_any_seat(|pool, me| {
            let completion = Completion::of_call(!answers);
            let link = me.queues.pool();
            let called = task.insert(Task::new(link, call, carried, completion, caller, line));
            let queued: Arc<dyn Queued> = Arc::<Task<_>>::clone(called);
            pool.queue(me, queued);
        });
    }));
    let outcome = match task {
        // Panics of user code that runs inside, in calls from another pool, are caught.
        Some(task) => unwind::abort_on_panic(|| task.wait_for_call(pool)),
        None => Err(JoinError::pool_ended()),
    };
    let panicked = match outcome.map_err(JoinError::into_panic) {
        Ok(()) => None,
        Err(Ok(payload)) => Some(payload),
        Err(Err(_)) => {
            if queued.is_ok() {
                work();
            }
            None
        }
    };
    hooks::awaited(&ends);
    match (queued, panicked) {
        (Ok(()), None) => {}
        (Ok(()), Some(payload)) => panic::resume_unwind(payload),
        // The destructor of a pool's handler, or of a task that the queue had kept, has panicked.
        (Err(payload), later) => {
            if let Some(later) = later {
                unwind::discard(later);
            }
            panic::resume_unwind(payload)
        }
    }
}

impl ThreadPool {
    /// Runs `op` on the calling thread, with this pool as the current one for plain joins inside.
    ///
    /// The caller takes part in the pool's work for as long as `op` runs. A pool whose callers wait
    /// (see [`num_threads`](crate::ThreadPoolBuilder::num_threads)) runs `op` on one of its
    /// threads.
    ///
    /// # Examples
    ///
    /// ```
    /// let pool = sumac::ThreadPoolBuilder::new().num_threads(2).build()?;
    /// let sum = pool.install(|| {
    ///     let (a, b) = sumac::join(|| (1..=50).sum::<u32>(), || (51..=100).sum::<u32>());
    ///     assert_eq!(sumac::current_num_threads(), 2);
    ///     a + b
    /// });
    /// assert_eq!(sum, 5050);
    /// # Ok::<(), sumac::ThreadPoolBuildError>(())
    /// ```
    ///
    /// # Cost
    /// Some tens of nanoseconds; the first time on a thread some microseconds. If `op` is handed
    /// over, a microsecond or two, or a wake-up.
    ///
    /// # Panics
    /// If `op` does.
    #[track_caller]
    pub fn install<OP, R>(&self, op: OP) -> R
    where
        OP: FnOnce() -> R + Send,
        R: Send,
    {
        self.install_from(Some(Location::caller()), op)
    }

    /// Does as [`install`](Self::install), for a call on this line of the program.
    #[doc(hidden)]
    pub fn install_from<OP, R>(&self, line: Option<&'static Location<'static>>, op: OP) -> R
    where
        OP: FnOnce() -> R + Send,
        R: Send,
    {
        if seat::is_outside(self.shared()) {
            let mut result = None;
            let mut op = Some(op);
            let mut work = || result = op.take().map(|op| op());
            call(self.shared(), line, &mut work);
            return result.expect("a panic of the operation goes on here");
        }
        let seat = self.sit();
        let seat = seat.as_ref();
        Thread::inside_if(
            seat.map(|(thread, seat)| (&**thread, seat.member(), line)),
            op,
        )
    }

    /// Calls [`join`](crate::join) inside [`install`](Self::install).
    ///
    /// # Examples
    ///
    /// ```
    /// let pool = sumac::ThreadPoolBuilder::new().num_threads(2).build()?;
    /// let mut numbers = [4, 3, 2, 1];
    /// let (left, right) = numbers.split_at_mut(2);
    /// pool.join(|| left.sort(), || right.sort());
    /// assert_eq!(numbers, [3, 4, 1, 2]);
    /// # Ok::<(), sumac::ThreadPoolBuildError>(())
    /// ```
    ///
    /// # Panics
    /// As [`join`](crate::join).
    #[track_caller]
    pub fn join<A, B, RA, RB>(&self, a: A, b: B) -> (RA, RB)
    where
        A: FnOnce() -> RA + Send,
        B: FnOnce() -> RB + Send,
        RA: Send,
        RB: Send,
    {
        self.install(|| join(a, b))
    }

    /// Returns the calling thread's seat; `None` if its record has ended.
    fn sit(&self) -> Option<(Current, Rc<Seat>)> {
        let thread = Thread::current()?;
        if !self.shared().threads.has_workers() {
            self.shared().follow_processors();
        }
        let seat = thread.seat_in(self.shared());
        Some((thread, seat))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pool::{builder::ThreadPoolBuilder, callers::Callers};
    use std::{sync::mpsc, thread};
    use sumac_test_support::{LONG, within};

    fn pool_of_one() -> ThreadPool {
        let one = ThreadPoolBuilder::new().num_threads(1);
        one.callers(Callers::Wait).build().expect("a pool")
    }

    /// The thread on which the closure of a call runs. It borrows from this frame.
    fn place_of_a_call(pool: &Shared) -> Option<thread::ThreadId> {
        let mut place = None;
        call(pool, None, &mut || place = Some(thread::current().id()));
        place
    }

    #[test]
    fn a_pool_that_has_ended_leaves_calls_to_their_callers() {
        within(LONG, "its end", || {
            let pool = pool_of_one();
            let shared = Arc::clone(pool.shared());
            let here = thread::current().id();
            assert!(place_of_a_call(&shared).is_some_and(|place| place != here));
            pool.wait_until_stopped();
            assert!(shared.ending.tasks_ended());
            assert_eq!(place_of_a_call(&shared), Some(here));
            let mut throw = || panic::resume_unwind(Box::new(5));
            let thrown = panic::catch_unwind(AssertUnwindSafe(|| call(&shared, None, &mut throw)));
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

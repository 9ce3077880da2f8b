//! `HelperGroup`: work that one thread at a time leads, and that waiting threads help with.
//!
//! A lineage identifies the work. The leader does it in a run of that lineage, inside its current
//! context; so the jobs it forks descend both from the group's work and from the runs around the
//! leader. A waiter looks for jobs at the leader and runs only those that descend from the group's
//! work (wait.rs), since it may hold locks that other jobs want.
//!
//! The caller decides who leads, and when the waiting ends. Two leaders at once are harmless:
//! waiters would find the later one.

use super::resolver::PoolRef;
use crate::{
    join::{
        awaited::Awaited,
        job::Lineage,
        member::{Member, site::WaitsFor},
        run::{self, Context, JobRun, Outside},
        scope::Scope,
        thread::Thread,
        wait,
    },
    pool::{global, seat, shared::Shared},
    protocol::{parker::Parker, primitive::AtomicPtr},
    unwind::Finally,
};
use std::{
    fmt, ptr,
    sync::{Arc, Weak},
    task::Waker,
};

/// Work that one thread at a time leads, and that waiting threads help with.
///
/// # Examples
///
/// ```
/// use sumac_core::{HelperGroup, PoolRef};
///
/// let group = HelperGroup::new(&PoolRef::current());
/// let sum = group.lead(|scope| {
///     assert!(group.is_inside());
///     let (a, b) = scope.join(|_| 1, |_| 2);
///     a + b
/// });
/// assert_eq!(sum, 3);
/// group.wait(|| true, |_| unreachable!("there is nothing to wait for"));
/// ```
pub struct HelperGroup {
    pool: Weak<Shared>,
    lineage: Lineage,
}

impl HelperGroup {
    /// Creates a group whose work runs in `pool`.
    pub fn new(pool: &PoolRef) -> Self {
        HelperGroup {
            pool: pool.shared(),
            lineage: Lineage::new(),
        }
    }

    /// Calls `f` on this thread, in the group's pool. Threads that [`wait`](Self::wait), and idle
    /// workers as usual, can run work that it forks.
    ///
    /// If the pool has ended, `f` runs in the global pool, and waiting threads do not help.
    ///
    /// # Cost
    /// Some ten nanoseconds.
    ///
    /// # Panics
    /// If `f` panics.
    pub fn lead<R>(&self, f: impl FnOnce(&mut Scope<'_>) -> R) -> R {
        let mut result = self.lead_in(&self.pool, f);
        if self.pool.strong_count() == 0 {
            let global = || Arc::downgrade(global::pool().shared());
            result = result.or_else(|f| self.lead_in(&global(), f));
        }
        // The thread's record has gone.
        result.unwrap_or_else(|f| f(&mut Scope::global()))
    }

    fn lead_in<R, F: FnOnce(&mut Scope<'_>) -> R>(
        &self,
        pool: &Weak<Shared>,
        f: F,
    ) -> Result<R, F> {
        seat::at(pool, f, |f, thread, me, is_current| {
            let enters = (!is_current).then_some((thread, me, None));
            Thread::inside_if(enters, || self.lead_at(thread, me, f))
        })
    }

    fn lead_at<R>(&self, thread: &Thread, me: &Member, f: impl FnOnce(&mut Scope<'_>) -> R) -> R {
        let awaited_by = AtomicPtr::new(thread.run().0.cast_mut());
        let work = |context: &Context<'_>| {
            // In place of a pool that has ended, `me` is of another; but then no thread waits that
            // could look there.
            self.lineage.set(me, context.level);
            let _gone = Finally(|| self.lineage.clear());
            let root = context.new_root();
            f(&mut Scope::of_root(&root))
        };
        // SAFETY: the thread sits on `me`, as it is in a context of that member. The run we are
        // inside of ends after the call.
        unsafe {
            run::task(
                thread,
                me,
                &self.lineage,
                &awaited_by,
                Outside::MayGive,
                work,
            )
        }
    }

    /// Returns when `is_done` returns true: meanwhile helps with jobs that the leader forks, or
    /// sleeps.
    ///
    /// `watch` must arrange that its waker is woken when the wait is over, and return false if it
    /// is already over. It is called before each sleep, possibly with the same waker. Neither may
    /// panic. Other threads may call `is_done`, under a lock: it only looks.
    pub fn wait(&self, is_done: impl Fn() -> bool + Sync, watch: impl Fn(&Waker) -> bool + Sync) {
        let no_pool = Lineage::new();
        let mut waiting = AwaitedGroup {
            lineage: &self.lineage,
            is_done,
            watch,
        };
        let helped = seat::at(&self.pool, (), |(), thread, me, _| {
            wait::until(thread, me, &waiting, !std::thread::panicking());
        });
        if helped.is_err() {
            // The pool of the thread that led last may be freed.
            waiting.lineage = &no_pool;
            wait::here(None, &waiting, false);
        }
    }

    /// Returns whether the calling thread is inside a leader's call, or a job that descends from
    /// it. Unknown in destructors of thread-locals, after the end of the thread's record.
    pub fn is_inside(&self) -> bool {
        let run = Thread::current().map_or(ptr::null(), |thread| thread.run().0);
        // SAFETY: the innermost run does not end while it calls us.
        unsafe { JobRun::is_inside(run, &raw const self.lineage) }
    }
}

impl fmt::Debug for HelperGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HelperGroup").finish_non_exhaustive()
    }
}

/// A thread that waits for a group.
struct AwaitedGroup<'c, D, W> {
    lineage: &'c Lineage,
    is_done: D,
    watch: W,
}

impl<D: Fn() -> bool + Sync, W: Fn(&Waker) -> bool + Sync> Awaited for AwaitedGroup<'_, D, W> {
    fn is(&self) -> WaitsFor {
        WaitsFor::Batch
    }

    fn lineage(&self) -> &Lineage {
        self.lineage
    }

    fn is_over(&self) -> bool {
        (self.is_done)()
    }

    fn sleep(&self, parker: &Arc<Parker>, park: &mut dyn FnMut()) {
        if (self.watch)(&parker.waker()) {
            park();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{join::hot_path::join, pool::builder::ThreadPoolBuilder};

    /// Those who would wait for themselves are found also where there is no pool for them.
    #[test]
    fn inside_of_a_group_whose_pool_has_ended() {
        let pool = ThreadPoolBuilder::new().num_threads(2).build();
        let pool = pool.expect("a pool");
        let group = HelperGroup::new(&PoolRef::of(&pool));
        pool.wait_until_stopped();
        assert!(!group.is_inside());
        let inside = group.lead(|scope| {
            let (a, b) = scope.join(|_| group.is_inside(), |_| group.is_inside());
            let (c, d) = join(|| group.is_inside(), || group.is_inside());
            [
                a,
                b,
                c,
                d,
                group.lead(|_| group.is_inside()),
                group.is_inside(),
            ]
        });
        assert_eq!(inside, [true; 6]);
        assert!(!group.is_inside());
    }
}

//! What the owner of a pool does with its threads: how many there are, and when they end.

use super::{
    build::asked_threads, error::ThreadPoolBuildError, global, shared::Shared,
    thread_pool::ThreadPool,
};
use crate::{
    join::{member::Member, thread::Thread},
    protocol::primitive::{self, Ordering, lock},
};
use std::{ptr, sync::Arc};

impl ThreadPool {
    /// Makes the pool one of `num_threads` threads, counted as in
    /// [`ThreadPoolBuilder::num_threads`](crate::ThreadPoolBuilder::num_threads); 0 means the
    /// default, as there.
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
    /// [used](crate::ThreadPoolBuilder::use_current_thread) has no other: what is neither called
    /// nor joined waits until that thread waits or yields in the pool.
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
    /// ([`max_threads`](crate::ThreadPoolBuilder::max_threads)), or if it has a
    /// [`spawn_handler`](crate::ThreadPoolBuilder::spawn_handler).
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
            shared.threads.follows.store(follows, Ordering::Relaxed);
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
    /// Threads of a [`spawn_handler`](crate::ThreadPoolBuilder::spawn_handler) do not end, and in
    /// such a pool this does not wait for them, nor for their tasks.
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
        let stopping = &shared.own_threads.stopping;
        stopping.fetch_add(1, Ordering::Relaxed);
        shared.rouse();
        let joins = lock(&shared.own_threads.joins);
        shared.join_all();
        drop(joins);
        stopping.fetch_sub(1, Ordering::Relaxed);
    }

    /// Drops the pool and waits until its threads have ended. They finish their jobs and all queued
    /// tasks first.
    ///
    /// Threads of a [`spawn_handler`](crate::ThreadPoolBuilder::spawn_handler) are not waited for,
    /// nor are the last steps, which run no users' code, of threads that have ended before.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::sync::{Arc, atomic::{AtomicUsize, Ordering}};
    ///
    /// let pool = sumac::ThreadPoolBuilder::new().num_threads(2).build()?;
    /// let ended = Arc::new(AtomicUsize::new(0));
    /// for _ in 0..10 {
    ///     let ended = Arc::clone(&ended);
    ///     pool.spawn(move || ended.fetch_add(1, Ordering::Relaxed));
    /// }
    /// pool.wait_until_stopped();
    /// assert_eq!(ended.load(Ordering::Relaxed), 10);
    /// # Ok::<(), sumac::ThreadPoolBuildError>(())
    /// ```
    ///
    /// # Panics
    /// If called on a thread of the pool, or in a job or task of it: that thread would wait for
    /// itself. The pool is dropped nevertheless.
    pub fn wait_until_stopped(self) {
        if self.shared.is_forked() {
            return;
        }
        let shared = Arc::clone(&self.shared);
        let is_inside = shared.is_inside();
        shared.ending.awaited.store(!is_inside, Ordering::Relaxed);
        drop(self);
        assert!(!is_inside, "a pool waits for itself");
        shared.join_all();
    }
}

impl Shared {
    /// Returns whether the calling thread is one that the pool has started, or is inside a job or
    /// task of the pool.
    fn is_inside(&self) -> bool {
        let is_watch = self.stall.as_ref().is_some_and(|watch| watch.is_here());
        if is_watch || lock(&self.own_threads.running).is_here() {
            return true;
        }
        let (first, _) = self.threads.running_workers();
        Thread::current().is_some_and(|thread| {
            let mut own = (0..).map_while(|nth| thread.own(nth));
            let is_its = |own: &Member| ptr::eq(own.shared, self) && own.index >= first;
            thread.runs_for(self) || own.any(is_its)
        })
    }
}

impl Drop for ThreadPool {
    fn drop(&mut self) {
        if self.shared.is_forked() {
            // A child of fork has the pool but not its workers, and cannot detach them: they keep
            // what they share alive.
            return;
        }
        self.shared.drop_handle();
        self.shared.release_guard();
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

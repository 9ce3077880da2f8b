//! Further options of pools: their greatest size, spares, permits, and what to do about stalls.

use super::{
    builder::ThreadPoolBuilder,
    permits::Permits,
    stall::{OnStall, Stall},
};
use std::{sync::Arc, time::Duration};

impl ThreadPoolBuilder {
    /// Sets the greatest number of spares, the threads that work in place of those that
    /// [block](crate::blocking), or that wait while tasks or jobs do and no thread has started one
    /// for ten seconds: 64 by default. In a pool without spares such a thread runs one on top of
    /// its wait, which may want a lock that is held below. Spares call the start and exit handlers
    /// with their own indices, and are not named. A pool with a
    /// [`spawn_handler`](Self::spawn_handler) has none.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::{thread::sleep, time::{Duration, Instant}};
    ///
    /// let pool = sumac::ThreadPoolBuilder::new().num_threads(2).spares(20).build()?;
    /// let start = Instant::now();
    /// let nap = || sumac::blocking(|| sleep(Duration::from_millis(100)));
    /// let tasks: Vec<_> = (0..20).map(|_| pool.spawn(nap)).collect();
    /// tasks.into_iter().for_each(|task| task.join());
    /// assert!(start.elapsed() < Duration::from_millis(1000)); // two at a time: 1000
    /// # Ok::<(), sumac::ThreadPoolBuildError>(())
    /// ```
    pub fn spares(mut self, spares: usize) -> Self {
        self.asked.spares = Some(spares);
        self
    }
}

impl<S> ThreadPoolBuilder<S> {
    /// Sets the greatest number of threads that the pool can be
    /// [given](crate::ThreadPool::resize). By default, and at least, it is that with which the pool
    /// is built. As many [names](Self::thread_name) are made when the pool is built.
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

    /// Lets the pool's workers work only while they hold one of these permits, so that all pools
    /// with the same ones have no more workers at work than there are. With the feature
    /// `jobserver`, `sumac::Jobserver` has those of make or cargo.
    ///
    /// A worker takes a permit when it finds work, and gives it back when it has been idle for a
    /// millisecond, or when its pool ends. Without one it sleeps, and tries again after some
    /// milliseconds. The threads that call the pool need none. If all permits are taken, they do
    /// their work alone, and one more thread of the pool runs its tasks while callers seem to take
    /// no part: they do not fork, or tasks have waited for a tenth of a second. So all work ends
    /// that ends in a pool of one thread. A task that waits for another one by a channel or a
    /// barrier, say, and not inside of [`blocking`](crate::blocking), may wait for ever.
    ///
    /// These work without a permit, too: a worker of each pool whose callers
    /// [wait](crate::Callers::Wait); each worker that answers a broadcast; and one for each wait of
    /// a thread for the pool's work that it may not do, also while that thread runs something else
    /// meanwhile. While that worker waits itself, another may go on in its place, and all do when
    /// they are back. A thread that waits
    /// for another in the midst of its work keeps its permit. One that [blocks](crate::blocking)
    /// lends one to each pool whose work it takes part in, also if it holds none.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::sync::{Arc, atomic::{AtomicUsize, Ordering::SeqCst}};
    /// use sumac::{Permits, ThreadPoolBuilder, join};
    ///
    /// struct Share(AtomicUsize);
    /// impl Permits for Share {
    ///     fn try_take(&self) -> bool {
    ///         let less = |free: usize| free.checked_sub(1);
    ///         self.0.fetch_update(SeqCst, SeqCst, less).is_ok()
    ///     }
    ///     fn give_back(&self) {
    ///         self.0.fetch_add(1, SeqCst);
    ///     }
    /// }
    ///
    /// // Each pool has three workers; of the six, two work at the same time.
    /// let share = Arc::new(Share(AtomicUsize::new(2)));
    /// let pool = || ThreadPoolBuilder::new().num_threads(4).permits(Arc::clone(&share)).build();
    /// let (first, second) = (pool()?, pool()?);
    /// assert_eq!(first.install(|| second.install(|| join(|| 1, || 2))), (1, 2));
    /// first.wait_until_stopped();
    /// second.wait_until_stopped();
    /// assert_eq!(share.0.load(SeqCst), 2);
    /// # Ok::<(), sumac::ThreadPoolBuildError>(())
    /// ```
    ///
    /// # Cost
    /// Of a pool with permits: a lock and a call of [`try_take`](Permits::try_take) when a worker
    /// that slept finds work, and a timer of a millisecond when it has none, also if the work was
    /// gone. Two locks for a wait of a thread that may not do the pool's work. While there is work
    /// and no permit, and for some milliseconds after that, one worker wakes up to look again,
    /// after one, two, four and then always eight milliseconds. Joins cost the same.
    pub fn permits(mut self, permits: impl Permits + 'static) -> Self {
        self.asked.permits = Some(Arc::new(permits));
        self
    }

    /// Sets a function that is called when the pool *stalls*: a task or a call waits, and no thread
    /// that may take it has looked for work for the time `after`. (So does what a thread offers
    /// that is in [`blocking`](crate::blocking). Other halves of joins are run by their threads.)
    /// That is what a deadlock looks like, and also a pool whose threads all compute for longer.
    /// The report says which ([`Stall`]); the answer may be to add a thread ([`OnStall`]).
    ///
    /// The function runs on a thread of its own, which starts when the first work waits and ends
    /// with the pool. There is one call at a time. If it panics, the pool's
    /// [`panic_handler`](Self::panic_handler) is called, and nothing else happens. It must not wait
    /// for the pool, to which no thread is added meanwhile. If it owns the pool's handle, the pool
    /// never ends: let it own a `Weak`.
    ///
    /// Without this the environment variable `SUMAC_STALL` says what to do, in this and all other
    /// pools: with `SUMAC_STALL=5` stalls of five seconds are printed to standard error, and with
    /// `SUMAC_STALL=5,add` a thread is added, too, where the pool may have spares. `SUMAC_STALL=0`
    /// is as none.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::{sync::mpsc, time::Duration};
    /// use sumac::{Callers, OnStall, ThreadPoolBuilder};
    ///
    /// let pool = ThreadPoolBuilder::new()
    ///     .num_threads(1)
    ///     .callers(Callers::Wait)
    ///     .stall_handler(Duration::from_millis(50), |stall| {
    ///         eprintln!("{stall}");
    ///         OnStall::AddThread
    ///     })
    ///     .build()?;
    /// // The first task occupies the only thread, and waits for the second.
    /// let (send, receive) = mpsc::channel();
    /// let first = pool.spawn(move || receive.recv());
    /// let second = pool.spawn(move || send.send(7));
    /// assert_eq!(first.join(), Ok(7));
    /// assert!(second.join().is_ok());
    /// # Ok::<(), sumac::ThreadPoolBuildError>(())
    /// ```
    ///
    /// # Cost
    /// In a pool with such a function, or with `SUMAC_STALL`, some tens of nanoseconds for each
    /// task, call and job that a thread takes. While work waits the thread wakes four times in
    /// `after`, at most once in a millisecond; while none does, it sleeps. Joins cost the same.
    pub fn stall_handler<F>(mut self, after: Duration, f: F) -> Self
    where
        F: Fn(&Stall) -> OnStall + Send + Sync + 'static,
    {
        self.asked.stall = Some((after, Arc::new(f)));
        self
    }
}

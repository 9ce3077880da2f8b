//! `ThreadPoolBuilder`, with rayon's names.

use super::{
    callers::Callers,
    error::ThreadPoolBuildError,
    global,
    own_threads::{IndexFn, PanicFn},
    permits::Permits,
    spawn::{CustomSpawn, DefaultSpawn, ThreadBuilder, ThreadSpawn},
    stall::watch::Handler,
    thread_pool::ThreadPool,
    tuning::Tuning,
};
use std::{any::Any, fmt, io, sync::Arc, time::Duration};

/// The greatest number of threads of a pool.
pub(super) const MAX_THREADS: usize = 1 << 16;

/// Returns the greatest number of threads that a pool can have.
///
/// # Examples
///
/// ```
/// assert!(sumac::current_num_threads() <= sumac::max_num_threads());
/// ```
pub fn max_num_threads() -> usize {
    MAX_THREADS
}

type NameFn = Box<dyn FnMut(usize) -> String>;

/// Builds a [`ThreadPool`]. The methods are those of rayon's builder.
///
/// # Examples
///
/// ```
/// let pool = sumac::ThreadPoolBuilder::new()
///     .num_threads(4)
///     .thread_name(|i| format!("worker-{i}"))
///     .build()?;
/// assert_eq!(pool.current_num_threads(), 4);
/// # Ok::<(), sumac::ThreadPoolBuildError>(())
/// ```
pub struct ThreadPoolBuilder<S = DefaultSpawn> {
    pub(super) asked: Settings,
    spawn: S,
}

/// What a builder has been asked for.
#[derive(Default)]
pub(super) struct Settings {
    pub(super) num_threads: usize,
    pub(super) max_threads: usize,
    pub(super) name: Option<NameFn>,
    pub(super) stack_size: Option<usize>,
    /// What workers call at their start and at their end.
    pub(super) handlers: (Option<IndexFn>, Option<IndexFn>),
    pub(super) panic: Option<PanicFn>,
    pub(super) stall: Option<(Duration, Handler)>,
    pub(super) permits: Option<Arc<dyn Permits>>,
    pub(super) use_current_thread: bool,
    pub(super) callers: Callers,
    pub(super) newest_first: bool,
    pub(super) start_when_needed: bool,
    pub(super) spares: Option<usize>,
    pub(super) tuning: Tuning,
}

impl ThreadPoolBuilder {
    /// Creates a builder for a pool with one thread per processor.
    pub fn new() -> Self {
        Self::default()
    }

    /// Starts each worker when it is first needed, as the global pool does unless it is built with
    /// [`build_global`](Self::build_global). A pool with a name, a stack size or a handler still
    /// starts all workers at once.
    #[doc(hidden)]
    pub fn start_when_needed(mut self) -> Self {
        self.asked.start_when_needed = true;
        self
    }
}

impl Default for ThreadPoolBuilder {
    fn default() -> Self {
        ThreadPoolBuilder {
            asked: Settings::default(),
            spawn: DefaultSpawn(()),
        }
    }
}

impl<S> ThreadPoolBuilder<S> {
    /// Sets the number of threads of the pool, including the caller: the pool starts one worker
    /// fewer.
    ///
    /// A pool that is built with a [`thread_name`](Self::thread_name), a
    /// [`stack_size`](Self::stack_size), a [`start_handler`](Self::start_handler) or an
    /// [`exit_handler`](Self::exit_handler), or with callers that [wait](Callers::Wait), starts all
    /// of them, and outside threads do not take part: `install`, `join`, loops and scopes run on a
    /// worker while their caller waits, as in rayon. That costs a microsecond or two each, or a
    /// wake-up, where taking part costs some tens of nanoseconds. Only joins of
    /// [`ThreadPool::scope`] run on their caller. With
    /// [`use_current_thread`](Self::use_current_thread) that thread still takes part, on its own
    /// stack. If no worker can be started, the pool runs everything on its callers.
    ///
    /// If it is 0 (the default), the environment variable `SUMAC_NUM_THREADS`, or else
    /// `RAYON_NUM_THREADS`, sets the number if it is positive; otherwise there is one thread per
    /// processor. The limit is 65,536.
    ///
    /// # Examples
    ///
    /// ```
    /// let pool = sumac::ThreadPoolBuilder::new().num_threads(3).build()?;
    /// assert_eq!(pool.current_num_threads(), 3);
    /// # Ok::<(), sumac::ThreadPoolBuildError>(())
    /// ```
    pub fn num_threads(mut self, num_threads: usize) -> Self {
        self.asked.num_threads = num_threads;
        self
    }

    /// Names the worker threads by their index. All work of the pool then runs on them, see
    /// [`num_threads`](Self::num_threads).
    ///
    /// # Examples
    ///
    /// ```
    /// let pool = sumac::ThreadPoolBuilder::new()
    ///     .num_threads(2)
    ///     .thread_name(|index| format!("solver-{index}"))
    ///     .build()?;
    /// let name = pool.install(|| std::thread::current().name().map(str::to_owned));
    /// assert!(name.is_some_and(|name| name.starts_with("solver-")));
    /// # Ok::<(), sumac::ThreadPoolBuildError>(())
    /// ```
    pub fn thread_name<F>(mut self, name: F) -> Self
    where
        F: FnMut(usize) -> String + 'static,
    {
        self.asked.name = Some(Box::new(name));
        self
    }

    /// Sets the stack size of the worker threads, in bytes. All work of the pool then runs on them,
    /// see [`num_threads`](Self::num_threads).
    ///
    /// If it is not called, stacks are as large as the environment variable `RUST_MIN_STACK` says,
    /// or 8 MiB on 64-bit systems, so that a recursion does not overflow on a worker that does not
    /// on most main threads. That is address space; memory comes with use.
    ///
    /// If the system refuses all such threads, [`build`](Self::build) returns an error.
    pub fn stack_size(mut self, stack_size: usize) -> Self {
        self.asked.stack_size = Some(stack_size);
        self
    }

    /// Sets a function that each worker calls when it starts, with its index. All work of the pool
    /// then runs on workers, see [`num_threads`](Self::num_threads).
    ///
    /// # Examples
    ///
    /// ```
    /// use std::sync::{Arc, atomic::{AtomicUsize, Ordering}};
    ///
    /// let started = Arc::new(AtomicUsize::new(0));
    /// let counter = Arc::clone(&started);
    /// let pool = sumac::ThreadPoolBuilder::new()
    ///     .num_threads(2)
    ///     .start_handler(move |_| { counter.fetch_add(1, Ordering::SeqCst); })
    ///     .build()?;
    /// pool.wait_until_stopped();
    /// assert_eq!(started.load(Ordering::SeqCst), 2);
    /// # Ok::<(), sumac::ThreadPoolBuildError>(())
    /// ```
    pub fn start_handler<H>(mut self, start: H) -> Self
    where
        H: Fn(usize) + Send + Sync + 'static,
    {
        self.asked.handlers.0 = Some(Arc::new(start));
        self
    }

    /// Sets a function that each worker calls when it ends, with its index. All work of the pool
    /// then runs on workers, see [`num_threads`](Self::num_threads).
    ///
    /// # Examples
    ///
    /// ```
    /// use std::sync::{Arc, atomic::{AtomicUsize, Ordering}};
    ///
    /// let ended = Arc::new(AtomicUsize::new(0));
    /// let counter = Arc::clone(&ended);
    /// let pool = sumac::ThreadPoolBuilder::new()
    ///     .num_threads(2)
    ///     .exit_handler(move |_| { counter.fetch_add(1, Ordering::SeqCst); })
    ///     .build()?;
    /// pool.wait_until_stopped();
    /// assert_eq!(ended.load(Ordering::SeqCst), 2);
    /// # Ok::<(), sumac::ThreadPoolBuildError>(())
    /// ```
    pub fn exit_handler<H>(mut self, exit: H) -> Self
    where
        H: Fn(usize) + Send + Sync + 'static,
    {
        self.asked.handlers.1 = Some(Arc::new(exit));
        self
    }

    /// Sets a function that is called with panics that no caller can receive: those of the start
    /// and exit handlers, and of tasks whose promise has been dropped. By default the former are
    /// only printed, and the latter abort the process.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::sync::mpsc;
    ///
    /// let (sender, receiver) = mpsc::channel();
    /// let pool = sumac::ThreadPoolBuilder::new()
    ///     .num_threads(2)
    ///     .panic_handler(move |payload| drop(sender.send(payload)))
    ///     .build()?;
    /// drop(pool.spawn(|| std::panic::resume_unwind(Box::new("lost"))));
    /// let payload = receiver.recv().expect("the handler is called");
    /// assert_eq!(payload.downcast_ref(), Some(&"lost"));
    /// # Ok::<(), sumac::ThreadPoolBuildError>(())
    /// ```
    pub fn panic_handler<H>(mut self, panic: H) -> Self
    where
        H: Fn(Box<dyn Any + Send>) + Send + Sync + 'static,
    {
        self.asked.panic = Some(Arc::new(panic));
        self
    }

    /// Makes the calling thread a member with index 0, in place of a worker. Plain joins at the
    /// base of this thread then belong to this pool; after the pool is dropped, they run
    /// sequentially.
    ///
    /// # Examples
    ///
    /// ```
    /// let pool = sumac::ThreadPoolBuilder::new().num_threads(2).use_current_thread().build()?;
    /// assert_eq!(pool.current_thread_index(), Some(0));
    /// # Ok::<(), sumac::ThreadPoolBuildError>(())
    /// ```
    pub fn use_current_thread(mut self) -> Self {
        self.asked.use_current_thread = true;
        self
    }

    /// Sets whether outside threads take part in the pool's work, see [`Callers`]. By default they
    /// do.
    ///
    /// # Examples
    ///
    /// ```
    /// use sumac::{Callers, ThreadPoolBuilder};
    ///
    /// let pool = ThreadPoolBuilder::new().num_threads(2).callers(Callers::Wait).build()?;
    /// let caller = std::thread::current().id();
    /// let runs_on = pool.install(|| std::thread::current().id());
    /// assert_ne!(runs_on, caller);
    /// # Ok::<(), sumac::ThreadPoolBuildError>(())
    /// ```
    pub fn callers(mut self, callers: Callers) -> Self {
        self.asked.callers = callers;
        self
    }

    /// Sets whether a thread starts the newest of its own tasks first, as in rayon, while other
    /// threads take its oldest. By default all take the oldest. So that none waits for ever, the
    /// thread starts its oldest now and then while the others do not become fewer. Tasks of
    /// [`spawn_fifo`](crate::spawn_fifo) keep their order among themselves.
    #[doc(hidden)]
    pub fn newest_first(mut self, newest_first: bool) -> Self {
        self.asked.newest_first = newest_first;
        self
    }

    /// Sets scheduling choices, for experiments. See [`Tuning`].
    #[doc(hidden)]
    pub fn tuning(mut self, tuning: Tuning) -> Self {
        self.asked.tuning = tuning;
        self
    }

    /// Starts threads with `spawn`, which has to call [`ThreadBuilder::run`] on a new thread.
    ///
    /// [`ThreadPool::wait_until_stopped`] does not wait for such threads.
    ///
    /// # Examples
    ///
    /// ```
    /// let pool = sumac::ThreadPoolBuilder::new()
    ///     .num_threads(2)
    ///     .spawn_handler(|thread| {
    ///         std::thread::Builder::new().spawn(|| thread.run())?;
    ///         Ok(())
    ///     })
    ///     .build()?;
    /// assert_eq!(pool.join(|| 1, || 2), (1, 2));
    /// # Ok::<(), sumac::ThreadPoolBuildError>(())
    /// ```
    pub fn spawn_handler<F>(self, spawn: F) -> ThreadPoolBuilder<CustomSpawn<F>>
    where
        F: FnMut(ThreadBuilder) -> io::Result<()>,
    {
        ThreadPoolBuilder {
            asked: Settings {
                start_when_needed: false,
                spares: Some(0),
                ..self.asked
            },
            spawn: CustomSpawn(spawn),
        }
    }
}

impl<S: ThreadSpawn> ThreadPoolBuilder<S> {
    /// Builds the pool.
    ///
    /// If the system refuses threads, the pool works with those that started, and
    /// [`spawn_error`](ThreadPool::spawn_error) returns the reason.
    ///
    /// # Examples
    ///
    /// ```
    /// let pool = sumac::ThreadPoolBuilder::new().num_threads(2).build()?;
    /// let (a, b) = pool.join(|| 1 + 1, || 2 + 2);
    /// assert_eq!((a, b), (2, 4));
    /// # Ok::<(), sumac::ThreadPoolBuildError>(())
    /// ```
    ///
    /// # Errors
    /// With [`use_current_thread`](Self::use_current_thread), if plain joins of this thread already
    /// belong to a pool. With a [`stack_size`](Self::stack_size), if no thread starts.
    pub fn build(mut self) -> Result<ThreadPool, ThreadPoolBuildError> {
        self.asked.build(self.spawn.handler())
    }

    /// Builds the global pool.
    ///
    /// # Examples
    ///
    /// ```
    /// sumac::ThreadPoolBuilder::new().num_threads(2).build_global()?;
    /// assert_eq!(sumac::current_num_threads(), 2);
    /// assert!(sumac::ThreadPoolBuilder::new().build_global().is_err());
    /// # Ok::<(), sumac::ThreadPoolBuildError>(())
    /// ```
    ///
    /// # Errors
    /// If there already is a global pool, which is built at its first use; and those of
    /// [`build`](Self::build).
    pub fn build_global(self) -> Result<(), ThreadPoolBuildError> {
        global::build(|| self.build())
    }
}

impl<S: fmt::Debug> fmt::Debug for ThreadPoolBuilder<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ThreadPoolBuilder")
            .field("num_threads", &self.asked.num_threads)
            .field("stack_size", &self.asked.stack_size)
            .field("use_current_thread", &self.asked.use_current_thread)
            .field("callers", &self.asked.callers)
            .field("spawn", &self.spawn)
            .finish_non_exhaustive()
    }
}

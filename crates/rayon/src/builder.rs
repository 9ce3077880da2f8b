//! `ThreadPoolBuilder`, as rayon has it.

use crate::{
    ThreadBuilder, ThreadPool, ThreadPoolBuildError, announce, global,
    handlers::{IndexHandler, PanicHandler, guarded, last_resort},
    max_num_threads,
    pool::is_inside,
};
use std::{any::Any, env, fmt, io, sync::Arc, thread};
use sumac_core::Callers;

/// Starts the threads of a pool. Users cannot name it.
pub trait ThreadSpawn {
    #[doc(hidden)]
    fn spawn(&mut self, thread: ThreadBuilder) -> io::Result<()>;
}

/// Starts threads with the standard library.
#[derive(Debug, Default)]
pub struct DefaultSpawn;

/// Starts threads with the user's function.
#[derive(Debug)]
pub struct CustomSpawn<F>(F);

impl ThreadSpawn for DefaultSpawn {
    fn spawn(&mut self, thread: ThreadBuilder) -> io::Result<()> {
        thread.start().map(drop)
    }
}

impl<F> ThreadSpawn for CustomSpawn<F>
where
    F: FnMut(ThreadBuilder) -> io::Result<()>,
{
    fn spawn(&mut self, thread: ThreadBuilder) -> io::Result<()> {
        (self.0)(thread)
    }
}

/// Builds a [`ThreadPool`], or the global pool.
pub struct ThreadPoolBuilder<S = DefaultSpawn> {
    num_threads: usize,
    use_current_thread: bool,
    breadth_first: bool,
    stack_size: Option<usize>,
    thread_name: Option<Box<dyn FnMut(usize) -> String>>,
    panic_handler: Option<PanicHandler>,
    start_handler: Option<IndexHandler>,
    exit_handler: Option<IndexHandler>,
    spawn_handler: S,
}

impl Default for ThreadPoolBuilder {
    fn default() -> Self {
        ThreadPoolBuilder {
            num_threads: 0,
            use_current_thread: false,
            breadth_first: false,
            stack_size: None,
            thread_name: None,
            panic_handler: None,
            start_handler: None,
            exit_handler: None,
            spawn_handler: DefaultSpawn,
        }
    }
}

impl ThreadPoolBuilder {
    /// A builder for a pool with a thread for each processor.
    pub fn new() -> Self {
        Self::default()
    }

    /// Builds a pool for the time of a call of `with_pool`. Its threads may borrow what lives
    /// longer: each calls `wrapper`, which has to call [`ThreadBuilder::run`].
    ///
    /// # Errors
    /// As [`build`](Self::build).
    pub fn build_scoped<W, F, R>(self, wrapper: W, with_pool: F) -> Result<R, ThreadPoolBuildError>
    where
        W: Fn(ThreadBuilder) + Sync,
        F: FnOnce(&ThreadPool) -> R,
    {
        let wrapper = &wrapper;
        thread::scope(|scope| {
            let pool = self
                .spawn_handler(|thread| {
                    let builder = thread.std_builder();
                    builder.spawn_scoped(scope, move || wrapper(thread))?;
                    Ok(())
                })
                .build()?;
            Ok(with_pool(&pool))
        })
    }

    /// The pool of those who ask for none: with as many threads as the system gives, which may be
    /// none.
    pub(crate) fn build_with_what_it_gets(self) -> sumac_core::ThreadPool {
        let (pool, _) = self.start();
        let pool = pool.expect("the calling thread is not asked to be in the pool");
        announce::pool(pool.current_num_threads());
        pool
    }
}

impl<S: ThreadSpawn> ThreadPoolBuilder<S> {
    /// Builds the pool.
    ///
    /// # Errors
    /// If a thread cannot be started: those that have been started then end. With
    /// [`use_current_thread`](Self::use_current_thread), if this thread is in a pool.
    pub fn build(self) -> Result<ThreadPool, ThreadPoolBuildError> {
        if self.use_current_thread && is_inside() {
            return Err(ThreadPoolBuildError::thread_in_pool());
        }
        let (pool, refusal) = self.start();
        let pool = pool.map_err(|_| ThreadPoolBuildError::thread_in_pool())?;
        if let Some(refusal) = refusal {
            return Err(ThreadPoolBuildError::refused(refusal));
        }
        announce::pool(pool.current_num_threads());
        Ok(ThreadPool(pool))
    }

    /// Builds the global pool.
    ///
    /// # Errors
    /// If there is a global pool: it is built at its first use. And as [`build`](Self::build).
    pub fn build_global(self) -> Result<(), ThreadPoolBuildError> {
        global::set(|| self.build())
    }

    /// Starts threads until one is refused; why it was.
    fn start(
        mut self,
    ) -> (
        Result<sumac_core::ThreadPool, sumac_core::ThreadPoolBuildError>,
        Option<io::Error>,
    ) {
        let mut refusal = None;
        let mut builder = sumac_core::ThreadPoolBuilder::new()
            .num_threads(self.thread_count())
            .callers(Callers::Wait)
            .newest_first(!self.breadth_first)
            .spawn_handler(|thread| {
                self.spawn_handler.spawn(thread).map_err(|error| {
                    let kind = error.kind();
                    refusal = Some(error);
                    kind.into()
                })
            });
        if self.use_current_thread {
            builder = builder.use_current_thread();
        }
        if let Some(size) = self.stack_size {
            builder = builder.stack_size(size);
        }
        if let Some(name) = self.thread_name {
            builder = builder.thread_name(name);
        }
        if let Some(start) = self.start_handler {
            builder = builder.start_handler(guarded(start, self.panic_handler.clone()));
        }
        if let Some(exit) = self.exit_handler {
            builder = builder.exit_handler(guarded(exit, self.panic_handler.clone()));
        }
        if let Some(panic) = self.panic_handler {
            builder = builder.panic_handler(last_resort(panic));
        }
        let pool = builder.build();
        (pool, refusal)
    }
}

impl<S> ThreadPoolBuilder<S> {
    /// Starts threads with `spawn`, which has to call [`ThreadBuilder::run`] on a new thread.
    ///
    /// # Examples
    ///
    /// ```
    /// let pool = sumac_rayon::ThreadPoolBuilder::new()
    ///     .num_threads(2)
    ///     .spawn_handler(|thread| {
    ///         std::thread::Builder::new().spawn(|| thread.run())?;
    ///         Ok(())
    ///     })
    ///     .build()?;
    /// assert_eq!(pool.join(|| 1, || 2), (1, 2));
    /// # Ok::<(), sumac_rayon::ThreadPoolBuildError>(())
    /// ```
    pub fn spawn_handler<F>(self, spawn: F) -> ThreadPoolBuilder<CustomSpawn<F>>
    where
        F: FnMut(ThreadBuilder) -> io::Result<()>,
    {
        ThreadPoolBuilder {
            num_threads: self.num_threads,
            use_current_thread: self.use_current_thread,
            breadth_first: self.breadth_first,
            stack_size: self.stack_size,
            thread_name: self.thread_name,
            panic_handler: self.panic_handler,
            start_handler: self.start_handler,
            exit_handler: self.exit_handler,
            spawn_handler: CustomSpawn(spawn),
        }
    }

    /// How many threads the pool has. 0 (the default) stands for the environment variable
    /// `RAYON_NUM_THREADS`, or the older `RAYON_RS_NUM_CPUS`, if that is a positive number, else
    /// for one thread per processor. At most [`max_num_threads`].
    pub fn num_threads(mut self, num_threads: usize) -> Self {
        self.num_threads = num_threads;
        self
    }

    /// Makes the calling thread a member of the pool for good, with index 0, instead of a first
    /// worker.
    ///
    /// It takes part in what it calls itself, and runs tasks when it waits in a scope or yields.
    pub fn use_current_thread(mut self) -> Self {
        self.use_current_thread = true;
        self
    }

    /// Names the threads by their index.
    pub fn thread_name<F>(mut self, closure: F) -> Self
    where
        F: FnMut(usize) -> String + 'static,
    {
        self.thread_name = Some(Box::new(closure));
        self
    }

    /// The threads' stack size, in bytes.
    pub fn stack_size(mut self, stack_size: usize) -> Self {
        self.stack_size = Some(stack_size);
        self
    }

    /// Called with the panics of spawned tasks and of the other handlers, which end the program
    /// otherwise. So does a panic of this handler itself.
    pub fn panic_handler<H>(mut self, panic_handler: H) -> Self
    where
        H: Fn(Box<dyn Any + Send>) + Send + Sync + 'static,
    {
        self.panic_handler = Some(Arc::new(panic_handler));
        self
    }

    /// Called by each thread when it starts, with its index.
    pub fn start_handler<H>(mut self, start_handler: H) -> Self
    where
        H: Fn(usize) + Send + Sync + 'static,
    {
        self.start_handler = Some(Box::new(start_handler));
        self
    }

    /// Called by each thread when it ends, with its index.
    pub fn exit_handler<H>(mut self, exit_handler: H) -> Self
    where
        H: Fn(usize) + Send + Sync + 'static,
    {
        self.exit_handler = Some(Box::new(exit_handler));
        self
    }

    /// A thread runs its own tasks in the order of their spawning, instead of the newest first.
    #[deprecated(note = "use `scope_fifo` and `spawn_fifo` for similar effect")]
    pub fn breadth_first(mut self) -> Self {
        self.breadth_first = true;
        self
    }

    fn thread_count(&self) -> usize {
        let processors = || thread::available_parallelism().map_or(1, usize::from);
        let asked = match self.num_threads {
            0 => match variable("RAYON_NUM_THREADS") {
                // Zero hides the older variable.
                Some(0) => processors(),
                Some(n) => n,
                None => variable("RAYON_RS_NUM_CPUS")
                    .filter(|&n| n > 0)
                    .unwrap_or_else(processors),
            },
            n => n,
        };
        asked.min(max_num_threads())
    }
}

fn variable(name: &str) -> Option<usize> {
    env::var(name).ok()?.parse().ok()
}

/// What is printed of a closure.
struct Closure;

impl Closure {
    fn of<F>(handler: &Option<F>) -> Option<Closure> {
        handler.as_ref().map(|_| Closure)
    }
}

impl fmt::Debug for Closure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("<closure>")
    }
}

impl<S> fmt::Debug for ThreadPoolBuilder<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ThreadPoolBuilder")
            .field("num_threads", &self.num_threads)
            .field("use_current_thread", &self.use_current_thread)
            .field("get_thread_name", &Closure::of(&self.thread_name))
            .field("panic_handler", &Closure::of(&self.panic_handler))
            .field("stack_size", &self.stack_size)
            .field("start_handler", &Closure::of(&self.start_handler))
            .field("exit_handler", &Closure::of(&self.exit_handler))
            .field("breadth_first", &self.breadth_first)
            .finish()
    }
}

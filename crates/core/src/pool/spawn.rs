//! The threads of a pool as their builder describes them, and how they start and end.

use super::ending::PoolGuard;
use crate::{
    join::thread::Thread,
    os,
    protocol::primitive::{self, Mutex, lock},
    unwind::{self, swallow},
    worker,
};
use std::{
    env, fmt, io, mem,
    panic::{self, AssertUnwindSafe},
    sync::Arc,
    thread::{Builder, JoinHandle},
};

pub(super) type IndexFn = Arc<dyn Fn(usize) + Send + Sync>;

/// Returns a builder of a thread with a stack of this size, or else of the size that
/// `RUST_MIN_STACK` says, or else of 8 MiB, as large as most systems let the main thread's become:
/// what does not overflow there does not overflow on a worker either. That is address space, which
/// 32-bit systems have too little of; memory comes with use.
pub(super) fn with_stack(size: Option<usize>) -> Builder {
    match size.or_else(usual_stack) {
        Some(size) => Builder::new().stack_size(size),
        None => Builder::new(),
    }
}

fn usual_stack() -> Option<usize> {
    match env::var_os("RUST_MIN_STACK") {
        Some(size) => size.to_str()?.parse().ok(),
        None => cfg!(target_pointer_width = "64").then_some(8 << 20),
    }
}

/// Starts threads with the standard library; the default of
/// [`ThreadPoolBuilder`](crate::ThreadPoolBuilder).
#[derive(Debug, Default)]
pub struct DefaultSpawn(pub(super) ());

/// Starts threads with a user's function, see
/// [`ThreadPoolBuilder::spawn_handler`](crate::ThreadPoolBuilder::spawn_handler).
#[derive(Debug)]
pub struct CustomSpawn<F>(pub(super) F);

/// Starts the threads of a pool. Sealed: [`DefaultSpawn`] and [`CustomSpawn`] implement it.
pub trait ThreadSpawn: sealed::Sealed {
    /// The user's function; none if the pool itself can start threads.
    #[doc(hidden)]
    fn handler(&mut self) -> Option<&mut dyn FnMut(ThreadBuilder) -> io::Result<()>> {
        None
    }
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::DefaultSpawn {}
    impl<F> Sealed for super::CustomSpawn<F> {}
}

impl ThreadSpawn for DefaultSpawn {}

impl<F> ThreadSpawn for CustomSpawn<F>
where
    F: FnMut(ThreadBuilder) -> io::Result<()>,
{
    fn handler(&mut self) -> Option<&mut dyn FnMut(ThreadBuilder) -> io::Result<()>> {
        Some(&mut self.0)
    }
}

/// A worker thread to be started, see
/// [`ThreadPoolBuilder::spawn_handler`](crate::ThreadPoolBuilder::spawn_handler).
pub struct ThreadBuilder {
    pub(super) guard: PoolGuard,
    pub(super) index: usize,
}

/// The threads that a pool starts, as its builder describes them: workers and spares.
pub(crate) struct OwnThreads {
    /// Whether the pool can start workers itself, since no spawn handler does.
    pub(super) has_workers: bool,
    /// Of workers, by index.
    pub(super) names: Vec<String>,
    pub(super) stack_size: Option<usize>,
    /// What they call at their start and at their end. They stay while there is a guard, so a thread
    /// that starts or ends has not the last reference.
    pub(super) handlers: Mutex<(Option<IndexFn>, Option<IndexFn>)>,
}

impl OwnThreads {
    /// Drops the handlers of a pool whose threads have all ended, so that none lives as long as the
    /// pool's memory.
    pub(super) fn forget_handlers(&self) {
        let handlers = mem::take(&mut *lock(&self.handlers));
        swallow(|| drop(handlers));
    }
}

impl ThreadBuilder {
    /// Returns the worker's index in its pool.
    pub fn index(&self) -> usize {
        self.index
    }

    /// Returns the name that the thread should have.
    pub fn name(&self) -> Option<&str> {
        let pool = self.guard.pool();
        let spares_name = || pool.threads.is_spare(self.index).then_some("sumac-spare");
        let name = pool.own_threads.names.get(self.index);
        name.map(String::as_str).or_else(spares_name)
    }

    /// Returns the stack size that the thread should have, in bytes.
    pub fn stack_size(&self) -> Option<usize> {
        self.guard.pool().own_threads.stack_size
    }

    /// Returns what the standard library is to start the thread with.
    #[doc(hidden)]
    pub fn std_builder(&self) -> Builder {
        let builder = with_stack(self.stack_size());
        match self.name() {
            Some(name) => builder.name(name.to_owned()),
            None => builder,
        }
    }

    /// Starts the thread with the standard library.
    #[doc(hidden)]
    pub fn start(self) -> io::Result<JoinHandle<()>> {
        primitive::spawn(self.std_builder(), || self.run())
    }

    /// Runs the worker on the calling thread, until the pool has been dropped and its tasks have
    /// ended. (Spares may end earlier, and the workers of a pool that is made smaller or shut
    /// down.)
    pub fn run(self) {
        os::precise_timers();
        let pool = self.guard.pool();
        let (start, exit) = lock(&pool.own_threads.handlers).clone();
        let thread = Thread::current();
        debug_assert!(thread.is_some());
        if let Some(thread) = thread {
            let me = pool.members.worker(self.index);
            pool.arrive(self.index);
            pool.await_seat(self.index);
            thread.sit(pool, me);
            if let Some(size) = self.stack_size().or_else(usual_stack) {
                thread.room.set(size / 2);
            }
            me.cpu.settle();
            thread.inside(me, || {
                if let Some(start) = &start {
                    pool.while_busy(self.index, || self.call(start));
                }
                worker::work(&thread, me);
            });
        }
        if let Some(exit) = &exit {
            self.call(exit);
        }
    }

    fn call(&self, handler: &IndexFn) {
        let pool = self.guard.pool();
        let index = pool.threads.index_of(self.index);
        let Err(payload) = panic::catch_unwind(AssertUnwindSafe(|| handler(index))) else {
            return;
        };
        match &pool.panic {
            Some(panic) => unwind::swallow(|| panic(payload)),
            None => unwind::discard(payload),
        }
    }
}

impl fmt::Debug for ThreadBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ThreadBuilder")
            .field("index", &self.index)
            .field("name", &self.name())
            .field("stack_size", &self.stack_size())
            .finish_non_exhaustive()
    }
}

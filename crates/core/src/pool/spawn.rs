//! How the threads of a pool start, run and end.

use super::{
    ending::PoolGuard,
    own_threads::{IndexFn, usual_stack, with_stack},
};
use crate::{
    join::thread::Thread,
    os,
    protocol::primitive::{self, lock},
    unwind, worker,
};
use std::{
    fmt, io,
    panic::{self, AssertUnwindSafe},
    thread::{Builder, JoinHandle},
};

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

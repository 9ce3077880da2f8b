//! The threads that a pool starts: as its builder describes them, and which of them there are.

use crate::{
    protocol::{
        parker::Parker,
        primitive::{AtomicU32, AtomicUsize, Condvar, Mutex, lock},
        terms::Term,
    },
    unwind::swallow,
};
use std::{
    any::Any,
    env, io, mem,
    sync::{Arc, OnceLock},
    thread::{self, Builder, JoinHandle},
};

pub(super) type IndexFn = Arc<dyn Fn(usize) + Send + Sync>;
pub(crate) type PanicFn = Arc<dyn Fn(Box<dyn Any + Send>) + Send + Sync>;

/// The threads that a pool starts: workers and spares (starting.rs).
pub(crate) struct OwnThreads {
    /// Whether the pool can start workers itself, since no spawn handler does.
    pub(super) has_workers: bool,
    /// Of workers, by index.
    pub(super) names: Vec<String>,
    pub(super) stack_size: Option<usize>,
    /// What they call at their start and at their end. They stay while there is a guard, so a
    /// thread that starts or ends has not the last reference.
    pub(super) handlers: Mutex<(Option<IndexFn>, Option<IndexFn>)>,
    /// Of the seats of workers and spares, by index.
    pub(super) terms: Box<[Term]>,
    pub(super) running: Mutex<Running>,
    /// A seat has been given up for which a thread waits.
    pub(super) is_free: Condvar,
    pub(super) refusal: OnceLock<io::Error>,
    /// The process of the pool's threads, 0 before there are any.
    pub(super) process: AtomicU32,
    /// The number of shutdowns that wait.
    pub(super) stopping: AtomicUsize,
    /// Held by the shutdown that joins threads.
    pub(super) joins: Mutex<()>,
    /// The parkers of the outside threads that sleep until workers have run something.
    pub(super) outside: Mutex<Vec<Arc<Parker>>>,
}

impl OwnThreads {
    /// Drops the handlers of a pool whose threads have all ended, so that none lives as long as the
    /// pool's memory.
    pub(super) fn forget_handlers(&self) {
        let handlers = mem::take(&mut *lock(&self.handlers));
        swallow(|| drop(handlers));
    }
}

/// The threads of a pool: of workers, of spares, and those on call (on_call.rs).
#[derive(Default)]
pub(crate) struct Running(pub(super) Vec<JoinHandle<()>>);

impl Running {
    /// Returns whether the calling thread is one of them.
    pub(super) fn is_here(&self) -> bool {
        let here = thread::current().id();
        self.0.iter().any(|own| own.thread().id() == here)
    }
}

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

/// Returns the size of a stack for which no builder has asked, if it is not the system's.
pub(super) fn usual_stack() -> Option<usize> {
    match env::var_os("RUST_MIN_STACK") {
        Some(size) => size.to_str()?.parse().ok(),
        None => cfg!(target_pointer_width = "64").then_some(8 << 20),
    }
}

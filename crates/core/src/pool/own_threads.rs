//! The threads that a pool starts, as its builder describes them.

use crate::{
    protocol::primitive::{Mutex, lock},
    unwind::swallow,
};
use std::{any::Any, env, mem, sync::Arc, thread::Builder};

pub(super) type IndexFn = Arc<dyn Fn(usize) + Send + Sync>;
pub(crate) type PanicFn = Arc<dyn Fn(Box<dyn Any + Send>) + Send + Sync>;

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

pub(super) fn usual_stack() -> Option<usize> {
    match env::var_os("RUST_MIN_STACK") {
        Some(size) => size.to_str()?.parse().ok(),
        None => cfg!(target_pointer_width = "64").then_some(8 << 20),
    }
}

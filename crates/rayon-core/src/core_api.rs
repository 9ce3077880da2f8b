//! What sumac-core is about to have, made of what it has.

pub use sumac_core::TaskScope as ScopeFifo;
use sumac_core::{BroadcastContext, Promise, ThreadPool, ThreadPoolBuilder};

pub(crate) trait SoonBuilder {
    fn newest_first(self, on: bool) -> Self;
}

impl<S> SoonBuilder for ThreadPoolBuilder<S> {
    fn newest_first(self, _: bool) -> Self {
        self
    }
}

pub(crate) fn max_num_threads_of_core() -> usize {
    1 << 16
}

pub(crate) fn has_pending_tasks() -> Option<bool> {
    sumac_core::worker_index().map(|_| false)
}

pub(crate) fn scope_fifo<'scope, R: Send>(op: impl FnOnce(&ScopeFifo<'scope>) -> R + Send) -> R {
    sumac_core::scope(op)
}

pub(crate) fn in_place_scope_fifo<'scope, R>(op: impl FnOnce(&ScopeFifo<'scope>) -> R) -> R {
    sumac_core::in_place_scope(op)
}

pub(crate) fn spawn_fifo(f: impl FnOnce() + Send + 'static) -> Promise<()> {
    sumac_core::spawn(f)
}

pub(crate) fn spawn_broadcast(_: impl Fn(BroadcastContext<'_>) + Send + Sync + 'static) {
    unimplemented!()
}

pub(crate) trait Soon {
    fn current_thread_has_pending_tasks(&self) -> Option<bool>;
    fn task_scope_fifo<'scope, R: Send>(
        &self,
        op: impl FnOnce(&ScopeFifo<'scope>) -> R + Send,
    ) -> R;
    fn in_place_scope_fifo<'scope, R>(&self, op: impl FnOnce(&ScopeFifo<'scope>) -> R) -> R;
    fn spawn_fifo(&self, f: impl FnOnce() + Send + 'static) -> Promise<()>;
    fn spawn_broadcast(&self, f: impl Fn(BroadcastContext<'_>) + Send + Sync + 'static);
}

impl Soon for ThreadPool {
    fn current_thread_has_pending_tasks(&self) -> Option<bool> {
        self.current_thread_index().map(|_| false)
    }
    fn task_scope_fifo<'scope, R: Send>(
        &self,
        op: impl FnOnce(&ScopeFifo<'scope>) -> R + Send,
    ) -> R {
        self.task_scope(op)
    }
    fn in_place_scope_fifo<'scope, R>(&self, op: impl FnOnce(&ScopeFifo<'scope>) -> R) -> R {
        self.in_place_scope(op)
    }
    fn spawn_fifo(&self, f: impl FnOnce() + Send + 'static) -> Promise<()> {
        self.spawn(f)
    }
    fn spawn_broadcast(&self, _: impl Fn(BroadcastContext<'_>) + Send + Sync + 'static) {
        unimplemented!()
    }
}

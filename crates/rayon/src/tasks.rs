//! Scopes, spawned tasks and broadcasts: those of the current pool, and on a thread that is inside
//! none, of the global one.

use crate::{BroadcastContext, Scope, ScopeFifo, global, pool::is_inside};

/// Calls `op` with a scope in whose tasks it may lend what lives longer; returns when all of them
/// have ended. See sumac's [`scope`](sumac_core::scope()).
///
/// # Panics
/// If `op` panics, or else if a task does, after all have ended.
#[track_caller]
pub fn scope<'scope, OP, R>(op: OP) -> R
where
    OP: FnOnce(&Scope<'scope>) -> R + Send,
    R: Send,
{
    if is_inside() {
        sumac_core::scope(op)
    } else {
        global::pool().task_scope(op)
    }
}

/// As [`scope`]; the tasks that one thread has spawned begin in the order of their spawning.
///
/// # Panics
/// As [`scope`].
#[track_caller]
pub fn scope_fifo<'scope, OP, R>(op: OP) -> R
where
    OP: FnOnce(&ScopeFifo<'scope>) -> R + Send,
    R: Send,
{
    if is_inside() {
        sumac_core::scope_fifo(op)
    } else {
        global::pool().task_scope_fifo(op)
    }
}

/// As [`scope`], but `op` stays on the calling thread.
///
/// # Panics
/// As [`scope`].
#[track_caller]
pub fn in_place_scope<'scope, OP, R>(op: OP) -> R
where
    OP: FnOnce(&Scope<'scope>) -> R,
{
    if is_inside() {
        sumac_core::in_place_scope(op)
    } else {
        global::pool().in_place_scope(op)
    }
}

/// As [`scope_fifo`], but `op` stays on the calling thread.
///
/// # Panics
/// As [`scope`].
#[track_caller]
pub fn in_place_scope_fifo<'scope, OP, R>(op: OP) -> R
where
    OP: FnOnce(&ScopeFifo<'scope>) -> R,
{
    if is_inside() {
        sumac_core::in_place_scope_fifo(op)
    } else {
        global::pool().in_place_scope_fifo(op)
    }
}

/// Runs `func` in the current pool, some time. Its panic goes to the panic handler and, where there
/// is none, ends the program.
#[track_caller]
pub fn spawn<F>(func: F)
where
    F: FnOnce() + Send + 'static,
{
    if is_inside() {
        drop(sumac_core::spawn(func));
    } else {
        drop(global::pool().spawn(func));
    }
}

/// As [`spawn`]; the tasks that one thread has spawned so begin in the order of their spawning.
#[track_caller]
pub fn spawn_fifo<F>(func: F)
where
    F: FnOnce() + Send + 'static,
{
    if is_inside() {
        drop(sumac_core::spawn_fifo(func));
    } else {
        drop(global::pool().spawn_fifo(func));
    }
}

/// Calls `op` once on each thread of the current pool, and returns the results in the order of the
/// threads' indices.
///
/// # Panics
/// If `op` does, after all calls have ended.
#[track_caller]
pub fn broadcast<OP, R>(op: OP) -> Vec<R>
where
    OP: Fn(BroadcastContext<'_>) -> R + Sync,
    R: Send,
{
    if is_inside() {
        sumac_core::broadcast(op)
    } else {
        global::pool().broadcast(op)
    }
}

/// Calls `op` once on each thread of the current pool, some time. Panics go where those of
/// [`spawn`] do.
#[track_caller]
pub fn spawn_broadcast<OP>(op: OP)
where
    OP: Fn(BroadcastContext<'_>) + Send + Sync + 'static,
{
    if is_inside() {
        sumac_core::spawn_broadcast(op);
    } else {
        global::pool().spawn_broadcast(op);
    }
}

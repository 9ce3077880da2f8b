//! Tasks: units of work that are in a queue of their pool instead of on a thread's stack.
//!
//! * `work.rs`: a closure that runs once, and its outcome; `promise.rs`, `outcome.rs`: waiting for
//!   the outcome (`protocol/completion.rs`), taking or dropping it. `resolver.rs`: promises that
//!   are resolved by hand.
//! * `scope_tasks.rs`, `scope.rs`, `scope/fifo.rs`: tasks that borrow from the stack of the thread
//!   that waits for them.
//! * `awaited.rs`: how threads wait for these.
//! * `call.rs`: a task for another pool's threads that borrows from its caller, which waits.
//! * `helper_group.rs`: work that one thread leads and waiting threads help with.
//! * `broadcast.rs`: calls for one thread alone.
//!
//! Idle workers run tasks, but jobs of joins come first. Threads that yield run tasks on top of
//! their stacks. **A waiter runs only the task it waits for and that task's descendants**: so tasks
//! may hold locks while they wait for others, and stacks are as deep as in the sequential program.
//!
//! Uses `protocol/`, `join/` and `pool/`.

mod awaited;
mod broadcast;
mod call;
mod helper_group;
mod outcome;
mod promise;
mod resolver;
mod scope;
mod scope_tasks;
#[cfg(test)]
mod tests;
mod work;

pub use self::{
    broadcast::{BroadcastContext, broadcast, spawn_broadcast},
    helper_group::HelperGroup,
    outcome::JoinError,
    promise::{Promise, spawn, spawn_fifo},
    resolver::{Activity, ActivityState, PoolRef, Resolver, driven, promise},
    scope::{ScopeFifo, TaskScope, in_place_scope, in_place_scope_fifo, scope, scope_fifo},
};

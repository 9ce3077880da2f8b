//! Tasks: units of work that are not on a thread's stack, but in a queue of their pool.
//!
//! * `work.rs`: a closure that is to be run once, and its outcome; `promise.rs`, `outcome.rs`: how
//!   one waits for that (`protocol/completion.rs`), gets it, or does without. `resolver.rs`:
//!   promises that are kept by hand.
//! * `scope_tasks.rs`, `scope.rs`, `scope/fifo.rs`: tasks that borrow from the stack of the thread
//!   that waits for them.
//! * `handover.rs`: a closure that is handed over to another pool's threads.
//! * `helper_group.rs`: work that one thread leads and its waiters help with.
//! * `inbox.rs`, `broadcast.rs`: calls for one thread alone.
//! * `find.rs`, `reserve.rs`: who runs them. Where they wait is `pool/queue.rs`.
//!
//! Idle workers run tasks, but joins' jobs come first. So do threads that yield, on top of what
//! they are doing. **A waiter runs only the task it waits for and that task's descendants**: so
//! tasks may hold locks while they wait for others, and stacks stay as deep as the program makes
//! them.
//!
//! Uses `protocol/`, `join/` and `pool/`.

mod broadcast;
mod find;
mod handover;
mod helper_group;
mod inbox;
mod outcome;
mod promise;
mod reserve;
mod resolver;
mod scope;
mod scope_tasks;
mod work;

#[cfg(any(
    feature = "testing",
    all(
        target_family = "wasm",
        target_os = "unknown",
        not(target_feature = "atomics")
    )
))]
pub(crate) use self::find::run_any;
pub use self::{
    broadcast::{BroadcastContext, broadcast, spawn_broadcast},
    helper_group::HelperGroup,
    outcome::JoinError,
    promise::{Promise, spawn, spawn_fifo},
    resolver::{Activity, PoolRef, Resolver, driven, promise},
    scope::{ScopeFifo, TaskScope, in_place_scope, in_place_scope_fifo, scope, scope_fifo},
};
pub(crate) use self::{
    find::{next, part_of, run_one},
    handover::hand_over,
    inbox::{Inbox, answer, answer_all},
    reserve::Reserve,
};

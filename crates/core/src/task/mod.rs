//! Tasks: units of work that are on nobody's stack, but in a queue of their pool.
//!
//! * `work.rs`: a closure that is to be run once, and its outcome; `promise.rs`, `outcome.rs`: how
//!   one waits for that (`protocol/completion.rs`), gets it, or does without. `resolver.rs`:
//!   promises that are kept by hand.
//! * `bag.rs`, `scope.rs`, `scope/fifo.rs`: tasks that borrow from the stack of the thread that
//!   waits for them.
//! * `call.rs`: a closure that is handed over to another pool's threads.
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

mod bag;
mod broadcast;
mod call;
mod find;
mod helper_group;
mod inbox;
mod outcome;
mod promise;
mod reserve;
mod resolver;
mod scope;
mod work;

pub use self::{
    broadcast::{BroadcastContext, broadcast, spawn_broadcast},
    helper_group::HelperGroup,
    outcome::JoinError,
    promise::{Promise, spawn, spawn_fifo},
    resolver::{Activity, PoolRef, Resolver, driven, promise},
    scope::{ScopeFifo, TaskScope, in_place_scope, in_place_scope_fifo, scope, scope_fifo},
};
pub(crate) use self::{
    call::hand_over,
    find::{next, part_of, run_one},
    inbox::{Inbox, answer, answer_all},
    reserve::Reserve,
};

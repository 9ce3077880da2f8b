//! What programs may rely on, through the public API. One program, since each costs its own copy of
//! the iterators to build. Tests that must be alone in their process, or say what they take from
//! the machine, have one of their own.

mod batching;
mod blocking;
mod broadcasts;
mod channels;
mod compat;
mod context_ends;
mod contexts;
mod fairness;
mod fifo;
mod nary;
mod nesting;
mod odd_pools;
mod ordered;
mod ordered_random;
mod own_threads;
mod panics;
mod pools;
mod resizing;
mod shutdowns;
mod spawned_broadcasts;
mod stalls;
mod task_circles;
mod task_ends;
mod task_futures;
mod task_hostile;
mod task_scopes;
mod tasks;
mod waiting;
mod yields;

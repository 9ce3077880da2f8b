//! The whole scheduler under a schedule explorer: real pools, one thread at a time, in an order
//! decided by a seed. Built with `--cfg explore` only; `ci/explore.sh` runs it.
//!
//! loom tries every order of a small model. This tries some orders of everything: joins, tasks,
//! pools that come and go. Under `explore`, `protocol/primitive.rs` hands out the atomics, locks,
//! clock and threads of this module. Each access to one of them is a *step*. Before a step the
//! thread asks its [`Schedule`](schedule::Schedule) which thread goes on, and sleeps if it is
//! another. So a seed decides the whole run, and a failed run is repeated by its seed.
//!
//! **Why threads of the system** and not a library that runs all threads as coroutines on one: the
//! attention word and the thread's record are thread-locals on purpose, their destructors give
//! seats up, the hot path compares addresses of one stack, and `thread::panicking` decides what a
//! wait may do. On one thread all of these would be shared, and the test would be of another
//! scheduler. Here the code is the one that users run. A switch costs some microseconds.
//!
//! **Time** is the schedule's own: each step advances it by some nanoseconds, at a pace that
//! differs from schedule to schedule. If all threads sleep it jumps to the end of the next nap.
//!
//! **What it finds**: wrong results, panics, threads that sleep for ever, runs without end (too
//! many steps). **What it does not find**: errors of weaker memory orders, since the memory is
//! sequentially consistent; loom and ThreadSanitizer check those. Code between two steps is atomic:
//! uses of `Arc` and of the statistics are no steps. A lost wake-up that the end of a nap repairs
//! only takes time.
//!
//! **Simulated machines** (simulate.rs) are schedules of another kind: clocks decide there.
//!
//! A run that fails is left as it is: its threads sleep until the process ends.

// Its scenarios are tests; what they alone use is dead elsewhere.
#![cfg_attr(not(test), allow(dead_code))]

pub(crate) mod current;
pub(crate) mod primitive;
#[cfg(test)]
mod scenarios;
mod schedule;
#[cfg(test)]
mod search;
pub mod simulate;
mod state;

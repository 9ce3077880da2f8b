//! Rayon's interface on sumac: what programs rename to `rayon`.
//!
//! ```toml
//! [dependencies]
//! rayon = { package = "sumac-rayon", path = "sumac/crates/rayon" }
//! ```
//!
//! All names mean here what they mean in rayon. `sumac` has them as well, but where its own way is
//! another: a `Scope` there is one to join on, `spawn` returns a promise, and callers work in the
//! pools that they build. `docs/coming-from-rayon.md` tells both, and what differs.
//!
//! ```
//! use sumac_rayon::prelude::*;
//!
//! let words = ["fork", "join", "promote"];
//! assert_eq!(words.par_iter().map(|word| word.len()).sum::<usize>(), 15);
//!
//! let mut sums = [0; 2];
//! let [left, right] = &mut sums;
//! sumac_rayon::scope(|s: &sumac_rayon::Scope<'_>| {
//!     s.spawn(|_| *left = (0..10).into_par_iter().sum());
//!     s.spawn(|_| *right = (10..20).into_par_iter().sum());
//! });
//! assert_eq!(sums, [45, 145]);
//! ```
//!
//! With the environment variable `SUMAC_ANNOUNCE`, whatever its value, each pool that is built here
//! says so on standard error. (Not the global pool where its first use is a loop: sumac-core builds
//! that.)
//!
//! # How it is made
//!
//! Almost everything is sumac-core's and sumac-par's, under rayon's names. What is added:
//! * `global.rs`: the one global pool, with rayon's choices.
//! * `builder.rs`: rayon's builder. The pools it builds have all of their threads for themselves,
//!   and callers from outside wait, as in rayon.
//! * `join.rs`: what `join_context` tells its closures.
//!
//! `crates/rayon-core` is all of this but the iterators, under the name that rayon's own crate of
//! iterators looks for. Only that has `links`, so that a program may have this crate and, through
//! its dependencies, rayon.

#![forbid(unsafe_code)]

mod announce;
mod builder;
mod configuration;
mod error;
mod global;
mod handlers;
mod join;
mod pool;
#[cfg(feature = "iter")]
pub mod prelude;
mod tasks;

#[allow(deprecated)]
#[doc(hidden)]
pub use self::configuration::{Configuration, initialize};
pub use self::{
    builder::ThreadPoolBuilder,
    error::ThreadPoolBuildError,
    join::{FnContext, join, join_context},
    pool::{
        ThreadPool, current_num_threads, current_thread_has_pending_tasks, current_thread_index,
        max_num_threads, yield_local, yield_now,
    },
    tasks::{
        broadcast, in_place_scope, in_place_scope_fifo, scope, scope_fifo, spawn, spawn_broadcast,
        spawn_fifo,
    },
};
pub use sumac_core::{BroadcastContext, ScopeFifo, TaskScope as Scope, ThreadBuilder, Yield};
#[cfg(feature = "iter")]
pub use sumac_par::{array, collections, iter, option, range, range_inclusive, slice, str, vec};

//! The scheduler of sumac: fork/join that costs nothing until somebody is idle.
//!
//! Use the crate `sumac`, which re-exports all of this.

// Under loom only the protocols are built, for the models to check.
#![cfg_attr(loom, allow(dead_code, unreachable_pub))]

mod attention;
mod dormancy;
mod fault;
mod idle;
mod latch;
mod parker;
#[doc(hidden)]
pub mod policy;
mod primitive;
#[doc(hidden)]
pub mod roles;
mod slot;
mod stage;
mod tuning;
mod watch;

#[cfg(all(test, loom))]
mod models;

#[cfg(not(loom))]
mod builder;
#[cfg(not(loom))]
mod callers;
#[cfg(not(loom))]
mod chain;
#[cfg(not(loom))]
mod chili;
#[cfg(not(loom))]
mod clock;
#[cfg(not(loom))]
mod error;
#[cfg(not(loom))]
mod frame;
#[cfg(not(loom))]
mod global;
#[cfg(not(loom))]
mod inside;
#[cfg(not(loom))]
mod job;
#[cfg(not(loom))]
mod join;
#[cfg(not(loom))]
mod life;
#[cfg(not(loom))]
mod loop_frame;
#[cfg(not(loom))]
mod member;
mod nap;
#[cfg(not(loom))]
mod nary;
#[cfg(not(loom))]
mod os;
#[cfg(not(loom))]
mod place;
#[cfg(not(loom))]
mod pool;
#[cfg(all(feature = "profile", not(loom)))]
mod profile;
#[cfg(not(loom))]
mod promote;
#[cfg(not(loom))]
mod run;
#[cfg(not(loom))]
mod scope;
#[cfg(not(loom))]
mod seats;
#[cfg(not(loom))]
mod settle;
#[cfg(not(loom))]
mod shared;
#[cfg(not(loom))]
mod splitting;
#[cfg(not(loom))]
mod stats;
#[cfg(not(loom))]
mod steal;
#[cfg(not(loom))]
mod task;
#[cfg(not(loom))]
mod thread;
mod times;
#[cfg(all(feature = "trace", not(loom)))]
mod trace;
#[cfg(not(loom))]
mod unwind;
#[cfg(not(loom))]
mod wait;
#[cfg(not(loom))]
mod word;
#[cfg(not(loom))]
mod worker;

/// This version of sumac.
#[doc(hidden)]
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

#[doc(hidden)]
pub use self::tuning::{Tuning, TuningError};
#[cfg(not(loom))]
pub use self::{
    builder::{
        CustomSpawn, DefaultSpawn, ThreadBuilder, ThreadPoolBuilder, ThreadSpawn, max_num_threads,
    },
    callers::Callers,
    chili::Config,
    clock::coarse_nanos,
    error::ThreadPoolBuildError,
    join::join,
    nary::{join3, join4, join5, join6, join7, join8},
    pool::{
        ThreadPool, Yield, current_num_threads, current_thread_has_pending_tasks,
        current_thread_index, yield_local, yield_now,
    },
    scope::Scope,
    splitting::{Returned, ScopedSplitting, Splitting, splitting},
    stats::Stats,
    task::{
        Activity, BroadcastContext, Crew, JoinError, PoolRef, Promise, Resolver, ScopeFifo,
        TaskScope, broadcast, driven, in_place_scope, in_place_scope_fifo, promise, scope,
        scope_fifo, spawn, spawn_broadcast, spawn_fifo,
    },
};
#[cfg(not(loom))]
#[doc(hidden)]
pub use self::{
    global::{built_global, global_or, handed_over},
    inside::{join_inside, threads_inside, worker_index},
};

#[cfg(all(feature = "profile", not(loom)))]
pub use self::profile::{BURDEN, Dag, Profile, Profiler, SpeedUp, profile, waiting};

#[cfg(all(feature = "trace", not(loom)))]
pub use self::trace::{Doing, Happened, Lane, Stretch, Trace, Tracing, trace};

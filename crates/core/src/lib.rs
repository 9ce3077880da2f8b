//! The scheduler of sumac: fork/join that publishes nothing until a worker is idle.
//!
//! Use the crate `sumac`, which re-exports all of this.

#![cfg_attr(docsrs, feature(doc_cfg))]
// Under loom only the protocols are built, for the models to check; the explorer has threads and
// faults of its own.
#![cfg_attr(any(loom, explore), allow(dead_code, unused_imports))]
#![cfg_attr(loom, allow(unreachable_pub))]

#[cfg(not(loom))]
mod carry;
#[cfg(explore)]
#[doc(hidden)]
pub mod explore;
#[cfg(not(loom))]
#[doc(hidden)]
pub mod hooks;
#[cfg(not(loom))]
mod os;
mod policy;
#[cfg(not(loom))]
mod prefetch;
mod protocol;
#[cfg(any(explore, feature = "testing"))]
mod random;
#[cfg(all(feature = "testing", not(loom)))]
#[cfg_attr(docsrs, doc(cfg(feature = "testing")))]
pub mod testing;
#[cfg(not(all(feature = "testing", not(loom))))]
#[path = "testing/off.rs"]
mod testing;
mod unwind;

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
mod wasm;
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub use self::wasm::*;

#[cfg(not(loom))]
mod join;
#[cfg(not(loom))]
mod pool;
#[cfg(not(loom))]
mod task;
#[cfg(not(loom))]
mod worker;

/// This version of sumac.
#[doc(hidden)]
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

#[doc(hidden)]
pub use self::unwind::swallow;
#[cfg(not(loom))]
pub use self::{
    carry::ContextKey,
    join::{
        clock::coarse_nanos,
        frame::Returned,
        hot_path::join,
        member::site::WaitsFor,
        nary::{join3, join4, join5, join6, join7, join8},
        scope::Scope,
        splitting::{ScopedSplitting, Splitting, splitting},
    },
    pool::{
        builder::{ThreadPoolBuilder, max_num_threads},
        callers::Callers,
        chili::Config,
        error::ThreadPoolBuildError,
        handle::{resize_global, shutdown},
        permits::Permits,
        spares::blocking,
        spawn::{CustomSpawn, DefaultSpawn, ThreadBuilder, ThreadSpawn},
        stall::{OnStall, Stall, StalledThread, WaitingWork},
        stats::Stats,
        thread_pool::{
            ThreadPool, Yield, current_num_threads, current_thread_has_pending_tasks,
            current_thread_index, yield_local, yield_now,
        },
    },
    task::{
        Activity, ActivityState, BroadcastContext, HelperGroup, JoinError, PoolRef, Promise,
        Resolver, ScopeFifo, TaskScope, broadcast, driven, in_place_scope, in_place_scope_fifo,
        promise, scope, scope_fifo, spawn, spawn_broadcast, spawn_fifo,
    },
};
#[cfg(not(loom))]
#[doc(hidden)]
pub use self::{
    carry::{Carrier, Moment, Snapshot, Within, carry_by},
    pool::{
        global::{built_global, global_or, handed_over},
        inside::{join_inside, threads_inside, worker_index},
        tuning::Tuning,
    },
    prefetch::prefetch,
};
#[cfg(feature = "hooks")]
#[doc(hidden)]
pub use self::{
    hooks::{Observer, Seat},
    pool::observed::Observed,
};

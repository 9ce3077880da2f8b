//! Fork everywhere, pay nowhere: for programs that have parallelism everywhere and no good place to
//! put a cut-off.
//!
//! A join costs sixteen to twenty machine instructions while no thread is idle, a loop some twenty
//! nanoseconds. There is no grain size: joins and loops become parallel only when an idle thread
//! asks for work, the oldest first.
//!
//! # Two ways to join
//!
//! [`join`] has the signature and meaning of `rayon::join`:
//!
//! ```
//! fn fib(n: u64) -> u64 {
//!     if n < 2 {
//!         return n;
//!     }
//!     let (a, b) = sumac::join(|| fib(n - 1), || fib(n - 2));
//!     a + b
//! }
//! assert_eq!(fib(20), 6765);
//! ```
//!
//! A [`Scope`] that is passed down through the recursion saves another few instructions, and is
//! chili's interface:
//!
//! ```
//! use sumac::Scope;
//!
//! fn fib(n: u64, scope: &mut Scope<'_>) -> u64 {
//!     if n < 2 {
//!         return n;
//!     }
//!     let (a, b) = scope.join(|s| fib(n - 1, s), |s| fib(n - 2, s));
//!     a + b
//! }
//! assert_eq!(fib(20, &mut Scope::global()), 6765);
//! ```
//!
//! Both run the first closure on the calling thread, and both before the second unless an idle
//! thread has taken that one. For more than two there are [`join3`] to [`join8`], free and on
//! [`Scope`]. The styles may be mixed. Inside the closures of a scope's join, a plain [`join`]
//! belongs to the innermost [`install`](ThreadPool::install), or to the global pool.
//!
//! # Loops
//!
//! The [`prelude`] has rayon's parallel iterators under rayon's names. A loop runs blocks of a
//! microsecond or two, and gives the upper half of what is left away when an idle thread asks; so a
//! loop over ten elements costs some twenty nanoseconds more than the sequential one, and nested
//! loops over tiny bodies are fine:
//!
//! ```
//! use sumac::prelude::*;
//!
//! let table: Vec<Vec<u32>> = (0..100).into_par_iter().map(|i| (0..i).collect()).collect();
//! let sum: u32 = table.par_iter().map(|row| row.par_iter().sum::<u32>()).sum();
//! assert_eq!(sum, 161_700);
//! ```
//!
//! Without traits: [`for_each`], [`map_reduce`], [`scan`], [`find_any`] on the current pool, and as
//! methods of pools ([`Loops`]) and scopes ([`ScopeLoops`]).
//!
//! # Pools
//!
//! The global pool starts at its first use, with one thread per processor or as many as the
//! environment variable `SUMAC_NUM_THREADS` says, or where that is not set, `RAYON_NUM_THREADS`. A
//! [`ThreadPoolBuilder`] makes others. The thread that uses a pool takes part in its work, so a
//! pool of *n* threads starts *n - 1*; any number of threads may use one at once; or one at a time,
//! or none, if the pool is built so ([`Callers`]). A pool that is asked for a thread name, a stack
//! size or handlers starts *n*, and its callers hand their work over.
//!
//! # Tasks
//!
//! [`spawn`] runs a closure as a task of the pool and returns a [`Promise`] of its value, to be
//! joined, awaited, or dropped. [`scope()`] is rayon's: its tasks borrow from outside of it.
//! [`spawn_async`] runs a future; one that waits holds no worker.
//!
//! ```
//! let answer = sumac::spawn(|| 6 * 7);
//! let mut words = vec!["fork", "join"];
//! sumac::scope(|s| {
//!     for word in &mut words {
//!         s.spawn(move |_| *word = &word[1..]);
//!     }
//! });
//! assert_eq!((answer.join(), words), (42, vec!["ork", "oin"]));
//! ```
//!
//! Besides: [`scope_fifo`] and [`spawn_fifo`], whose tasks begin in order; [`broadcast`] and
//! [`spawn_broadcast`], which call each thread; [`promise`] for values that come from elsewhere,
//! [`CancelToken`], [`WorkerLocal`]. There are no channels: any async channel will do, as the
//! example `6_channels` shows.
//!
//! # Batches
//!
//! [`batch`] has data structures whose operations are called one by one, from any number of tasks,
//! and carried out in parallel batches:
//!
//! ```
//! use std::sync::Arc;
//! use sumac::batch::{Batched, Get, Insert, SkipList};
//!
//! let squares = Arc::new(Batched::new(SkipList::new()));
//! let tasks = (0..1000).map(|i| {
//!     let squares = Arc::clone(&squares);
//!     sumac::spawn_async(async move { squares.submit(Insert(i, i * i)).await })
//! });
//! for task in tasks.collect::<Vec<_>>() {
//!     assert_eq!(task.join(), None); // there was no value before
//! }
//! assert_eq!(squares.apply(Get(30)), Some(900));
//! ```
//!
//! # Waiting
//!
//! A thread that waits for the second half of a join runs only jobs that descend from it; one that
//! waits for a task, only that task and what descends from it. So a lock or a borrow that is held
//! across a join is never met again from inside, as it would not be in the sequential program:
//!
//! ```
//! use std::sync::Mutex;
//!
//! let total = Mutex::new(0);
//! let add = |n| *total.lock().unwrap() += n;
//! sumac::join(
//!     || {
//!         let mut held = total.lock().unwrap();
//!         let (a, b) = sumac::join(|| 1, || 2); // never runs `add` in here
//!         *held += a + b;
//!     },
//!     || add(4),
//! );
//! assert_eq!(total.into_inner().unwrap(), 7);
//! ```
//!
//! # Panics
//!
//! A panic in a closure leaves its join after both closures have ended or, if the second has not
//! been started, after it has been dropped. The first closure's panic wins.

//!
//! # Seeing
//!
//! [`ThreadPool::stats`] counts. The feature `profile` adds `profile`, which tells how parallel a
//! program is and what speed-up to expect on how many processors; the feature `trace` adds `trace`,
//! which records what each thread of a pool did when. Without them neither costs anything.

#![forbid(unsafe_code)]

mod task;

pub use self::task::{WorkerLocal, block_on, spawn_async, spawn_async_in};
/// Implicit batching: data structures that many tasks use as if alone. See the crate's own
/// documentation.
pub use sumac_batch as batch;
pub use sumac_core::{
    BroadcastContext, Callers, Config, CustomSpawn, DefaultSpawn, JoinError, Promise, Resolver,
    Scope, ScopeFifo, Stats, TaskScope, ThreadBuilder, ThreadPool, ThreadPoolBuildError,
    ThreadPoolBuilder, ThreadSpawn, Yield, broadcast, current_num_threads,
    current_thread_has_pending_tasks, current_thread_index, in_place_scope, in_place_scope_fifo,
    join, join3, join4, join5, join6, join7, join8, max_num_threads, promise, scope, scope_fifo,
    spawn, spawn_broadcast, spawn_fifo, yield_local, yield_now,
};
/// Scheduling choices, for the lab's experiments and its simulator.
#[doc(hidden)]
pub use sumac_core::{Tuning, TuningError, policy, roles};
/// For crates with a global pool of their own.
#[doc(hidden)]
pub use sumac_core::{join_inside, worker_index};
#[cfg(feature = "profile")]
pub use sumac_instruments::{BURDEN, Dag, Profile, Profiler, SpeedUp, profile};
#[cfg(feature = "trace")]
pub use sumac_instruments::{Doing, Happened, Lane, Stretch, Trace, Tracing, trace};
pub use sumac_par::{
    CancelToken, array, collections,
    functions::{Loops, ScopeLoops, find_any, for_each, map_reduce, scan},
    iter, option, prelude, range, range_inclusive, result, slice, str, string, vec,
};

#[cfg(doctest)]
mod compile_fail;

/// The examples in the README.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
mod readme {}

/// And in the pages for those who come from elsewhere.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/coming-from-rayon.md")]
mod from_rayon {}

#[cfg(doctest)]
#[doc = include_str!("../../../docs/coming-from-chili.md")]
mod from_chili {}

#[cfg(doctest)]
#[doc = include_str!("../../../docs/batching.md")]
mod batching {}

#[cfg(all(doctest, feature = "profile", feature = "trace"))]
#[doc = include_str!("../../../docs/profiling.md")]
mod profiling {}

/// Without the feature there is no such function.
///
/// ```compile_fail,E0425
/// sumac::profile(|| ());
/// ```
#[cfg(all(doctest, not(feature = "profile")))]
mod no_profile {}

/// Nor this one.
///
/// ```compile_fail,E0425
/// sumac::trace(|| ());
/// ```
#[cfg(all(doctest, not(feature = "trace")))]
mod no_trace {}

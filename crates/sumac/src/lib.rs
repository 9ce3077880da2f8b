//! Fork/join, parallel iterators, tasks and batched data structures on a scheduler that publishes
//! nothing until a thread is idle.
//!
//! A thread that waits runs only the work it waits for. There is no grain size to choose: joins and
//! loops become parallel when an idle thread asks for work, the oldest first. Until then a join
//! costs sixteen to twenty machine instructions, up to thirty-three in a shared library, and a loop
//! some fifty nanoseconds. So a fork pays from some tens of nanoseconds of work; with less, keep a
//! cut-off.
//!
//! ```
//! use sumac::prelude::*;
//!
//! struct Node {
//!     weights: Vec<f64>,
//!     children: Vec<Node>,
//! }
//!
//! fn total(node: &Node) -> f64 {
//!     let (own, below): (f64, f64) = sumac::join(
//!         || node.weights.par_iter().sum(),
//!         || node.children.par_iter().map(total).sum(),
//!     );
//!     own + below
//! }
//!
//! fn main() {
//!     let leaf = || Node { weights: vec![1.0; 10], children: vec![] };
//!     let tree = Node { weights: vec![0.5], children: vec![leaf(), leaf()] };
//!     assert_eq!(total(&tree), 20.5);
//! }
//! ```
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
//! A [`Scope`] that is passed down through the recursion saves some instructions more, most of them
//! in a shared library, and is chili's interface:
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
//! Both run the first closure on the calling thread, and the second after it on the same thread,
//! unless an idle thread has taken it. For more than two there are [`join3`] to [`join8`], free and
//! on [`Scope`]. The styles may be mixed. Inside the closures of a scope's join, a plain [`join`]
//! belongs to the innermost [`install`](ThreadPool::install), or to the global pool.
//!
//! # Loops
//!
//! The [`prelude`] has rayon's parallel iterators under rayon's names. A loop runs blocks of a
//! microsecond or two, and gives away the upper half of its remaining items when an idle thread
//! asks:
//!
//! ```
//! use sumac::prelude::*;
//!
//! let table: Vec<Vec<u32>> = (0..100).into_par_iter().map(|i| (0..i).collect()).collect();
//! let sum: u32 = table.par_iter().map(|row| row.par_iter().sum::<u32>()).sum();
//! assert_eq!(sum, 161_700);
//! ```
//!
//! [`iter_ordered`](iter::IndexedParallelIterator::iter_ordered) hands results out in order, and
//! bounds how many are computed ahead;
//! [`par_map_ordered`](iter::ParallelOrdered::par_map_ordered) does so for a sequential source.
//!
//! Without traits: [`for_each`], [`map_reduce`], [`scan`], [`find_any`] on the current pool, and as
//! methods of pools ([`Loops`]) and scopes ([`ScopeLoops`]).
//!
//! # Pools
//!
//! The global pool is built at its first use, with one thread per processor unless the environment
//! variable `SUMAC_NUM_THREADS`, or else `RAYON_NUM_THREADS`, sets another number. Each thread
//! starts when it is first needed. A [`ThreadPoolBuilder`] builds other pools, whose threads start
//! at once. The threads that call a pool take part in its work, any number of them at once, so a
//! pool of *n* threads starts *n - 1*. All callers have the last index, *n - 1*: what is indexed by
//! [`current_thread_index`] needs a lock; [`WorkerLocal`] needs none. A pool that is built with
//! [`Callers::Wait`], a thread name, a stack size or handlers starts *n* threads, to which callers
//! hand their work over, and each index belongs to one thread.
//!
//! # Tasks
//!
//! [`spawn`] runs a closure as a task of the pool and returns a [`Promise`] of its value, to be
//! joined, awaited, or dropped. Tasks of a [`scope()`], which is rayon's, may borrow from outside
//! of it. [`spawn_async`] runs a future, which holds no worker while it waits.
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
//! There are also [`scope_fifo`] and [`spawn_fifo`], whose tasks start in order; [`broadcast`] and
//! [`spawn_broadcast`], which call a closure on each thread; [`promise`] for values from elsewhere;
//! [`CancelToken`] and [`WorkerLocal`]. Any async channel works, as the example `6_channels` shows.
//!
//! # Values that follow the work
//!
//! A value that is set for a closure is seen in whatever of it other threads take: a user, a
//! logger, the arena of a compiler. See [`ContextKey`].
//!
//! ```
//! sumac::context! {
//!     static USER: String;
//! }
//!
//! let length = || USER.with(|user| user.map_or(0, String::len));
//! let lengths = USER.set("Ada".to_owned(), || sumac::join(length, length));
//! assert_eq!((lengths, length()), ((3, 3), 0));
//! ```
//!
//! # Batches
//!
//! [`batch`] has data structures whose operations are called one by one, from any number of tasks,
//! and carried out in parallel batches:
//!
//! ```
//! use std::sync::Arc;
//! use sumac::batch::{Batched, Get, Insert, Tree};
//!
//! let squares = Arc::new(Batched::new(Tree::new()));
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
//! A thread that waits for the second half of a join runs only jobs that descend from it; a thread
//! that waits for a task runs only that task and its descendants. So no unrelated job runs while
//! the thread holds a lock or a borrow across a join, as in the sequential program:
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
//! A panic in a closure leaves its join after both closures have ended. [`join`] runs the second
//! closure also if the first has panicked, as rayon's does; [`Scope::join`] drops one that has not
//! been started, as chili's does. If both panic, the first closure's panic is resumed.
//!
//! A task that blocks (I/O, a lock that is held for long) blocks its thread; inside of [`blocking`]
//! another thread works in its place. The two closures of a join may run one after the other: they
//! must not wait for each other.
//!
//! # Platforms
//!
//! sumac runs on all systems with std. On WebAssembly without threads (`wasm32-unknown-unknown`)
//! every pool runs everything on its caller: a spawned task runs when the caller waits for it or
//! for something else, or calls [`yield_now`]. A wait that nothing can end panics there.
//!
//! On `wasm32-wasip1-threads` pools have threads, but by default only one: the system does not
//! report the number of processors.
//!
//! # Features
//!
//! None is on by default, and a feature that is off costs nothing. These items are in the
//! documentation only if it is built with them, by `--all-features`.
//!
//! | feature | item | |
//! |---|---|---|
//! | `profile` | `sumac::profile` | how parallel a program is, and what speed-up to expect on a number of processors |
//! | `trace` | `sumac::trace` | what each thread of a pool did when |
//! | `testing` | `sumac::testing` | runs a program in many orders, decided by seeds; for tests only |
//! | `tracing` | `sumac::SpanCarrier` | a layer for subscribers of the crate `tracing`: stolen work runs in the span in which it was forked |
//! | `jobserver` | `sumac::Jobserver` | programs that make or cargo runs share the machine |
//!
//! [`ThreadPool::stats`] counts promotions, steals and sleeps, and needs no feature.

#![cfg_attr(docsrs, feature(doc_cfg), doc(auto_cfg(hide(loom))))]
#![deny(unsafe_code)]
#![cfg_attr(not(feature = "jobserver"), forbid(unsafe_code))]

#[cfg(feature = "tracing")]
mod spans;
mod task;
#[cfg(feature = "jobserver")]
mod tokens;

#[cfg(all(
    target_family = "wasm",
    target_os = "unknown",
    target_feature = "atomics"
))]
pub use sumac_core::set_clock;
#[cfg(feature = "testing")]
#[cfg_attr(docsrs, doc(cfg(feature = "testing")))]
pub use sumac_core::testing;

#[cfg(feature = "tracing")]
#[cfg_attr(docsrs, doc(cfg(feature = "tracing")))]
pub use self::spans::SpanCarrier;
pub use self::task::{WorkerLocal, block_on, spawn_async, spawn_async_in};
#[cfg(feature = "jobserver")]
#[cfg_attr(docsrs, doc(cfg(feature = "jobserver")))]
pub use self::tokens::Jobserver;
#[doc(inline)]
pub use sumac_batch as batch;
/// Scheduling choices, for the lab's experiments.
#[doc(hidden)]
pub use sumac_core::Tuning;
pub use sumac_core::{
    BroadcastContext, Callers, Config, ContextKey, CustomSpawn, DefaultSpawn, JoinError, OnStall,
    Permits, Promise, Resolver, Scope, ScopeFifo, Stall, StalledThread, Stats, TaskScope,
    ThreadBuilder, ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder, ThreadSpawn, WaitingWork,
    WaitsFor, Yield, blocking, broadcast, context, current_num_threads,
    current_thread_has_pending_tasks, current_thread_index, in_place_scope, in_place_scope_fifo,
    join, join3, join4, join5, join6, join7, join8, max_num_threads, promise, resize_global, scope,
    scope_fifo, shutdown, spawn, spawn_broadcast, spawn_fifo, yield_local, yield_now,
};
/// For crates with a global pool of their own.
#[doc(hidden)]
pub use sumac_core::{join_inside, worker_index};
#[cfg(feature = "profile")]
#[cfg_attr(docsrs, doc(cfg(feature = "profile")))]
pub use sumac_instruments::profile;
#[cfg(feature = "trace")]
#[cfg_attr(docsrs, doc(cfg(feature = "trace")))]
pub use sumac_instruments::trace;
pub use sumac_par::{
    CancelToken, array, collections,
    functions::{Loops, ScopeLoops, find_any, for_each, map_reduce, scan},
    iter, option, prelude, range, range_inclusive, result, slice, str, string, vec,
};

#[cfg(doctest)]
mod compile_fail;

/// The examples in the READMEs and the pages.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
#[doc = include_str!("../docs/README.md")]
#[doc = include_str!("../docs/coming-from-rayon.md")]
#[doc = include_str!("../docs/coming-from-chili.md")]
#[doc = include_str!("../docs/coming-from-domainslib.md")]
#[doc = include_str!("../docs/batching.md")]
#[doc = include_str!("../docs/limits.md")]
mod pages {}

#[cfg(all(doctest, feature = "profile", feature = "trace"))]
#[doc = include_str!("../docs/profiling.md")]
mod profiling {}

#[cfg(all(doctest, feature = "testing"))]
#[doc = include_str!("../docs/testing.md")]
mod testing_page {}

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

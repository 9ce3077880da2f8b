//! Implicit batching: shared data structures that carry out operations in batches.
//!
//! Callers call single operations on a [`Batched`] structure: they block ([`Batched::apply`]) or
//! await ([`Batched::submit`]). Operations that arrive together form a batch, which the structure
//! carries out as a whole, in parallel, and without seeing concurrency.
//!
//! * Ready to use: [`Tree`], an ordered map; [`IntSet`], an ordered set of integers; [`HashMap`];
//!   [`PriorityQueue`]; [`UnionFind`]; [`Counter`] and [`FastCounter`];
//!   [`Combining`], a mutex whose holder calls the closures of waiting threads.
//! * To write your own: [`BatchedStructure`], [`Operation`], [`Request`].
//!
//! ```
//! use sumac::batch::{Batched, Get, Insert, Remove, Successor, Tree};
//!
//! let map = Batched::new(Tree::new());
//! std::thread::scope(|s| {
//!     for key in [3, 1, 2] {
//!         let map = &map;
//!         s.spawn(move || map.apply(Insert(key, key * 10)));
//!     }
//! });
//! assert_eq!(map.apply(Get(2)), Some(20));
//! assert_eq!(map.apply(Successor(1)), Some((2, 20)));
//! assert_eq!(map.apply(Remove(1)), Some(10));
//! ```

#![deny(unsafe_code)]
// Under loom only the protocol is built, for the models to check.
#![cfg_attr(loom, allow(dead_code, unreachable_pub))]

mod primitive;
mod protocol;
mod structure;
#[cfg(not(loom))]
mod structures;

#[cfg(not(loom))]
mod error;
#[cfg(not(loom))]
mod explicit;

#[cfg(all(feature = "skip-list", not(loom)))]
#[doc(hidden)]
pub use self::structures::map::skip_list::SkipList;
#[cfg(not(loom))]
pub use self::{
    error::BatchError,
    explicit::run_alone,
    protocol::{
        batched::Batched,
        combining::Combining,
        stats::{BatchStats, SizeClass},
        submit::{Submit, TrySubmit},
    },
    structure::{BatchedStructure, Operation, Plain, Reads, Request},
    structures::{
        counter::{Add, Counter, CounterOp, Read},
        fast_counter::FastCounter,
        hash_map::{self, HashMap, HashMapAnswer, HashMapOp},
        int_set::{self, InsertKey, IntSet, IntSetAnswer, IntSetOp},
        map::{
            Contains, First, Get, Insert, Last, Len, MapAnswer, MapOp, OrderedMap, Predecessor,
            Range, Remove, Successor, TakeRange, Tree, tree,
        },
        priority_queue::{Peek, Pop, PriorityQueue, PriorityQueueAnswer, PriorityQueueOp, Push},
        union_find::{Find, Same, Sets, Union, UnionFind, UnionFindAnswer, UnionFindOp},
    },
};

//! Parallel iterators over the collections of std.
//!
//! Those over maps, sets, lists and heaps go through a `Vec` of their items or of references to them, filled by one thread.

pub mod binary_heap;
pub mod btree_map;
pub mod btree_set;
pub mod hash_map;
pub mod hash_set;
pub mod linked_list;
pub mod vec_deque;

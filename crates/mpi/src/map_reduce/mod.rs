//! Map and reduce over data that is divided among ranks: data of rank 0, a file, or memory that the
//! ranks of a node share.
//!
//! In all three a rank has a run of consecutive elements. It maps them block by block in its pool
//! and combines the blocks in order; then the ranks' results are combined in the order of the
//! ranks. So the operator must be associative, and need not be commutative.

mod data;
mod file;
mod shared;

pub use self::shared::Shared;

use sumac::{Loops, ThreadPool};

/// The result of a rank's elements so far.
struct Total<'a, R, M, O> {
    pool: &'a ThreadPool,
    /// The number of elements in a block.
    block: usize,
    map: &'a M,
    op: &'a O,
    /// `None` only while `op` runs.
    value: Option<R>,
}

impl<'a, R: Send, M: Sync, O: Fn(R, R) -> R + Sync> Total<'a, R, M, O> {
    fn new(pool: &'a ThreadPool, block: usize, identity: R, map: &'a M, op: &'a O) -> Self {
        Self {
            pool,
            block: block.max(1),
            map,
            op,
            value: Some(identity),
        }
    }

    /// Adds the next elements in order.
    fn add<T: Sync>(&mut self, elements: &[T])
    where
        M: Fn(&[T]) -> R,
    {
        let (map, block) = (self.map, self.block);
        let Some(value) = self.value.take() else {
            return;
        };
        let blocks = 0..elements.len().div_ceil(block);
        self.value = Some(self.pool.map_reduce(
            blocks,
            value,
            |i| map(&elements[i * block..elements.len().min((i + 1) * block)]),
            self.op,
        ));
    }

    /// Returns the result, or `None` if an earlier call of `map` or `op` panicked.
    fn finish(self) -> Option<R> {
        self.value
    }
}

/// Converts bytes of the settings to elements of a type.
const fn elements<T>(bytes: usize) -> usize {
    let size = if size_of::<T>() == 0 {
        1
    } else {
        size_of::<T>()
    };
    if bytes < size { 1 } else { bytes / size }
}

//! Data at rank 0, which is sent in chunks while all ranks compute.
//!
//! Rank 0 starts the sends of every rank's first chunk, then of the second, and so on, and maps its
//! own part between polls. The others map one chunk while they receive the next.

use super::{Total, elements};
use crate::{
    Communicator, Error, Partition, Value,
    transport::{Collective, Incoming, Outgoing, Tag, Target},
};
use bytemuck::Pod;
use std::{mem, ops::Range};

/// The least number of chunks of a rank's part, unless they become too small.
const CHUNKS: usize = 8;

/// The least size of a chunk in bytes, unless the settings make it smaller.
const SMALLEST: usize = 1 << 18;

impl Communicator<'_> {
    /// Maps blocks of rank 0's data on all ranks, and combines the results at rank 0; the other
    /// ranks pass and get `None`. Collective.
    ///
    /// `map` gets consecutive elements, about [`World::block`](crate::World::block) bytes of them;
    /// `op` combines two results, the left one of earlier elements. `identity` must be neutral for
    /// it: each rank begins with one. `op` must be associative, and need not be commutative. The
    /// grouping of blocks depends on the number of ranks and the schedule, so sums of
    /// floating-point numbers may differ in their last bits.
    ///
    /// # Examples
    /// ```
    /// # fn main() -> Result<(), sumac_mpi::Error> {
    /// let sums = sumac_mpi::World::threads(3).run(|comm| {
    ///     let data: Option<Vec<u32>> = (comm.rank() == 0).then(|| (0..1000).collect());
    ///     comm.map_reduce(data.as_deref(), 0, |part: &[u32]| part.iter().sum(), |a: u32, b| a + b)
    /// })?;
    /// assert_eq!(sums, [Some(499_500), None, None]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Cost
    /// Rank 0 copies the data except its own part in one pass; where ranks share memory,
    /// [`map_reduce_shared`](Self::map_reduce_shared) copies nothing. The other ranks hold at most
    /// two chunks at a time. On one host, MPI copies more than twice as fast from huge pages:
    /// allocate the data in them, or set `GLIBC_TUNABLES=glibc.malloc.hugetlb=1`.
    ///
    /// # Panics
    /// If `map` or `op` panics, if elements have no size, or if they need an alignment of more than
    /// 16 bytes.
    ///
    /// # Errors
    /// As [`scatter`](Self::scatter) and [`reduce`](Self::reduce).
    pub fn map_reduce<T, R, M, O>(
        &self,
        data: Option<&[T]>,
        identity: R,
        map: M,
        op: O,
    ) -> Result<Option<R>, Error>
    where
        T: Pod + Sync,
        R: Value + Send,
        M: Fn(&[T]) -> R + Sync,
        O: Fn(R, R) -> R + Sync,
    {
        let data = data.filter(|_| self.rank() == 0);
        let len = self.announce::<T>(0, data.map(<[T]>::len))?;
        let tag = self.next(Collective::MapReduce);
        let parts = Partition::new(len, self.size());
        let chunk = self.chunk::<T>(self.indices(parts.range(0))?.len());
        let block = elements::<T>(self.settings.block);
        let mut total = Total::new(self.pool(), block, identity, &map, &op);
        match data {
            Some(data) => self.send_and_map(tag, data, parts, chunk, &mut total)?,
            None => {
                let own = self.indices(parts.range(self.rank()))?;
                self.receive_and_map(tag, own.len(), chunk, &mut total)?;
            }
        }
        match total.finish() {
            Some(value) => self.reduce(0, value, op),
            None => Ok(None),
        }
    }

    /// Returns the number of elements in a chunk, if a part has `part` elements. The same for all
    /// ranks.
    fn chunk<T>(&self, part: usize) -> usize {
        let most = elements::<T>(self.settings.chunk.min(self.transport.limit()));
        let least = elements::<T>(SMALLEST).min(most);
        part.div_ceil(CHUNKS).clamp(least, most)
    }

    fn send_and_map<T, R, M, O>(
        &self,
        tag: Tag,
        data: &[T],
        parts: Partition,
        chunk: usize,
        total: &mut Total<'_, R, M, O>,
    ) -> Result<(), Error>
    where
        T: Pod + Sync,
        R: Send,
        M: Fn(&[T]) -> R + Sync,
        O: Fn(R, R) -> R + Sync,
    {
        let others = (1..self.size()).map(|rank| self.indices(parts.range(rank)));
        let others = others.collect::<Result<Vec<_>, _>>()?;
        let mut messages = Vec::new();
        let longest = others.first().map_or(0, Range::len);
        for start in (0..longest).step_by(chunk) {
            for (part, to) in others.iter().zip(1..) {
                let piece = &data[part.clone()];
                if let Some(rest) = piece.get(start..).filter(|rest| !rest.is_empty()) {
                    let bytes = bytemuck::cast_slice(&rest[..chunk.min(rest.len())]);
                    self.push_pieces(&mut messages, to, bytes);
                }
            }
        }
        let mut own = &data[self.indices(parts.range(0))?];
        let stride = if messages.is_empty() {
            own.len()
        } else {
            self.stride(total.block)
        };
        self.move_messages(tag, &messages, &mut [], &mut || {
            step(&mut own, stride, total)
        })
    }

    fn receive_and_map<T, R, M, O>(
        &self,
        tag: Tag,
        len: usize,
        chunk: usize,
        total: &mut Total<'_, R, M, O>,
    ) -> Result<(), Error>
    where
        T: Pod + Sync,
        R: Send,
        M: Fn(&[T]) -> R + Sync,
        O: Fn(R, R) -> R + Sync,
    {
        let bytes = chunk.min(len) * size_of::<T>();
        let (mut here, mut next) = (self.borrow_scratch(bytes), self.borrow_scratch(bytes));
        let (mut filled, mut left) = (0, len);
        while filled + left > 0 {
            let coming = chunk.min(left);
            let place =
                &mut bytemuck::cast_slice_mut::<u128, u8>(&mut next)[..coming * size_of::<T>()];
            let pieces = place.chunks_mut(self.transport.limit());
            let mut pieces: Vec<_> = pieces
                .map(|piece| Incoming {
                    from: 0,
                    into: Target::Exact(piece),
                })
                .collect();
            let mut own = &cast::<T>(&here)[..filled];
            let stride = if left == 0 {
                filled
            } else {
                self.stride(total.block)
            };
            self.move_messages(tag, &[], &mut pieces, &mut || step(&mut own, stride, total))?;
            mem::swap(&mut here, &mut next);
            (filled, left) = (coming, left - coming);
        }
        self.return_scratch(here);
        self.return_scratch(next);
        Ok(())
    }

    fn push_pieces<'a>(&self, messages: &mut Vec<Outgoing<'a>>, to: usize, bytes: &'a [u8]) {
        let pieces = bytes.chunks(self.transport.limit());
        messages.extend(pieces.map(|bytes| Outgoing { to, bytes }));
    }

    /// Returns the number of elements to map between two polls for messages: some blocks for each
    /// thread.
    fn stride(&self, block: usize) -> usize {
        block.saturating_mul(4 * self.pool().current_num_threads())
    }
}

/// Maps the first of the remaining elements. Returns false if there are none.
fn step<T, R, M, O>(left: &mut &[T], stride: usize, total: &mut Total<'_, R, M, O>) -> bool
where
    T: Sync,
    R: Send,
    M: Fn(&[T]) -> R + Sync,
    O: Fn(R, R) -> R + Sync,
{
    let (first, rest) = left.split_at(stride.min(left.len()));
    if !first.is_empty() {
        total.add(first);
    }
    *left = rest;
    !rest.is_empty()
}

/// Casts memory to as many elements as fit in it.
pub(super) fn cast<T: Pod>(memory: &[u128]) -> &[T] {
    let bytes: &[u8] = bytemuck::cast_slice(memory);
    let len = bytes.len() / size_of::<T>();
    bytemuck::cast_slice(&bytes[..len * size_of::<T>()])
}

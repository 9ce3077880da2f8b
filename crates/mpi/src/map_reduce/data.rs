//! Data that lies at rank 0: sent in chunks, while all ranks compute.
//!
//! Rank 0 starts the sends of everybody's first chunk, then of the second, and so on, and maps its
//! own part between looks at them. The others map one chunk while they receive the next.

use super::{Total, elements};
use crate::{
    Communicator, Error, Partition, Value,
    transport::{Collective, Incoming, Outgoing, Tag, Target},
};
use bytemuck::Pod;
use std::{mem, ops::Range};

/// A rank's part in at least so many chunks, if they do not become too small.
const CHUNKS: usize = 8;

/// No chunk is smaller, in bytes, unless by the settings.
const SMALLEST: usize = 1 << 18;

impl Communicator<'_> {
    /// Maps blocks of rank 0's data on all ranks, and combines the results at rank 0; the other
    /// ranks give and get `None`. Collective.
    ///
    /// `map` gets consecutive elements, about [`World::block`](crate::World::block) bytes of them;
    /// `op` combines two results, the left one of earlier elements. `identity` must be neutral for
    /// it: each rank begins with one. `op` must be associative, and need not be commutative: which
    /// blocks are combined first depends on the number of ranks and on who was free, so sums of
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
    /// Rank 0 copies all but its own part, which is one pass over it; where ranks share memory,
    /// [`map_reduce_shared`](Self::map_reduce_shared) copies nothing. No rank but 0 ever has more
    /// than two chunks of it. On one host, MPI's copying is more than twice as fast out of huge
    /// pages: ask for them where the data is made, or set `GLIBC_TUNABLES=glibc.malloc.hugetlb=1`.
    ///
    /// # Panics
    /// If `map` or `op` does, if elements have no size, or if they need to be aligned to more than
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

    /// Elements in a chunk, if a part has `part` elements. The same for all ranks.
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

    /// Elements to map between two looks at the messages: some blocks for each thread.
    fn stride(&self, block: usize) -> usize {
        block.saturating_mul(4 * self.pool().current_num_threads())
    }
}

/// Maps the first elements of what is left. False when nothing is.
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

/// Memory as elements, as many as fit in it.
pub(super) fn cast<T: Pod>(memory: &[u128]) -> &[T] {
    let bytes: &[u8] = bytemuck::cast_slice(memory);
    let len = bytes.len() / size_of::<T>();
    bytemuck::cast_slice(&bytes[..len * size_of::<T>()])
}

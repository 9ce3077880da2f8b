//! Collectives of plain numbers in bulk: sent directly from memory, in pieces, without copying or
//! encoding.

use crate::{
    Communicator, Error, Partition,
    error::ErrorKind,
    transport::{Collective, Incoming, Outgoing, Target},
};
use bytemuck::Pod;
use std::ops::Range;

impl Communicator<'_> {
    /// Divides the root's elements into equal parts, one per rank. Collective; the other ranks pass
    /// `None`.
    ///
    /// The parts are those of [`Partition::new`], for any number of ranks and of elements.
    ///
    /// # Examples
    /// ```
    /// # fn main() -> Result<(), sumac_mpi::Error> {
    /// let parts = sumac_mpi::World::threads(3).run(|comm| {
    ///     comm.scatter(0, (comm.rank() == 0).then_some(&[1_u32, 2, 3, 4][..]))
    /// })?;
    /// assert_eq!(parts, [vec![1, 2], vec![3], vec![4]]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Cost
    /// The root sends each part straight to its rank.
    ///
    /// # Panics
    /// If there is no rank `root`, or if elements have no size.
    ///
    /// # Errors
    /// As [`barrier`](Self::barrier); if the root passes `None`; if the elements have another size
    /// at other ranks.
    pub fn scatter<T: Pod>(&self, root: usize, data: Option<&[T]>) -> Result<Vec<T>, Error> {
        let data = data.filter(|_| self.rank() == root);
        let len = self.announce::<T>(root, data.map(<[T]>::len))?;
        let tag = self.next(Collective::Scatter);
        let parts = Partition::new(len, self.size());
        let part = |rank: usize| self.indices(parts.range(rank));
        let limit = self.transport.limit();
        let Some(data) = data else {
            let mut own = vec![T::zeroed(); part(self.rank())?.len()];
            let pieces = bytemuck::cast_slice_mut::<T, u8>(&mut own).chunks_mut(limit);
            let mut pieces: Vec<_> = pieces
                .map(|piece| Incoming {
                    from: root,
                    into: Target::Exact(piece),
                })
                .collect();
            self.move_messages(tag, &[], &mut pieces, &mut || false)?;
            return Ok(own);
        };
        let mut messages = Vec::new();
        for to in (0..self.size()).filter(|to| *to != root) {
            let bytes: &[u8] = bytemuck::cast_slice(&data[part(to)?]);
            messages.extend(bytes.chunks(limit).map(|bytes| Outgoing { to, bytes }));
        }
        self.move_messages(tag, &messages, &mut [], &mut || false)?;
        Ok(data[part(root)?].to_vec())
    }

    /// Sends all ranks' elements to the root, concatenated in the order of the ranks; the others
    /// get `None`. Collective.
    ///
    /// # Examples
    /// ```
    /// # fn main() -> Result<(), sumac_mpi::Error> {
    /// let gathered = sumac_mpi::World::threads(3)
    ///     .run(|comm| comm.gather_slices(2, &[1_u8, 2][..comm.rank()]))?;
    /// assert_eq!(gathered, [None, None, Some(vec![1, 1, 2])]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Cost
    /// Each rank sends its elements straight to the root.
    ///
    /// # Panics
    /// If there is no rank `root`, or if elements have no size.
    ///
    /// # Errors
    /// As [`all_to_all`](Self::all_to_all).
    pub fn gather_slices<T: Pod>(&self, root: usize, data: &[T]) -> Result<Option<Vec<T>>, Error> {
        assert!(
            root < self.size(),
            "no rank {root}: there are {} ranks",
            self.size()
        );
        sized::<T>();
        let tag = self.next(Collective::Gather);
        if self.rank() != root {
            self.exchange(tag, &[(root, bytemuck::cast_slice(data))], &mut [])?;
            return Ok(None);
        }
        let mut bytes = vec![Vec::new(); self.size()];
        let others = bytes.iter_mut().enumerate();
        let mut others: Vec<_> = others.filter(|(rank, _)| *rank != root).collect();
        self.exchange(tag, &[], &mut others)?;
        let mut all = Vec::new();
        for (rank, bytes) in bytes.into_iter().enumerate() {
            if rank == root {
                all.extend_from_slice(data);
            } else {
                all.extend(self.elements::<T>(rank, bytes)?);
            }
        }
        Ok(Some(all))
    }

    /// Sends all ranks' elements to all ranks, concatenated in the order of the ranks. Collective.
    ///
    /// # Examples
    /// ```
    /// # fn main() -> Result<(), sumac_mpi::Error> {
    /// let all =
    ///     sumac_mpi::World::threads(3)
    ///         .run(|comm| comm.all_gather_slices(&[1.5, 2.5][..comm.rank()]))?;
    /// assert_eq!(all, [[1.5, 1.5, 2.5]; 3]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Cost
    /// All elements go to rank 0, and from there down a tree of depth ⌈log₂ k⌉.
    ///
    /// # Panics
    /// If elements have no size.
    ///
    /// # Errors
    /// As [`all_to_all`](Self::all_to_all).
    pub fn all_gather_slices<T: Pod>(&self, data: &[T]) -> Result<Vec<T>, Error> {
        let all = self.gather_slices(0, data)?;
        self.broadcast_slice(0, all.as_deref())
    }

    /// Sends the root's elements to all ranks. Collective; the other ranks pass `None`.
    ///
    /// # Examples
    /// ```
    /// # fn main() -> Result<(), sumac_mpi::Error> {
    /// let copies = sumac_mpi::World::threads(3).run(|comm| {
    ///     comm.broadcast_slice(1, (comm.rank() == 1).then_some(&[0.5, 2.0][..]))
    /// })?;
    /// assert_eq!(copies, [[0.5, 2.0]; 3]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Cost
    /// The elements go down a tree of depth ⌈log₂ k⌉.
    ///
    /// # Panics
    /// If there is no rank `root`, or if elements have no size.
    ///
    /// # Errors
    /// As [`barrier`](Self::barrier); if the root passes `None`; if the elements have another size
    /// at other ranks.
    pub fn broadcast_slice<T: Pod>(
        &self,
        root: usize,
        data: Option<&[T]>,
    ) -> Result<Vec<T>, Error> {
        let data = data.filter(|_| self.rank() == root);
        self.announce::<T>(root, data.map(<[T]>::len))?;
        let tag = self.next(Collective::Broadcast);
        let own = data.map(|data| bytemuck::cast_slice(data).to_vec());
        let bytes = self.spread(tag, root, self.rooted::<Vec<T>>(root), own)?;
        self.elements(root, bytes)
    }

    /// Sends elements to a rank, which must [`receive_slice`](Self::receive_slice) them: as
    /// [`send`](Self::send), but directly from memory.
    ///
    /// ```
    /// # fn main() -> Result<(), sumac_mpi::Error> {
    /// sumac_mpi::World::threads(2).run(|comm| match comm.rank() {
    ///     0 => comm.send_slice(1, 7, &[1.5, 2.5]),
    ///     _ => {
    ///         assert_eq!(comm.receive_slice::<f64>(0, 7)?, [1.5, 2.5]);
    ///         Ok(())
    ///     }
    /// })?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Panics
    /// As [`send`](Self::send), and if elements have no size.
    ///
    /// # Errors
    /// As [`send`](Self::send).
    pub fn send_slice<T: Pod>(&self, to: usize, tag: u16, data: &[T]) -> Result<(), Error> {
        sized::<T>();
        self.post(to, self.program(to, tag), bytemuck::cast_slice(data))
    }

    /// Waits for the next elements that a rank sends to this one, of any number.
    ///
    /// # Examples
    /// ```
    /// # fn main() -> Result<(), sumac_mpi::Error> {
    /// let received = sumac_mpi::World::threads(2).run(|comm| match comm.rank() {
    ///     0 => comm.send_slice(1, 7, &[0.5, 2.0]).map(|()| Vec::new()),
    ///     _ => comm.receive_slice::<f64>(0, 7),
    /// })?;
    /// assert_eq!(received[1], [0.5, 2.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Panics
    /// As [`receive`](Self::receive), and if elements have no size.
    ///
    /// # Errors
    /// As [`receive`](Self::receive), but a wrong type is detected only if its size does not divide
    /// the number of bytes.
    pub fn receive_slice<T: Pod>(&self, from: usize, tag: u16) -> Result<Vec<T>, Error> {
        sized::<T>();
        let bytes = self.take(from, self.program(from, tag))?;
        self.elements(from, bytes)
    }

    /// Sends elements to one rank, and at the same time receives some from another, the same, or
    /// this one: as [`send_receive`](Self::send_receive), but directly from memory.
    ///
    /// ```
    /// # fn main() -> Result<(), sumac_mpi::Error> {
    /// let received = sumac_mpi::World::threads(2).run(|comm| {
    ///     let other = 1 - comm.rank();
    ///     comm.send_receive_slice(other, other, 7, &vec![comm.rank() as u8; 2])
    /// })?;
    /// assert_eq!(received, [[1, 1], [0, 0]]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Panics
    /// As [`send_receive`](Self::send_receive), and if elements have no size.
    ///
    /// # Errors
    /// Those of [`send_slice`](Self::send_slice) and [`receive_slice`](Self::receive_slice).
    pub fn send_receive_slice<T: Pod>(
        &self,
        to: usize,
        from: usize,
        tag: u16,
        data: &[T],
    ) -> Result<Vec<T>, Error> {
        sized::<T>();
        let bytes = self.swap(to, from, tag, bytemuck::cast_slice(data))?;
        self.elements(from, bytes)
    }

    /// Sends `data[r]` to each rank `r`, and returns the elements that each rank has sent to this
    /// one, in the order of the ranks. Collective.
    ///
    /// # Examples
    /// ```
    /// # fn main() -> Result<(), sumac_mpi::Error> {
    /// let received = sumac_mpi::World::threads(2).run(|comm| {
    ///     let own = comm.rank() as u8;
    ///     comm.all_to_all(&[vec![own; 1], vec![own; 2]])
    /// })?;
    /// assert_eq!(received[1], [vec![0, 0], vec![1, 1]]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Panics
    /// If the length of `data` is not the number of ranks, or if the slices' elements have no size.
    ///
    /// # Errors
    /// As [`barrier`](Self::barrier); if a rank sends no whole number of elements. Other
    /// differences of type are not detected.
    pub fn all_to_all<T: Pod, V: AsRef<[T]>>(&self, data: &[V]) -> Result<Vec<Vec<T>>, Error> {
        let (rank, size) = (self.rank(), self.size());
        assert!(data.len() == size, "as many slices as ranks are expected");
        sized::<T>();
        let tag = self.next(Collective::AllToAll);
        // Each rank starts with its neighbour, so that not all send to the same rank.
        let others = (1..size).map(|distance| (rank + distance) % size);
        let outgoing: Vec<_> = others
            .map(|to| (to, bytemuck::cast_slice(data[to].as_ref())))
            .collect();
        let mut bytes = vec![Vec::new(); size];
        let incoming = bytes.iter_mut().enumerate();
        let mut incoming: Vec<_> = incoming.filter(|(from, _)| *from != rank).collect();
        self.exchange(tag, &outgoing, &mut incoming)?;
        let all = bytes.into_iter().enumerate();
        all.map(|(from, bytes)| match from == rank {
            true => Ok(data[rank].as_ref().to_vec()),
            false => self.elements(from, bytes),
        })
        .collect()
    }

    /// Sends the root's number of elements to all ranks, and checks that their elements have the
    /// same size.
    pub(crate) fn announce<T>(&self, root: usize, len: Option<usize>) -> Result<u64, Error> {
        sized::<T>();
        let own = size_of::<T>() as u64;
        let told = len.map(|len| (len as u64, own));
        let (len, size) = self.broadcast(root, told)?;
        if size == own {
            return Ok(len);
        }
        let root = self.name(root);
        let message =
            format!("expects elements of {own} bytes, but those of rank {root} have {size}");
        Err(Error::new(ErrorKind::Disagreement, message).at(self.name(self.rank())))
    }

    /// Converts a range to indices; an error if `usize` is too small.
    pub(crate) fn indices(&self, range: Range<u64>) -> Result<Range<usize>, Error> {
        match (usize::try_from(range.start), usize::try_from(range.end)) {
            (Ok(start), Ok(end)) => Ok(start..end),
            _ => {
                let message = format!("{range:?} is more than this machine can address");
                Err(Error::new(ErrorKind::Length, message).at(self.name(self.rank())))
            }
        }
    }

    fn elements<T: Pod>(&self, from: usize, bytes: Vec<u8>) -> Result<Vec<T>, Error> {
        if bytes.len() % size_of::<T>() != 0 {
            let (from, len, size) = (self.name(from), bytes.len(), size_of::<T>());
            let message =
                format!("rank {from} sent {len} bytes, not a multiple of the {size} of an element");
            return Err(Error::new(ErrorKind::Length, message).at(self.name(self.rank())));
        }
        Ok(bytemuck::pod_collect_to_vec(&bytes))
    }
}

/// Panics if elements have no size, since they are counted by their bytes.
fn sized<T>() {
    assert!(size_of::<T>() > 0, "elements must have a size above zero");
}

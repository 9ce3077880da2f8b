//! Collectives of general values, one per rank.

use crate::{Communicator, Error, Value, transport::Collective, tree::Tree};

impl Communicator<'_> {
    /// Sends the root's value to all ranks. Collective; the other ranks pass `None`.
    ///
    /// # Examples
    /// ```
    /// # fn main() -> Result<(), sumac_mpi::Error> {
    /// let words = sumac_mpi::World::threads(3).run(|comm| {
    ///     comm.broadcast(1, (comm.rank() == 1).then(|| "fork".to_string()))
    /// })?;
    /// assert_eq!(words, ["fork"; 3]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Cost
    /// The value goes down a tree of depth ⌈log₂ k⌉ for k ranks; of depth 1, if it is of a small
    /// type without a `Drop`, and there are up to 16 ranks.
    ///
    /// # Panics
    /// If there is no rank `root`.
    ///
    /// # Errors
    /// As [`barrier`](Self::barrier); if the root passes `None`; if the root's value is not a `T`.
    pub fn broadcast<T: Value>(&self, root: usize, value: Option<T>) -> Result<T, Error> {
        let tag = self.next(Collective::Broadcast);
        let value = value.filter(|_| self.rank() == root);
        let bytes = value.as_ref().map(|value| self.encode(value)).transpose()?;
        let bytes = self.spread(tag, root, self.rooted::<T>(root), bytes)?;
        value.map_or_else(|| self.decode(root, &bytes), Ok)
    }

    /// Sends every rank's value to the root, which gets them in the order of the ranks; the others
    /// get `None`. Collective.
    ///
    /// # Examples
    /// ```
    /// # fn main() -> Result<(), sumac_mpi::Error> {
    /// let gathered = sumac_mpi::World::threads(3).run(|comm| comm.gather(0, comm.rank() * 10))?;
    /// assert_eq!(gathered, [Some(vec![0, 10, 20]), None, None]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Panics
    /// If there is no rank `root`.
    ///
    /// # Errors
    /// As [`barrier`](Self::barrier); if a value is not a `T`.
    pub fn gather<T: Value>(&self, root: usize, value: T) -> Result<Option<Vec<T>>, Error> {
        let tag = self.next(Collective::Gather);
        assert!(
            root < self.size(),
            "no rank {root}: there are {} ranks",
            self.size()
        );
        if self.rank() != root {
            let bytes = self.encode(&value)?;
            self.exchange(tag, &[(root, &bytes)], &mut [])?;
            return Ok(None);
        }
        let mut bytes = vec![Vec::new(); self.size()];
        let others = bytes.iter_mut().enumerate();
        let mut others: Vec<_> = others.filter(|(rank, _)| *rank != root).collect();
        self.exchange(tag, &[], &mut others)?;
        let mut own = Some(value);
        let all = bytes.iter().enumerate().map(|(rank, bytes)| {
            let own = if rank == root { own.take() } else { None };
            own.map_or_else(|| self.decode(rank, bytes), Ok)
        });
        all.collect::<Result<Vec<T>, Error>>().map(Some)
    }

    /// Sends every rank's value to every rank. Collective.
    ///
    /// # Examples
    /// ```
    /// # fn main() -> Result<(), sumac_mpi::Error> {
    /// let all = sumac_mpi::World::threads(3).run(|comm| comm.all_gather(comm.rank() * 10))?;
    /// assert_eq!(all, [[0, 10, 20]; 3]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Cost
    /// All values go to rank 0, and from there down a tree of depth ⌈log₂ k⌉.
    ///
    /// # Errors
    /// As [`gather`](Self::gather).
    pub fn all_gather<T: Value>(&self, value: T) -> Result<Vec<T>, Error> {
        // The other ranks go on, and what this one calls next might pass for the second part.
        let all = self.remembered(self.gather(0, value))?;
        self.broadcast(0, all)
    }

    /// Combines the values of all ranks in the order of their ranks; the root gets the result, the
    /// others `None`. Collective.
    ///
    /// `op` must be associative; it need not be commutative.
    ///
    /// # Examples
    /// ```
    /// # fn main() -> Result<(), sumac_mpi::Error> {
    /// let reduced = sumac_mpi::World::threads(4).run(|comm| {
    ///     comm.reduce(2, comm.rank().to_string(), |a, b| a + &b)
    /// })?;
    /// assert_eq!(reduced[2].as_deref(), Some("0123"));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Cost
    /// One round for small types without a `Drop` and up to 16 ranks, else ⌈log₂ k⌉. The grouping
    /// of the values depends only on the type and the number of ranks, so sums of floating-point
    /// numbers are the same in each run.
    ///
    /// # Panics
    /// If there is no rank `root`, or if `op` panics.
    ///
    /// # Errors
    /// As [`barrier`](Self::barrier); if a value is not a `T`.
    pub fn reduce<T, O>(&self, root: usize, value: T, op: O) -> Result<Option<T>, Error>
    where
        T: Value,
        O: Fn(T, T) -> T,
    {
        assert!(
            root < self.size(),
            "no rank {root}: there are {} ranks",
            self.size()
        );
        let (rank, tag) = (self.rank(), self.next(Collective::Reduce));
        let tree = Tree::of::<T>(rank, self.size());
        let mut value = value;
        // Small values are received at once. Larger ones are combined while the next are in
        // transit.
        let together = if Tree::is_flat::<T>(self.size()) {
            self.size()
        } else {
            1
        };
        for children in tree.children.chunks(together) {
            let mut bytes = vec![Vec::new(); children.len()];
            let mut messages: Vec<_> = children.iter().copied().zip(&mut bytes).collect();
            self.exchange(tag, &[], &mut messages)?;
            for (child, bytes) in children.iter().zip(&bytes) {
                value = op(value, self.decode(*child, bytes)?);
            }
        }
        if rank == root && rank == 0 {
            return Ok(Some(value));
        }
        // The result is at rank 0, which is the root of the tree, since it is first in the order of
        // ranks.
        let to = tree.parent.unwrap_or(root);
        self.exchange(tag, &[(to, &self.encode(&value)?)], &mut [])?;
        if rank != root {
            return Ok(None);
        }
        let mut bytes = Vec::new();
        self.exchange(tag, &[], &mut [(0, &mut bytes)])?;
        self.decode(0, &bytes).map(Some)
    }

    /// Combines the values of all ranks in the order of their ranks, for all ranks. Collective.
    ///
    /// # Examples
    /// ```
    /// # fn main() -> Result<(), sumac_mpi::Error> {
    /// let longest = sumac_mpi::World::threads(4)
    ///     .run(|comm| comm.all_reduce("*".repeat(comm.rank()), |a, b| a.max(b)))?;
    /// assert_eq!(longest, ["***"; 4]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Cost
    /// That of [`reduce`](Self::reduce) and [`broadcast`](Self::broadcast).
    ///
    /// # Panics
    /// If `op` does.
    ///
    /// # Errors
    /// As [`reduce`](Self::reduce).
    pub fn all_reduce<T, O>(&self, value: T, op: O) -> Result<T, Error>
    where
        T: Value,
        O: Fn(T, T) -> T,
    {
        // As in `all_gather`.
        let all = self.remembered(self.reduce(0, value, op))?;
        self.broadcast(0, all)
    }

    /// Combines the values of all ranks up to and including this one, in the order of their ranks.
    /// Collective.
    ///
    /// # Examples
    /// ```
    /// # fn main() -> Result<(), sumac_mpi::Error> {
    /// let scanned =
    ///     sumac_mpi::World::threads(4).run(|comm| comm.scan(comm.rank() + 1, |a, b| a * b))?;
    /// assert_eq!(scanned, [1, 2, 6, 24]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Cost
    /// ⌈log₂ k⌉ rounds.
    ///
    /// # Panics
    /// If `op` does.
    ///
    /// # Errors
    /// As [`reduce`](Self::reduce).
    pub fn scan<T, O>(&self, value: T, op: O) -> Result<T, Error>
    where
        T: Value,
        O: Fn(T, T) -> T,
    {
        let (rank, size, tag) = (self.rank(), self.size(), self.next(Collective::Scan));
        let (mut value, mut distance) = (value, 1);
        while distance < size {
            let own = self.encode(&value)?;
            let mut before = Vec::new();
            let to = (rank + distance < size).then_some((rank + distance, &own[..]));
            let from = rank.checked_sub(distance).map(|from| (from, &mut before));
            let mut from: Vec<_> = from.into_iter().collect();
            self.exchange(tag, to.as_slice(), &mut from)?;
            if rank >= distance {
                value = op(self.decode(rank - distance, &before)?, value);
            }
            distance *= 2;
        }
        Ok(value)
    }

    /// Combines the values of all ranks before this one; rank 0 gets `None`. Collective.
    ///
    /// # Examples
    /// ```
    /// # fn main() -> Result<(), sumac_mpi::Error> {
    /// // Where each rank's elements begin, if rank r has r + 1 of them.
    /// let starts = sumac_mpi::World::threads(4)
    ///     .run(|comm| comm.exclusive_scan(comm.rank() + 1, |a, b| a + b))?;
    /// assert_eq!(starts, [None, Some(1), Some(3), Some(6)]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Cost
    /// That of [`scan`](Self::scan), and one round.
    ///
    /// # Panics
    /// If `op` does.
    ///
    /// # Errors
    /// As [`reduce`](Self::reduce).
    pub fn exclusive_scan<T, O>(&self, value: T, op: O) -> Result<Option<T>, Error>
    where
        T: Value,
        O: Fn(T, T) -> T,
    {
        let (rank, size) = (self.rank(), self.size());
        let own = self.encode(&self.scan(value, op)?)?;
        let tag = self.next(Collective::Scan);
        let mut before = Vec::new();
        let to = (rank + 1 < size).then_some((rank + 1, &own[..]));
        let from = rank.checked_sub(1).map(|from| (from, &mut before));
        let mut from: Vec<_> = from.into_iter().collect();
        self.exchange(tag, to.as_slice(), &mut from)?;
        (rank > 0)
            .then(|| self.decode(rank - 1, &before))
            .transpose()
    }
}

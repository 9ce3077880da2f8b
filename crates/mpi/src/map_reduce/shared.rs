//! Memory that the ranks of a node share for reading: a window of MPI-3, or an `Arc` between
//! threads. Nothing is copied.

use super::{Total, elements};
use crate::{
    Communicator, Error, Partition, Value,
    error::ErrorKind,
    transport::{Collective, Window},
};
use bytemuck::Pod;
use std::{fmt, marker::PhantomData};

/// Room for what precedes a part in memory, and for its alignment.
const HEAD: usize = 1 << 12;

/// Memory that the ranks of a node share for reading, created by [`Communicator::share`].
///
/// ```
/// use sumac_mpi::World;
///
/// # fn main() -> Result<(), sumac_mpi::Error> {
/// World::threads(2).run(|comm| {
///     let own = comm.rank() as u32;
///     let shared = comm.share(2, |part: &mut [u32]| {
///         part.fill(own);
///         Ok(())
///     })?;
///     assert_eq!((shared.part(0), shared.part(1), shared.len()), (&[0, 0][..], &[1, 1][..], 4));
///     assert_eq!(shared.parts().flatten().sum::<u32>(), 2);
///     Ok(())
/// })?;
/// # Ok(())
/// # }
/// ```
pub struct Shared<'c, T> {
    window: Box<dyn Window + 'c>,
    ranks: usize,
    elements: PhantomData<T>,
}

impl<T> fmt::Debug for Shared<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").finish_non_exhaustive()
    }
}

impl<T: Pod> Shared<'_, T> {
    /// Returns the part of the rank `comm.node()[index]`.
    ///
    /// # Panics
    /// If there is no such rank.
    pub fn part(&self, index: usize) -> &[T] {
        // An empty part may have any address.
        match self.window.part(index) {
            [] => &[],
            part => bytemuck::cast_slice(part),
        }
    }

    /// Returns the parts of all ranks of the node, in order.
    pub fn parts(&self) -> impl Iterator<Item = &[T]> {
        (0..self.ranks).map(|index| self.part(index))
    }

    /// Returns the number of elements of all parts of the node.
    pub fn len(&self) -> usize {
        self.parts().map(<[T]>::len).sum()
    }

    /// Returns whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Communicator<'_> {
    /// Allocates memory of `len` elements, fills it, and lets all ranks of the [`node`](Self::node)
    /// read it. Collective; each rank may pass another `len`, also 0, so either all ranks load a
    /// part, or one loads all.
    ///
    /// Under MPI the memory is freed when all ranks of the node have dropped it and share something
    /// else, or when the world ends.
    ///
    /// # Examples
    /// ```
    /// # fn main() -> Result<(), sumac_mpi::Error> {
    /// sumac_mpi::World::threads(3).run(|comm| {
    ///     let shared = comm.share(1, |part: &mut [usize]| {
    ///         part[0] = comm.rank();
    ///         Ok(())
    ///     })?;
    ///     assert_eq!(shared.parts().collect::<Vec<_>>(), [[0], [1], [2]]);
    ///     Ok(())
    /// })?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Panics
    /// If `fill` panics or uses `self` to communicate, if elements have no size, or if they need an
    /// alignment of more than 16 bytes.
    ///
    /// # Errors
    /// On all ranks, if `fill` fails at one, or if a part has more bytes than a slice can have; and
    /// those of [`barrier`](Self::barrier). If the machine has too little memory, the process ends,
    /// as when a `Vec` cannot grow. Containers often allow little *shared* memory: check
    /// `/dev/shm`.
    pub fn share<T, F>(&self, len: usize, fill: F) -> Result<Shared<'_, T>, Error>
    where
        T: Pod,
        F: FnOnce(&mut [T]) -> Result<(), Error>,
    {
        assert!(
            align_of::<T>() <= 16 && size_of::<T>() > 0,
            "unusual elements"
        );
        let (mut fill, mut filled) = (Some(fill), Ok(()));
        // Ranks that call something else must get an error before MPI waits for them.
        self.meet(Collective::Share)?;
        let bytes = len.checked_mul(size_of::<T>());
        // The parts of a node are one piece of memory.
        let most = isize::MAX as usize / self.node().len() - HEAD;
        let bytes = bytes.filter(|bytes| *bytes <= most);
        let much = || format_args!("{len} elements are more than memory can hold").to_string();
        let bytes = self.agree(bytes.ok_or_else(|| Error::new(ErrorKind::Length, much())))?;
        // The two closures are called one after the other, which the borrow checker cannot know.
        let outcome = std::cell::RefCell::new(&mut filled);
        let window = self.transport().share(
            bytes,
            &mut |part| {
                if let Some(fill) = fill.take() {
                    // If it could communicate, that might pass for the agreement below, and others
                    // would read what it still writes.
                    **outcome.borrow_mut() = self.lend(|| match part {
                        [] => fill(&mut []),
                        part => fill(bytemuck::cast_slice_mut(part)),
                    });
                }
            },
            &mut || {
                let filled = std::mem::replace(&mut **outcome.borrow_mut(), Ok(()));
                self.agree(filled)
            },
        )?;
        Ok(Shared {
            window,
            ranks: self.node().len(),
            elements: PhantomData,
        })
    }

    /// Maps blocks of the memory that the ranks of each node share, and combines the results at
    /// rank 0; the others get `None`. Collective.
    ///
    /// The ranks of a node divide its elements equally, regardless of the rank that filled them in.
    /// The results are combined in the order of the elements: the part of the first rank, then that
    /// of the next, on whichever node each is. The other arguments are those of
    /// [`map_reduce`](Self::map_reduce).
    ///
    /// # Examples
    /// ```
    /// # fn main() -> Result<(), sumac_mpi::Error> {
    /// let sums = sumac_mpi::World::threads(2).run(|comm| {
    ///     let shared = comm.share(100, |part: &mut [u64]| Ok(part.fill(comm.rank() as u64)))?;
    ///     comm.map_reduce_shared(&shared, 0, |block| block.iter().sum::<u64>(), |a, b| a + b)
    /// })?;
    /// assert_eq!(sums, [Some(100), None]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Cost
    /// That of reading the elements once, and of one [`reduce`](Self::reduce). If the ranks of a
    /// node are not numbered consecutively (by default launchers do so), rank 0
    /// [gathers](Self::gather) about two results of each rank and combines them alone.
    ///
    /// # Panics
    /// If `map` or `op` panics.
    ///
    /// # Errors
    /// As [`reduce`](Self::reduce).
    pub fn map_reduce_shared<T, R, M, O>(
        &self,
        shared: &Shared<'_, T>,
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
        let block = elements::<T>(self.settings.block);
        let own = self.own_slices(shared)?;
        if self.transport.is_consecutive() {
            let mut total = Total::new(self.pool(), block, identity, &map, &op);
            own.into_iter().for_each(|(_, slice)| total.add(slice));
            return match total.finish() {
                Some(value) => self.reduce(0, value, op),
                None => Ok(None),
            };
        }
        let neutral = self.encode(&identity)?;
        let mut results = Vec::new();
        for (filler, slice) in own {
            let mut total = Total::new(
                self.pool(),
                block,
                self.decode(self.rank(), &neutral)?,
                &map,
                &op,
            );
            total.add(slice);
            results.extend(total.finish().map(|value| (filler, value)));
        }
        let all = self.gather(0, results)?;
        Ok(all.map(|all| {
            // The ranks that divide a rank's part are on its node, in their order, which a stable
            // sort keeps.
            let mut all: Vec<(usize, R)> = all.into_iter().flatten().collect();
            all.sort_by_key(|(filler, _)| *filler);
            all.into_iter().map(|(_, value)| value).fold(identity, op)
        }))
    }

    /// Returns this rank's share of its node's elements, with the ranks that filled them in.
    fn own_slices<'s, T: Pod>(
        &self,
        shared: &'s Shared<'_, T>,
    ) -> Result<Vec<(usize, &'s [T])>, Error> {
        // Cuts are between cache lines.
        let line = elements::<T>(64) as u64;
        let parts = Partition::blocks(shared.len() as u64, shared.ranks, line);
        let place = self.node().binary_search(&self.rank());
        let own = self.indices(parts.range(place.unwrap_or_default()))?;
        let (mut begin, mut slices) = (0, Vec::new());
        for (filler, part) in self.node().iter().zip(shared.parts()) {
            let end = begin + part.len();
            if own.start < end && begin < own.end {
                let slice = &part[own.start.max(begin) - begin..own.end.min(end) - begin];
                slices.push((*filler, slice));
            }
            begin = end;
        }
        Ok(slices)
    }
}

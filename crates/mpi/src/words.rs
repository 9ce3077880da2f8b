//! `Words`: numbers that all ranks read and change, one-sidedly.

use crate::{
    Communicator, Error,
    error::ErrorKind,
    transport::{self, Collective},
};
use std::fmt;

/// The greatest number of words of all ranks.
const MOST: usize = isize::MAX as usize / size_of::<u64>();

/// Words of 64 bits that all ranks read and change atomically, each of them without the help of the
/// rank whose words they are. Created by [`Communicator::words`].
///
/// One operation on a word of another rank takes about as long as a message to it and back. With
/// [`start_receive`](Communicator::start_receive) they are what stealing of work needs: the example
/// `tree_search` steals across ranks.
///
/// ```
/// use sumac_mpi::World;
///
/// # fn main() -> Result<(), sumac_mpi::Error> {
/// // Ranks take tickets from rank 0, which has nothing to do for that.
/// let mut tickets = World::threads(3).run(|comm| {
///     let words = comm.words(1)?;
///     words.fetch_add(0, 0, 1)
/// })?;
/// tickets.sort();
/// assert_eq!(tickets, [0, 1, 2]);
/// # Ok(())
/// # }
/// ```
///
/// # Panics
/// All methods, if there is no such rank or word.
///
/// # Errors
/// All methods, if another rank has failed. They have no time-out: under MPI some networks change a
/// word only while its rank calls MPI, as it does whenever it communicates.
pub struct Words<'w> {
    words: Box<dyn transport::Words + 'w>,
    ranks: usize,
    len: usize,
}

impl<'w> Communicator<'w> {
    /// Creates `len` words for each rank, which are zero. Collective; all ranks pass the same `len`.
    ///
    /// Under MPI the memory is freed when all ranks have dropped it and create others, or when the
    /// world ends.
    ///
    /// # Errors
    /// If ranks pass different numbers, or more than memory can hold, or if this is the communicator
    /// of a [part](Communicator::split); and those of [`barrier`](Self::barrier).
    pub fn words(&self, len: usize) -> Result<Words<'w>, Error> {
        // Ranks that call something else must get an error before MPI waits for them.
        self.meet(Collective::Words)?;
        self.same("numbers of words", len)?;
        if len > MOST / self.size() {
            let message = format!("{len} words of each rank are more than memory can hold");
            return Err(Error::new(ErrorKind::Length, message).at(self.name(self.rank())));
        }
        let words = self.transport().words(len);
        let words = words.map_err(|error| error.at(self.name(self.rank())))?;
        self.meet(Collective::Words)?;
        let ranks = self.size();
        Ok(Words { words, ranks, len })
    }
}

impl Words<'_> {
    /// Returns a word of a rank.
    pub fn load(&self, rank: usize, index: usize) -> Result<u64, Error> {
        self.compare_and_swap(rank, index, 0, 0)
    }

    /// Stores `new` in a word of a rank if it is `current`. Returns what it was.
    pub fn compare_and_swap(
        &self,
        rank: usize,
        index: usize,
        current: u64,
        new: u64,
    ) -> Result<u64, Error> {
        let (ranks, len) = (self.ranks, self.len);
        assert!(rank < ranks, "no rank {rank}: there are {ranks} ranks");
        assert!(index < len, "no word {index}: each rank has {len}");
        self.words.compare_and_swap(rank, index, current, new)
    }

    /// Stores `new` in a word of a rank. Returns what it was.
    pub fn swap(&self, rank: usize, index: usize, new: u64) -> Result<u64, Error> {
        self.update(rank, index, |_| new)
    }

    /// Adds to a word of a rank, wrapping around. Returns what it was.
    pub fn fetch_add(&self, rank: usize, index: usize, value: u64) -> Result<u64, Error> {
        self.update(rank, index, |word| word.wrapping_add(value))
    }

    /// MPI promises atomicity only where all change a word by the same function, so there is one.
    fn update(&self, rank: usize, index: usize, f: impl Fn(u64) -> u64) -> Result<u64, Error> {
        let mut current = 0;
        loop {
            let found = self.compare_and_swap(rank, index, current, f(current))?;
            if found == current {
                return Ok(found);
            }
            current = found;
        }
    }
}

impl fmt::Debug for Words<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Words").finish_non_exhaustive()
    }
}

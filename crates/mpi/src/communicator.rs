//! `Communicator`: a rank's access to the others.

use crate::{
    Error,
    error::ErrorKind,
    request::Started,
    settings::Settings,
    transport::{Collective, Incoming, Lane, Outgoing, Tag, Target, Transport},
};
use serde::{Serialize, de::DeserializeOwned};
use std::{
    cell::{Cell, RefCell},
    fmt,
    marker::PhantomData,
};
use sumac::ThreadPool;

/// A value that ranks can send to each other: any that serde can serialise and deserialise.
///
/// The methods for slices are faster for plain numbers in bulk, which they send unencoded.
pub trait Value: Serialize + DeserializeOwned {}

impl<T: Serialize + DeserializeOwned> Value for T {}

/// One rank's access to all ranks: their numbers, messages and collective operations.
///
/// All ranks must call *collective* methods, in the same order. Otherwise ranks get an error that
/// names both operations.
///
/// # Threads
/// A communicator stays on its thread, because only that thread may call MPI (thread level
/// FUNNELED). The threads of the [`pool`](Self::pool) compute, and the rank's own thread
/// communicates:
///
/// ```compile_fail,E0277
/// sumac_mpi::World::threads(2).run(|comm| {
///     // `dyn Transport` cannot be shared between threads safely
///     comm.pool().join(|| comm.barrier(), || ());
///     Ok(())
/// });
/// ```
pub struct Communicator<'w> {
    pub(crate) transport: &'w dyn Transport,
    /// Whether it cannot be used: a part of it is in use instead, or shared memory is being filled,
    /// or that has panicked.
    lent: Cell<bool>,
    /// The first error of a message, or of a part. What comes after it may be the rest of something.
    failed: RefCell<Option<Error>>,
    pub(crate) settings: &'w Settings,
    pool: &'w ThreadPool,
    /// The number of collective operations that this rank has started.
    number: Cell<u64>,
    /// The numbers of values that this rank has sent to and received from each other: at the end
    /// they must match.
    pub(crate) sent: RefCell<Vec<u64>>,
    pub(crate) received: RefCell<Vec<u64>>,
    pub(crate) started: RefCell<Started<'w>>,
    /// Memory for chunks, kept because fresh memory costs as much as filling it.
    scratch: RefCell<Vec<Vec<u128>>>,
    /// Neither `Send` nor `Sync`, for any transport.
    stays: PhantomData<*const ()>,
}

impl fmt::Debug for Communicator<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Communicator")
            .field("rank", &self.rank())
            .field("size", &self.size())
            .finish_non_exhaustive()
    }
}

impl<'w> Communicator<'w> {
    pub(crate) fn new(
        transport: &'w dyn Transport,
        settings: &'w Settings,
        pool: &'w ThreadPool,
    ) -> Self {
        Self {
            transport,
            lent: Cell::new(false),
            failed: RefCell::default(),
            settings,
            pool,
            number: Cell::new(0),
            sent: RefCell::new(vec![0; transport.size()]),
            received: RefCell::new(vec![0; transport.size()]),
            started: RefCell::default(),
            scratch: RefCell::new(Vec::new()),
            stays: PhantomData,
        }
    }

    /// Returns this rank's number, below [`size`](Self::size).
    ///
    /// ```
    /// # fn main() -> Result<(), sumac_mpi::Error> {
    /// let ranks = sumac_mpi::World::threads(2).run(|comm| Ok(comm.rank()))?;
    /// assert_eq!(ranks, [0, 1]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn rank(&self) -> usize {
        self.transport.rank()
    }

    /// Returns the number of ranks.
    ///
    /// ```
    /// # fn main() -> Result<(), sumac_mpi::Error> {
    /// let sizes = sumac_mpi::World::threads(2).run(|comm| Ok(comm.size()))?;
    /// assert_eq!(sizes, [2, 2]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn size(&self) -> usize {
        self.transport.size()
    }

    /// Returns the ranks with which this one can [`share`](Self::share) memory, including itself,
    /// in ascending order.
    ///
    /// ```
    /// # fn main() -> Result<(), sumac_mpi::Error> {
    /// sumac_mpi::World::threads(2).run(|comm| {
    ///     assert!(comm.rank() < comm.size());
    ///     assert_eq!(comm.node(), [0, 1]);
    ///     Ok(())
    /// })?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn node(&self) -> &[usize] {
        self.transport.node()
    }

    /// Returns this rank's pool of threads, which includes the communicator's thread.
    ///
    /// The methods of this crate compute in it. Run your own loops and joins inside its
    /// [`install`](ThreadPool::install); outside, they run in the global pool of the process, which
    /// has a thread per processor.
    ///
    /// # Examples
    /// ```
    /// use sumac::prelude::*;
    ///
    /// # fn main() -> Result<(), sumac_mpi::Error> {
    /// sumac_mpi::World::threads(2).run(|comm| {
    ///     let own: u64 = comm.pool().install(|| (0..1000_u64).into_par_iter().sum());
    ///     comm.all_reduce(own, |a, b| a + b)
    /// })?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn pool(&self) -> &'w ThreadPool {
        self.pool
    }

    /// Sends a value to a rank, which must [`receive`](Self::receive) it.
    ///
    /// It may or may not wait until that does so ([`World::strict`](crate::World::strict)). So two
    /// ranks that both send first, or one that sends to itself, may wait in vain: let them
    /// [`send_receive`](Self::send_receive). Messages to one rank arrive in the order in which they
    /// were sent.
    ///
    /// # Examples
    /// ```
    /// # fn main() -> Result<(), sumac_mpi::Error> {
    /// let words = sumac_mpi::World::threads(2).run(|comm| match comm.rank() {
    ///     0 => comm.send(1, 7, &("fork", 1)).map(|()| String::new()),
    ///     _ => comm.receive::<(String, u32)>(0, 7).map(|(word, _)| word),
    /// })?;
    /// assert_eq!(words, ["", "fork"]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Panics
    /// If there is no rank `to`, or if `tag` is 2^15 or more.
    ///
    /// # Errors
    /// If it takes longer than the time-out, or another rank has failed. If it is never received,
    /// the world ends with an error.
    pub fn send<T: Serialize + ?Sized>(&self, to: usize, tag: u16, value: &T) -> Result<(), Error> {
        let tag = self.program(to, tag);
        self.post(to, tag, &self.encode(value)?)
    }

    /// Waits for the next value that a rank sends to this one.
    ///
    /// # Examples
    /// ```
    /// # fn main() -> Result<(), sumac_mpi::Error> {
    /// let words = sumac_mpi::World::threads(2).run(|comm| match comm.rank() {
    ///     0 => comm.send(1, 7, "join").map(|()| String::new()),
    ///     _ => comm.receive::<String>(0, 7),
    /// })?;
    /// assert_eq!(words, ["", "join"]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Panics
    /// If there is no rank `from`, or if `tag` is 2^15 or more.
    ///
    /// # Errors
    /// If the value was sent with another tag, or is not a `T`; if it takes longer than the
    /// time-out, or another rank has failed.
    pub fn receive<T: Value>(&self, from: usize, tag: u16) -> Result<T, Error> {
        self.decode(from, &self.take(from, self.program(from, tag))?)
    }

    /// Sends a value to one rank, and at the same time receives one from another, the same, or this
    /// one.
    ///
    /// # Examples
    /// ```
    /// # fn main() -> Result<(), sumac_mpi::Error> {
    /// // Round a ring of any length.
    /// let left = sumac_mpi::World::threads(3).run(|comm| {
    ///     let (rank, size) = (comm.rank(), comm.size());
    ///     comm.send_receive((rank + 1) % size, (rank + size - 1) % size, 7, &rank)
    /// })?;
    /// assert_eq!(left, [2, 0, 1]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Panics
    /// If there is no rank `to` or `from`, or if `tag` is 2^15 or more.
    ///
    /// # Errors
    /// Those of [`send`](Self::send) and [`receive`](Self::receive).
    pub fn send_receive<T: Value>(
        &self,
        to: usize,
        from: usize,
        tag: u16,
        value: &T,
    ) -> Result<T, Error> {
        self.decode(from, &self.swap(to, from, tag, &self.encode(value)?)?)
    }

    pub(crate) fn post(&self, to: usize, tag: Tag, bytes: &[u8]) -> Result<(), Error> {
        if !self.sources().is_empty() {
            return self.launch(to, tag, bytes)?.wait();
        }
        self.exchange(tag, &[(to, bytes)], &mut [])?;
        self.sent.borrow_mut()[to] += 1;
        Ok(())
    }

    pub(crate) fn take(&self, from: usize, tag: Tag) -> Result<Vec<u8>, Error> {
        if !self.sources().is_empty() {
            return self.arrival(from, self.expect(from, tag));
        }
        let mut bytes = Vec::new();
        self.exchange(tag, &[], &mut [(from, &mut bytes)])?;
        self.received.borrow_mut()[from] += 1;
        Ok(bytes)
    }

    pub(crate) fn swap(
        &self,
        to: usize,
        from: usize,
        tag: u16,
        bytes: &[u8],
    ) -> Result<Vec<u8>, Error> {
        let (tag, _) = (self.program(to, tag), self.program(from, tag));
        if !self.sources().is_empty() {
            let sending = self.launch(to, tag, bytes)?;
            let received = self.take(from, tag)?;
            return sending.wait().map(|()| received);
        }
        let mut received = Vec::new();
        self.exchange(tag, &[(to, bytes)], &mut [(from, &mut received)])?;
        self.sent.borrow_mut()[to] += 1;
        self.received.borrow_mut()[from] += 1;
        Ok(received)
    }

    /// Ends a rank: waits for all, and checks that all values sent were received.
    pub(crate) fn end(&self) -> Result<(), Error> {
        self.sound()?;
        self.complete()?;
        self.meet(Collective::End)?;
        let (sent, received) = self.all_reduce(self.sums(), |a, b| (a.0 + b.0, a.1 + b.1))?;
        if sent == received {
            return Ok(());
        }
        // A value is received after it was sent, so some values were not received.
        let all = self.all_gather(self.sent.take())?;
        let received = self.received.take();
        let mut others = all.iter().map(|sent| sent[self.rank()]).zip(received);
        self.agree(match others.position(|(sent, received)| sent != received) {
            None => Ok(()),
            Some(from) => Err(Error::new(
                ErrorKind::Disagreement,
                format_args!("has not received all that rank {} sent", self.name(from)),
            )),
        })
    }

    /// Returns how many values this rank has sent, and received.
    pub(crate) fn sums(&self) -> (u64, u64) {
        let sum = |counts: &RefCell<Vec<u64>>| counts.borrow().iter().sum();
        (sum(&self.sent), sum(&self.received))
    }

    pub(crate) fn program(&self, peer: usize, number: u16) -> Tag {
        assert!(
            peer < self.size(),
            "no rank {peer}: there are {} ranks",
            self.size()
        );
        assert!(number < Tag::COUNT, "tag {number} is not less than 2^15");
        Tag {
            lane: Lane::Program,
            number,
        }
    }

    /// Returns the tag of the next collective operation.
    pub(crate) fn next(&self, kind: Collective) -> Tag {
        Tag::collective(kind, self.number.replace(self.number.get() + 1))
    }

    /// Sends and receives byte strings of any lengths.
    pub(crate) fn exchange(
        &self,
        tag: Tag,
        outgoing: &[(usize, &[u8])],
        incoming: &mut [(usize, &mut Vec<u8>)],
    ) -> Result<(), Error> {
        let mut messages = Vec::with_capacity(outgoing.len());
        for (to, bytes) in outgoing {
            let pieces = self.pieces(bytes);
            messages.extend(pieces.map(|bytes| Outgoing { to: *to, bytes }));
        }
        let mut places: Vec<Incoming<'_>> = Vec::with_capacity(incoming.len());
        places.extend(incoming.iter_mut().map(|(from, bytes)| Incoming {
            from: *from,
            into: Target::Any(bytes),
        }));
        self.move_messages(tag, &messages, &mut places, &mut || false)
    }

    /// Returns the messages of a byte string. A receiver goes on until it sees one that is shorter
    /// than the limit.
    pub(crate) fn pieces<'b>(&self, bytes: &'b [u8]) -> impl Iterator<Item = &'b [u8]> + use<'b> {
        let limit = self.transport.limit();
        let last = (bytes.len() % limit == 0).then_some(&[][..]);
        bytes.chunks(limit).chain(last)
    }

    /// Calls the transport's exchange; errors name this rank, and are remembered.
    pub(crate) fn move_messages(
        &self,
        tag: Tag,
        outgoing: &[Outgoing<'_>],
        incoming: &mut [Incoming<'_>],
        work: &mut dyn FnMut() -> bool,
    ) -> Result<(), Error> {
        self.sound()?;
        self.remembered(self.transport().exchange(tag, outgoing, incoming, work))
    }

    /// Returns the first error of a message, if there was one.
    pub(crate) fn sound(&self) -> Result<(), Error> {
        self.failed.borrow().clone().map_or(Ok(()), Err)
    }

    /// Remembers an error, which names this rank.
    pub(crate) fn remembered<R>(&self, result: Result<R, Error>) -> Result<R, Error> {
        result.map_err(|error| {
            let error = error.at(self.name(self.rank()));
            self.failed.borrow_mut().get_or_insert(error).clone()
        })
    }

    pub(crate) fn decode<T: DeserializeOwned>(
        &self,
        from: usize,
        bytes: &[u8],
    ) -> Result<T, Error> {
        bitcode::deserialize(bytes).map_err(|error| {
            let name = std::any::type_name::<T>();
            let from = self.name(from);
            let message = format!("cannot decode what rank {from} sent as {name}: {error}");
            Error::new(ErrorKind::Format, message).at(self.name(self.rank()))
        })
    }

    /// Returns a rank's number in the world, for errors.
    pub(crate) fn name(&self, rank: usize) -> usize {
        self.transport.name(rank)
    }

    /// Returns the transport, for messages.
    pub(crate) fn transport(&self) -> &'w dyn Transport {
        assert!(
            !self.lent.get(),
            "a communicator is used inside of `split` or `share`, or after a panic there"
        );
        self.transport
    }

    /// Calls `body`, which cannot use this communicator; nor can later code, if it panics.
    pub(crate) fn lend<R>(&self, body: impl FnOnce() -> R) -> R {
        self.lent.set(true);
        let result = body();
        self.lent.set(false);
        result
    }

    /// Takes memory of at least `bytes` bytes, which the caller returns.
    pub(crate) fn borrow_scratch(&self, bytes: usize) -> Vec<u128> {
        let mut memory = self.scratch.borrow_mut().pop().unwrap_or_default();
        let lines = bytes.div_ceil(size_of::<u128>());
        if memory.len() < lines {
            memory.resize(lines, 0);
        }
        memory
    }

    pub(crate) fn return_scratch(&self, memory: Vec<u128>) {
        self.scratch.borrow_mut().push(memory);
    }
}

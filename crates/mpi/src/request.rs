//! Values that are sent and received while a rank does something else.
//!
//! What has been started belongs to the communicator; a request only names it. So a request that is
//! dropped or forgotten leaves nothing behind: the end of the world or part completes what has been
//! started.
//!
//! While requests for values are open, whatever waits also takes the values that they are for, from
//! all ranks, since their senders may wait for that.

use crate::{
    Communicator, Error, Value,
    error::ErrorKind,
    transport::{Flight, Incoming, Tag, Target, patience::Patience},
};
use serde::Serialize;
use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    fmt,
    marker::PhantomData,
    mem,
};

/// What a communicator has started, by numbers.
#[derive(Default)]
pub(crate) struct Started<'w> {
    number: u64,
    /// The messages of each value that is being sent.
    flights: BTreeMap<u64, VecDeque<Box<dyn Flight + 'w>>>,
    /// The values to come from each rank, in order.
    coming: BTreeMap<usize, Coming>,
    /// Those that have arrived.
    arrived: BTreeMap<u64, Vec<u8>>,
    /// Those whose requests were dropped before.
    unwanted: BTreeSet<u64>,
}

#[derive(Default)]
struct Coming {
    requests: VecDeque<(u64, Tag)>,
    /// The pieces of the first that have arrived.
    bytes: Vec<u8>,
}

impl Started<'_> {
    fn next(&mut self) -> u64 {
        self.number += 1;
        self.number
    }
}

/// A value that is being sent, by [`Communicator::start_send`].
///
/// If dropped, the value is sent all the same, before the world or part ends.
pub struct Sending<'c, 'w> {
    comm: &'c Communicator<'w>,
    number: u64,
}

/// A value that is being received, by [`Communicator::start_receive`].
///
/// If dropped, the value is received all the same, before the world or part ends, and dropped.
#[must_use = "the value is received in any case"]
pub struct Receiving<'c, 'w, T> {
    comm: &'c Communicator<'w>,
    from: usize,
    number: u64,
    value: PhantomData<T>,
}

impl<'w> Communicator<'w> {
    /// Starts to send a value, which is copied, to a rank, and returns at once. The rank may
    /// [`receive`](Self::receive) or [`start_receive`](Self::start_receive) it.
    ///
    /// Values move while a rank sends, receives, or asks for any of them, not while it computes, in
    /// collective operations, or with [`words`](Self::words): let it ask
    /// [`is_done`](Sending::is_done) now and then. Ranks that wait in vain with requests open give
    /// up after the time-out, also where they are threads.
    ///
    /// # Examples
    /// ```
    /// # fn main() -> Result<(), sumac_mpi::Error> {
    /// // Both send first; each does something else meanwhile.
    /// let others = sumac_mpi::World::threads(2).strict().run(|comm| {
    ///     let other = 1 - comm.rank();
    ///     let receiving = comm.start_receive::<usize>(other, 7)?;
    ///     let sending = comm.start_send(other, 7, &comm.rank())?;
    ///     let own = (0..1000).sum::<usize>();
    ///     sending.wait()?;
    ///     Ok((own, receiving.wait()?))
    /// })?;
    /// assert_eq!(others, [(499_500, 1), (499_500, 0)]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Panics
    /// If there is no rank `to`, or if `tag` is 2^15 or more.
    ///
    /// # Errors
    /// If another rank has failed.
    pub fn start_send<T: Serialize + ?Sized>(
        &self,
        to: usize,
        tag: u16,
        value: &T,
    ) -> Result<Sending<'_, 'w>, Error> {
        self.launch(to, self.program(to, tag), &self.encode(value)?)
    }

    /// Starts to send bytes.
    pub(crate) fn launch(
        &self,
        to: usize,
        tag: Tag,
        bytes: &[u8],
    ) -> Result<Sending<'_, 'w>, Error> {
        self.sound()?;
        self.forget_sent()?;
        let pieces = self.pieces(bytes);
        let flights = pieces.map(|piece| self.transport().launch(tag, to, piece.to_vec()));
        let flights = self.remembered(flights.collect())?;
        self.sent.borrow_mut()[to] += 1;
        let mut started = self.started.borrow_mut();
        let number = started.next();
        started.flights.insert(number, flights);
        Ok(Sending { comm: self, number })
    }

    /// Starts to receive the next value that a rank sends to this one and that no other request
    /// waits for, and returns at once.
    ///
    /// [`start_send`](Self::start_send) has an example.
    ///
    /// # Panics
    /// If there is no rank `from`, or if `tag` is 2^15 or more.
    ///
    /// # Errors
    /// None at present; those of [`receive`](Self::receive) come with the value.
    pub fn start_receive<T: Value>(
        &self,
        from: usize,
        tag: u16,
    ) -> Result<Receiving<'_, 'w, T>, Error> {
        let number = self.expect(from, self.program(from, tag));
        Ok(Receiving {
            comm: self,
            from,
            number,
            value: PhantomData,
        })
    }

    /// Opens a request for the next value of a rank, and returns its number.
    pub(crate) fn expect(&self, from: usize, tag: Tag) -> u64 {
        // Not while the communicator is lent.
        self.transport();
        let mut started = self.started.borrow_mut();
        let number = started.next();
        let coming = started.coming.entry(from).or_default();
        coming.requests.push_back((number, tag));
        number
    }

    /// Waits for the value of a request.
    pub(crate) fn arrival(&self, from: usize, number: u64) -> Result<Vec<u8>, Error> {
        self.wait_for(from, number)?;
        let arrived = self.started.borrow_mut().arrived.remove(&number);
        Ok(arrived.unwrap_or_default())
    }

    /// Completes all requests.
    pub(crate) fn complete(&self) -> Result<(), Error> {
        let sending: Vec<u64> = self.started.borrow().flights.keys().copied().collect();
        sending
            .into_iter()
            .try_for_each(|number| self.land(number))?;
        let mut sources = self.sources().into_iter();
        sources.try_for_each(|from| self.wait_for(from, u64::MAX))
    }

    /// Returns the ranks from which values are to come.
    pub(crate) fn sources(&self) -> Vec<usize> {
        let started = self.started.borrow();
        let coming = started.coming.iter();
        let coming = coming.filter(|(_, coming)| !coming.requests.is_empty());
        coming.map(|(from, _)| *from).collect()
    }

    /// Waits until a value is sent.
    fn land(&self, number: u64) -> Result<(), Error> {
        self.sound()?;
        let mut patience = Patience::new(self.settings.timeout, true);
        let mut before = usize::MAX;
        loop {
            let left = self.unsent(number, self.sources().is_empty())?;
            if left == 0 {
                return Ok(());
            }
            if self.serve_all()? || left < before {
                before = left;
                patience.renew();
            } else if let Some(after) = patience.pause(1) {
                let message = format!("waited {after:?} to send a value");
                return self.remembered(Err(Error::new(ErrorKind::TimedOut, message)));
            }
        }
    }

    /// Forgets the oldest values that are sent, whose requests may have been dropped.
    fn forget_sent(&self) -> Result<(), Error> {
        loop {
            let oldest = self.started.borrow().flights.keys().next().copied();
            match oldest {
                Some(number) if self.unsent(number, false)? == 0 => {}
                _ => return Ok(()),
            }
        }
    }

    /// Returns how many messages of a value are not sent yet. If it `waits`, none.
    fn unsent(&self, number: u64, waits: bool) -> Result<usize, Error> {
        let mut started = self.started.borrow_mut();
        let Some(flights) = started.flights.get_mut(&number) else {
            return Ok(0);
        };
        while let Some(flight) = flights.front_mut() {
            if waits {
                self.remembered(flight.land())?;
            }
            if !self.remembered(flight.has_landed())? {
                return Ok(flights.len());
            }
            flights.pop_front();
        }
        started.flights.remove(&number);
        Ok(0)
    }

    /// Waits for the values of a rank, up to that of the request `last`.
    fn wait_for(&self, from: usize, last: u64) -> Result<(), Error> {
        let mut patience = Patience::new(self.settings.timeout, true);
        while self.next_of(from, last).is_some() {
            let sources = self.sources();
            if sources == [from] {
                return self.serve(from, last, true).map(drop);
            }
            if self.serve_all()? {
                patience.renew();
            } else if let Some(after) = patience.pause(1) {
                return self.remembered(Err(Error::timed_out(self.name(from), after)));
            }
        }
        Ok(())
    }

    /// Returns the first open request for a value of a rank, if it is not after `last`.
    fn next_of(&self, from: usize, last: u64) -> Option<(u64, Tag)> {
        let started = self.started.borrow();
        let first = started.coming.get(&from)?.requests.front();
        first.copied().filter(|(number, _)| *number <= last)
    }

    /// Takes the values that have been sent for any request. Returns whether anything has arrived.
    fn serve_all(&self) -> Result<bool, Error> {
        let mut sources = self.sources().into_iter();
        sources.try_fold(false, |moved, from| {
            Ok(self.serve(from, u64::MAX, false)? || moved)
        })
    }

    /// Takes the values that a rank has sent, up to that of the request `last`; if it `waits`, all
    /// of them. Returns whether anything has arrived.
    fn serve(&self, from: usize, last: u64, waits: bool) -> Result<bool, Error> {
        // Before anything is taken: not while the communicator is lent.
        self.transport();
        let mut moved = false;
        while let Some((number, tag)) = self.next_of(from, last) {
            let mut started = self.started.borrow_mut();
            let mut bytes = mem::take(&mut started.coming.entry(from).or_default().bytes);
            drop(started);
            let before = bytes.len();
            let into = Target::Any(&mut bytes);
            let mut incoming = [Incoming { from, into }];
            let complete = match waits {
                true => self
                    .move_messages(tag, &[], &mut incoming, &mut || false)
                    .map(|()| true),
                false => self
                    .sound()
                    .and_then(|()| self.remembered(self.transport().poll(tag, &mut incoming[0]))),
            }?;
            moved |= complete || bytes.len() > before;
            let mut started = self.started.borrow_mut();
            let coming = started.coming.entry(from).or_default();
            if !complete {
                coming.bytes = bytes;
                break;
            }
            coming.requests.pop_front();
            if !started.unwanted.remove(&number) {
                started.arrived.insert(number, bytes);
            }
            self.received.borrow_mut()[from] += 1;
        }
        Ok(moved)
    }
}

impl Sending<'_, '_> {
    /// Returns whether it is sent, so that [`wait`](Self::wait) does not wait.
    ///
    /// # Errors
    /// If another rank has failed.
    pub fn is_done(&self) -> Result<bool, Error> {
        self.comm.serve_all()?;
        Ok(self.comm.unsent(self.number, false)? == 0)
    }

    /// Waits until it is sent; in a [strict](crate::World::strict) world, until it is received.
    ///
    /// # Errors
    /// If it takes longer than the time-out, or another rank has failed.
    pub fn wait(self) -> Result<(), Error> {
        self.comm.land(self.number)
    }
}

impl<T: Value> Receiving<'_, '_, T> {
    /// Returns whether it has arrived, so that [`wait`](Self::wait) does not wait. It may itself
    /// wait for the rest of a value that is arriving.
    ///
    /// # Errors
    /// If a value was sent with another tag, or another rank has failed.
    pub fn is_done(&self) -> Result<bool, Error> {
        self.comm.serve_all()?;
        let started = self.comm.started.borrow();
        Ok(started.arrived.contains_key(&self.number))
    }

    /// Waits for the value.
    ///
    /// # Errors
    /// Those of [`Communicator::receive`].
    pub fn wait(self) -> Result<T, Error> {
        let bytes = self.comm.arrival(self.from, self.number)?;
        self.comm.decode(self.from, &bytes)
    }
}

impl<T> Drop for Receiving<'_, '_, T> {
    fn drop(&mut self) {
        let mut started = self.comm.started.borrow_mut();
        let coming = started.coming.get(&self.from);
        let open = |coming: &Coming| coming.requests.iter().any(|open| open.0 == self.number);
        if coming.is_some_and(open) {
            started.unwanted.insert(self.number);
        }
        started.arrived.remove(&self.number);
    }
}

impl fmt::Debug for Sending<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sending").finish_non_exhaustive()
    }
}

impl<T> fmt::Debug for Receiving<'_, '_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let from = &self.from;
        f.debug_struct("Receiving")
            .field("from", from)
            .finish_non_exhaustive()
    }
}

//! Values that are sent and received while a rank does something else.
//!
//! What has been started belongs to the communicator; a request only names it. So a request that is
//! forgotten leaves nothing behind: the end of the world completes what has been started.

use crate::{
    Communicator, Error, Value,
    error::ErrorKind,
    transport::{Flight, Incoming, Tag, Target, patience::Patience},
};
use serde::Serialize;
use std::{
    collections::{BTreeMap, VecDeque},
    fmt,
    marker::PhantomData,
    mem::{self, ManuallyDrop},
    thread,
};

/// What a communicator has started, by numbers.
#[derive(Default)]
pub(crate) struct Started<'w> {
    number: u64,
    /// The messages of each value that is being sent.
    flights: BTreeMap<u64, Vec<Box<dyn Flight + 'w>>>,
    /// The values to come from each rank, in order.
    coming: BTreeMap<usize, Coming>,
    /// Those that have arrived.
    arrived: BTreeMap<u64, Vec<u8>>,
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
/// Its drop waits until it is sent; if it cannot be sent, the world ends.
#[must_use = "a dropped request waits"]
pub struct Sending<'c, 'w> {
    comm: &'c Communicator<'w>,
    number: u64,
}

/// A value that is being received, by [`Communicator::start_receive`].
///
/// Its drop waits for the value; if it does not come, the world ends with that error.
#[must_use = "a dropped request waits"]
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
    /// Values move while a rank sends, receives, or asks for one, not while it computes or in
    /// collective operations: let it ask [`is_done`](Sending::is_done) now and then.
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
        let pieces = self.pieces(bytes);
        let flights = pieces.map(|piece| self.transport().launch(tag, to, piece.to_vec()));
        let flights = flights.collect::<Result<Vec<_>, Error>>();
        let flights = flights.map_err(|error| error.at(self.name(self.rank())))?;
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
        let tag = self.program(from, tag);
        let mut started = self.started.borrow_mut();
        let number = started.next();
        let coming = started.coming.entry(from).or_default();
        coming.requests.push_back((number, tag));
        Ok(Receiving {
            comm: self,
            from,
            number,
            value: PhantomData,
        })
    }

    /// Completes all requests for values from a rank, as what is received next comes after them.
    pub(crate) fn drain(&self, from: usize) -> Result<(), Error> {
        self.serve(from, None, true)
    }

    /// Completes all requests.
    pub(crate) fn complete(&self) -> Result<(), Error> {
        let sending: Vec<u64> = self.started.borrow().flights.keys().copied().collect();
        sending
            .into_iter()
            .try_for_each(|number| self.land(number))?;
        let mut sources = self.sources().into_iter();
        sources.try_for_each(|from| self.drain(from))
    }

    /// Returns the ranks from which values are to come.
    pub(crate) fn sources(&self) -> Vec<usize> {
        let started = self.started.borrow();
        let coming = started.coming.iter();
        let coming = coming.filter(|(_, coming)| !coming.requests.is_empty());
        coming.map(|(from, _)| *from).collect()
    }

    /// Waits until a value is sent, and meanwhile takes those that are to come: their senders may
    /// wait for that.
    fn land(&self, number: u64) -> Result<(), Error> {
        let named = |error: Error| error.at(self.name(self.rank()));
        let flights = self.started.borrow_mut().flights.remove(&number);
        let mut flights = flights.unwrap_or_default();
        let mut patience = Patience::new(self.settings.timeout, true);
        while let Some(flight) = flights.last_mut() {
            let sources = self.sources();
            if sources.is_empty() {
                flight.land().map_err(named)?;
            }
            for from in sources {
                self.serve(from, None, false)?;
            }
            if flight.has_landed().map_err(named)? {
                flights.pop();
            } else if let Some(after) = patience.pause(1) {
                let message = format!("waited {after:?} to send a value");
                return Err(named(Error::new(ErrorKind::TimedOut, message)));
            }
        }
        Ok(())
    }

    /// Takes values that a rank has sent, up to that of the request `until`; or waits for them.
    fn serve(&self, from: usize, until: Option<u64>, waits: bool) -> Result<(), Error> {
        loop {
            let mut started = self.started.borrow_mut();
            let coming = started.coming.entry(from).or_default();
            let Some(&(number, tag)) = coming.requests.front() else {
                return Ok(());
            };
            if until.is_some_and(|until| until < number) {
                return Ok(());
            }
            let mut bytes = mem::take(&mut coming.bytes);
            drop(started);
            let into = Target::Any(&mut bytes);
            let mut incoming = [Incoming { from, into }];
            let complete = match waits {
                true => self
                    .move_messages(tag, &[], &mut incoming, &mut || false)
                    .map(|()| true),
                false => self.transport().poll(tag, &mut incoming[0]),
            };
            let complete = complete.map_err(|error| error.at(self.name(self.rank())))?;
            let mut started = self.started.borrow_mut();
            let coming = started.coming.entry(from).or_default();
            if !complete {
                coming.bytes = bytes;
                return Ok(());
            }
            coming.requests.pop_front();
            started.arrived.insert(number, bytes);
            self.received.borrow_mut()[from] += 1;
        }
    }
}

impl Sending<'_, '_> {
    /// Returns whether it is sent, so that [`wait`](Self::wait) does not wait.
    ///
    /// # Errors
    /// If another rank has failed.
    pub fn is_done(&self) -> Result<bool, Error> {
        let mut started = self.comm.started.borrow_mut();
        let Some(flights) = started.flights.get_mut(&self.number) else {
            return Ok(true);
        };
        let mut done = true;
        for flight in flights {
            done &= flight.has_landed()?;
        }
        Ok(done)
    }

    /// Waits until it is sent; in a [strict](crate::World::strict) world, until it is received.
    ///
    /// # Errors
    /// If it takes longer than the time-out, or another rank has failed.
    pub fn wait(self) -> Result<(), Error> {
        let this = ManuallyDrop::new(self);
        this.comm.land(this.number)
    }
}

impl<T: Value> Receiving<'_, '_, T> {
    /// Returns whether it has arrived, so that [`wait`](Self::wait) does not wait.
    ///
    /// # Errors
    /// If a value was sent with another tag, or another rank has failed.
    pub fn is_done(&self) -> Result<bool, Error> {
        self.comm.serve(self.from, Some(self.number), false)?;
        Ok(self
            .comm
            .started
            .borrow()
            .arrived
            .contains_key(&self.number))
    }

    /// Waits for the value.
    ///
    /// # Errors
    /// Those of [`Communicator::receive`].
    pub fn wait(self) -> Result<T, Error> {
        let this = ManuallyDrop::new(self);
        this.comm.serve(this.from, Some(this.number), true)?;
        let arrived = this.comm.started.borrow_mut().arrived.remove(&this.number);
        this.comm.decode(this.from, &arrived.unwrap_or_default())
    }
}

impl Drop for Sending<'_, '_> {
    fn drop(&mut self) {
        // Who panics shall not wait.
        if !thread::panicking() {
            drop(self.comm.land(self.number));
        }
    }
}

impl<T> Drop for Receiving<'_, '_, T> {
    fn drop(&mut self) {
        if !thread::panicking() {
            drop(self.comm.serve(self.from, Some(self.number), true));
        }
        self.comm.started.borrow_mut().arrived.remove(&self.number);
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

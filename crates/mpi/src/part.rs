//! `Communicator::split`: parts of the ranks, each with a communicator of its own.
//!
//! A part's messages are the whole's, between the ranks of that part. They cannot be mixed up with
//! others: when the ranks are split, all values are received that were sent; and until its part has
//! ended, with all messages received, a rank cannot use the whole. If the part fails, never again.

use crate::{
    Communicator, Error,
    error::ErrorKind,
    transport::{Agree, Fill, Flight, Incoming, Outgoing, Tag, Transport, Window, Words, Work},
};

impl Communicator<'_> {
    /// Splits the ranks into parts, one for each colour, calls `body` with the communicator of this
    /// rank's part, and returns its result. Collective.
    ///
    /// In a part the ranks with its colour are numbered from 0 on, in their order. `body` can use
    /// the part only, and may split it again. A part has no windows of MPI: each of its ranks is
    /// its [`node`](Self::node) alone, and [`words`](Self::words) fails. It costs what
    /// [`all_gather`](Self::all_gather) does, and its end some messages more.
    ///
    /// # Examples
    /// ```
    /// # fn main() -> Result<(), sumac_mpi::Error> {
    /// // The rows of a grid of two by three.
    /// let sums = sumac_mpi::World::threads(6).run(|comm| {
    ///     comm.split(comm.rank() / 3, |row| row.all_reduce(comm.rank(), |a, b| a + b))
    /// })?;
    /// assert_eq!(sums, [3, 3, 3, 12, 12, 12]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Panics
    /// If `body` does, or uses `self` to communicate, or if a value is being received. After a panic
    /// of `body`, all communication by `self` panics; after an error it fails, with that error.
    ///
    /// # Errors
    /// That of `body`; [`ErrorKind::Disagreement`](crate::ErrorKind::Disagreement) if values were
    /// sent but not received, before or within the part; and those of other collective operations.
    /// They call ranks by their numbers in the world.
    pub fn split<R>(
        &self,
        colour: usize,
        body: impl FnOnce(&Communicator<'_>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        assert!(self.sources().is_empty(), "a request is pending");
        let all = self.all_gather((colour, self.sums()))?;
        let (colours, sums): (Vec<_>, Vec<_>) = all.into_iter().unzip();
        let (sent, received) = sums.iter().fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
        if sent != received {
            let message = "the ranks are split, but not all values that were sent are received";
            return Err(Error::new(ErrorKind::Disagreement, message).at(self.name(self.rank())));
        }
        let ranks = (0..self.size()).filter(|rank| colours[*rank] == colour);
        let ranks: Vec<usize> = ranks.collect();
        let rank = ranks.iter().take_while(|rank| **rank < self.rank()).count();
        let part = Part {
            whole: self.transport(),
            node: [rank],
            ranks,
        };
        let part = Communicator::new(&part, self.settings, self.pool());
        let result = self.lend(|| {
            let result = body(&part)?;
            part.end()?;
            Ok(result)
        });
        // Messages of the part may be left.
        self.remembered(result)
    }
}

/// Some of the ranks.
struct Part<'w> {
    whole: &'w dyn Transport,
    /// Their numbers in the whole.
    ranks: Vec<usize>,
    /// This rank's number in the part.
    node: [usize; 1],
}

impl Transport for Part<'_> {
    fn rank(&self) -> usize {
        self.node[0]
    }

    fn name(&self, rank: usize) -> usize {
        self.whole.name(self.ranks[rank])
    }

    fn size(&self) -> usize {
        self.ranks.len()
    }

    fn limit(&self) -> usize {
        self.whole.limit()
    }

    fn node(&self) -> &[usize] {
        &self.node
    }

    fn is_consecutive(&self) -> bool {
        true
    }

    fn exchange(
        &self,
        tag: Tag,
        outgoing: &[Outgoing<'_>],
        incoming: &mut [Incoming<'_>],
        work: Work<'_>,
    ) -> Result<(), Error> {
        let outgoing = outgoing.iter().map(|message| Outgoing {
            to: self.ranks[message.to],
            bytes: message.bytes,
        });
        let incoming = incoming
            .iter_mut()
            .map(|message| message.as_from(self.ranks[message.from]));
        let (outgoing, mut incoming): (Vec<_>, Vec<_>) = (outgoing.collect(), incoming.collect());
        self.whole.exchange(tag, &outgoing, &mut incoming, work)
    }

    fn launch(&self, tag: Tag, to: usize, bytes: Vec<u8>) -> Result<Box<dyn Flight + '_>, Error> {
        self.whole.launch(tag, self.ranks[to], bytes)
    }

    fn poll(&self, tag: Tag, incoming: &mut Incoming<'_>) -> Result<bool, Error> {
        let from = self.ranks[incoming.from];
        self.whole.poll(tag, &mut incoming.as_from(from))
    }

    fn share<'a>(
        &'a self,
        len: usize,
        fill: Fill<'_>,
        agree: Agree<'_>,
    ) -> Result<Box<dyn Window + 'a>, Error> {
        let mut lines = vec![0; len.div_ceil(size_of::<u128>())];
        fill(&mut bytemuck::cast_slice_mut(&mut lines)[..len]);
        agree()?;
        Ok(Box::new(Own { lines, len }))
    }

    fn words(&self, _len: usize) -> Result<Box<dyn Words + '_>, Error> {
        Err(Error::new(
            ErrorKind::Setup,
            "a part of the ranks has no words",
        ))
    }
}

/// This rank's own bytes.
struct Own {
    lines: Vec<u128>,
    len: usize,
}

impl Window for Own {
    fn part(&self, _: usize) -> &[u8] {
        &bytemuck::cast_slice(&self.lines)[..self.len]
    }
}

//! What carries bytes between ranks: a trait with two implementations, threads of one process and real MPI.
//!
//! All that ranks do together is made of one operation, [`exchange`](Transport::exchange): send these messages, receive
//! those, and do some work meanwhile. It returns when every message has been sent and received, so nothing is ever left pending.
//!
//! Invariants:
//!
//! 1. **In order.** Messages from one rank to another, on one lane, are received in the order in which they were sent.
//! 2. **Tags are checked, not matched.** A receive takes the next message and fails if it bears another tag than expected:
//!    ranks that do different things find out. Tags of the collectives have their kind and a running number in them.
//! 3. **Bounded.** No message is longer than [`limit`](Transport::limit). What is longer is sent in pieces of exactly
//!    that length and a last one that is shorter, so that no lengths need be sent, and 32-bit counts do not matter.
//! 4. **One thread.** A transport is not `Sync`, nor is what is built on it: under MPI only the thread that initialised it may call it.

pub(crate) mod mailbox;
#[cfg(feature = "mpi")]
pub(crate) mod real;
#[cfg(feature = "mpi")]
pub(crate) mod window;

use crate::{Error, collective::Operation, error::ErrorKind};
use std::{collections::HashSet, fmt};

/// Two streams of messages that do not meet: the crate's own, and the program's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Lane {
    Collective,
    Program,
}

/// What a message is about: the program's number, or what the ranks do together and for the how many-th time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tag {
    pub(crate) lane: Lane,
    /// Less than 2^15, which is what MPI guarantees.
    pub(crate) number: u16,
}

/// What ranks do together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
pub(crate) enum Kind {
    Barrier,
    Broadcast,
    Scatter,
    Gather,
    Reduce,
    Scan,
    AllToAll,
    MapReduce,
    End,
}

impl Kind {
    const NAMES: [&str; 9] = [
        "barrier",
        "broadcast",
        "scatter",
        "gather",
        "reduce",
        "scan",
        "all_to_all",
        "map_reduce",
        "end",
    ];
}

impl Tag {
    /// The program's tags are less than this.
    pub(crate) const COUNT: u16 = 1 << 15;

    /// Running numbers begin again at this.
    const NUMBERS: u16 = 1 << 10;

    /// That of the `number`-th thing the ranks do together.
    pub(crate) fn collective(kind: Kind, number: u64) -> Self {
        let number = (number % u64::from(Self::NUMBERS)) as u16;
        Self {
            lane: Lane::Collective,
            number: kind as u16 * Self::NUMBERS + number,
        }
    }

    /// The same lane's with another number.
    #[cfg(feature = "mpi")]
    pub(crate) fn with_number(self, number: u16) -> Self {
        Self { number, ..self }
    }
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = usize::from(self.number / Self::NUMBERS);
        match (self.lane, Kind::NAMES.get(kind)) {
            (Lane::Collective, Some(name)) => write!(f, "{name} #{}", self.number % Self::NUMBERS),
            _ => write!(f, "tag {}", self.number),
        }
    }
}

/// A message to send, not longer than the limit.
#[derive(Debug)]
pub(crate) struct Outgoing<'a> {
    pub(crate) to: usize,
    pub(crate) bytes: &'a [u8],
}

/// A message to receive.
#[derive(Debug)]
pub(crate) struct Incoming<'a> {
    pub(crate) from: usize,
    pub(crate) into: Target<'a>,
}

/// Where to.
#[derive(Debug)]
pub(crate) enum Target<'a> {
    /// One message of exactly this length.
    Exact(&'a mut [u8]),
    /// Messages up to one that is shorter than the limit, put together.
    Any(&'a mut Vec<u8>),
}

impl Incoming<'_> {
    /// Takes a message that has come. True if no more of it is to come.
    pub(crate) fn accept(
        &mut self,
        tag: Tag,
        found: Tag,
        bytes: Vec<u8>,
        limit: usize,
    ) -> Result<bool, Error> {
        self.check(tag, found, bytes.len())?;
        let len = bytes.len();
        match &mut self.into {
            Target::Exact(place) => {
                place.copy_from_slice(&bytes);
                return Ok(true);
            }
            Target::Any(all) if all.is_empty() => **all = bytes,
            Target::Any(all) => all.extend_from_slice(&bytes),
        }
        Ok(len < limit)
    }

    /// Whether it is the message that is expected.
    pub(crate) fn check(&self, tag: Tag, found: Tag, len: usize) -> Result<(), Error> {
        if tag != found {
            return Err(Error::new(
                ErrorKind::Disagreement,
                format_args!("is at {tag}, but rank {} at {found}", self.from),
            ));
        }
        match &self.into {
            Target::Exact(place) if place.len() != len => Err(Error::new(
                ErrorKind::Length,
                format_args!(
                    "rank {} sent {len} bytes, {} were expected",
                    self.from,
                    place.len()
                ),
            )),
            _ => Ok(()),
        }
    }
}

/// Some work between two looks at the messages. False when there is none left.
pub(crate) type Work<'a> = &'a mut dyn FnMut() -> bool;

/// Fills this rank's own part of a shared window.
pub(crate) type Fill<'a> = &'a mut dyn FnMut(&mut [u8]);

/// Returns on all ranks when it was called on all of them; with an error on all if on one.
pub(crate) type Agree<'a> = &'a mut dyn FnMut() -> Result<(), Error>;

/// A vector of numbers.
#[derive(Debug)]
#[cfg_attr(
    not(feature = "mpi"),
    expect(dead_code, reason = "only MPI looks inside")
)]
pub(crate) enum Numbers<'a> {
    U32(&'a mut [u32]),
    I32(&'a mut [i32]),
    U64(&'a mut [u64]),
    I64(&'a mut [i64]),
    F32(&'a mut [f32]),
    F64(&'a mut [f64]),
}

/// See the module.
pub(crate) trait Transport {
    fn rank(&self) -> usize;

    fn size(&self) -> usize;

    /// The length of the longest message.
    fn limit(&self) -> usize;

    /// The ranks that share this one's memory, itself included, in order.
    fn node(&self) -> &[usize];

    /// Sends and receives messages, all with one tag, and works meanwhile.
    fn exchange(
        &self,
        tag: Tag,
        outgoing: &[Outgoing<'_>],
        incoming: &mut [Incoming<'_>],
        work: Work<'_>,
    ) -> Result<(), Error>;

    /// Whether [`native`](Self::native) can be called.
    fn has_native(&self) -> bool {
        false
    }

    /// Reduces equally long vectors of all ranks element by element, as MPI does it itself.
    fn native(&self, _numbers: Numbers<'_>, _operation: Operation) -> Result<(), Error> {
        Err(Error::new(ErrorKind::Setup, "only MPI has reductions"))
    }

    /// Memory that the ranks of a node read in common: `len` bytes of this rank's, which `fill` writes before `agree` is called.
    fn share<'a>(
        &'a self,
        len: usize,
        fill: Fill<'_>,
        agree: Agree<'_>,
    ) -> Result<Box<dyn Window + 'a>, Error>;
}

/// Memory that the ranks of a node read in common.
pub(crate) trait Window {
    /// What the rank `node()[index]` filled in.
    fn part(&self, index: usize) -> &[u8];
}

/// The first message from each rank, of those that are missing: no other can have come.
pub(crate) fn first_of_each(
    incoming: &[Incoming<'_>],
    missing: impl Fn(usize) -> bool,
) -> Vec<usize> {
    let mut seen = HashSet::new();
    let missing = incoming
        .iter()
        .enumerate()
        .filter(|(index, _)| missing(*index));
    let first = missing.filter(|(_, message)| seen.insert(message.from));
    first.map(|(index, _)| index).collect()
}

//! The transport of bytes between ranks: a trait with two implementations, threads of one process
//! and real MPI.
//!
//! All communication uses one operation, [`exchange`](Transport::exchange): send these messages,
//! receive those, and do some work meanwhile. It returns when every message has been sent and
//! received, so nothing is ever left pending.
//!
//! Invariants:
//!
//! 1. **In order.** Messages from one rank to another, on one lane, are received in the order in
//!    which they were sent.
//! 2. **Tags are checked, not matched.** A receive takes the next message and fails if its tag is
//!    not the expected one: ranks that call different operations get an error. Tags of collectives
//!    contain their kind and a sequence number.
//! 3. **Bounded.** No message is longer than [`limit`](Transport::limit). Longer data is sent in
//!    pieces of exactly that length and a last one that is shorter, so that no lengths need be
//!    sent, and 32-bit counts suffice.
//! 4. **One thread.** A transport is not `Sync`, and neither are types built on it: only the thread
//!    that initialised MPI may call it.

pub(crate) mod mailbox;
mod mpi;
pub(crate) mod patience;
pub(crate) mod process;
mod watch;

use crate::{Error, collective::Operation, error::ErrorKind};
use std::{collections::HashSet, fmt};

/// Two separate streams of messages: the crate's own, and the program's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Lane {
    Collective,
    Program,
}

/// The tag of a message: the program's number, or the collective operation and its sequence number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tag {
    pub(crate) lane: Lane,
    /// Less than 2^15, which is what MPI guarantees.
    pub(crate) number: u16,
}

/// The kinds of collective operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Collective {
    Barrier,
    Broadcast,
    Scatter,
    Gather,
    Reduce,
    Scan,
    AllToAll,
    MapReduce,
    Share,
    Words,
    End,
    /// An elementwise reduction; with the type's index in [`NUMBERS`].
    Each(Operation, u16),
}

impl Collective {
    const NAMES: [&str; 11] = [
        "barrier",
        "broadcast",
        "scatter",
        "gather",
        "reduce",
        "scan",
        "all_to_all",
        "map_reduce",
        "share",
        "words",
        "end",
    ];

    /// The code of the first elementwise reduction.
    const EACH: usize = Self::NAMES.len();

    /// Less than 2^5.
    fn code(self) -> u16 {
        match self {
            Self::Barrier => 0,
            Self::Broadcast => 1,
            Self::Scatter => 2,
            Self::Gather => 3,
            Self::Reduce => 4,
            Self::Scan => 5,
            Self::AllToAll => 6,
            Self::MapReduce => 7,
            Self::Share => 8,
            Self::Words => 9,
            Self::End => 10,
            Self::Each(operation, number) => {
                Self::EACH as u16 + operation as u16 * NUMBERS.len() as u16 + number
            }
        }
    }

    fn name(code: u16) -> String {
        let code = usize::from(code);
        if let Some(name) = Self::NAMES.get(code) {
            return (*name).to_string();
        }
        let code = code - Self::EACH;
        let (operation, number) = (code / NUMBERS.len(), code % NUMBERS.len());
        let operation = ["sum", "min", "max"].get(operation).unwrap_or(&"?");
        format!("{operation} of {}", NUMBERS[number])
    }
}

/// The types of [`Numbers`].
pub(crate) const NUMBERS: [&str; 6] = ["u32", "i32", "u64", "i64", "f32", "f64"];

impl Tag {
    /// The program's tags are less than this.
    pub(crate) const COUNT: u16 = 1 << 15;

    /// Sequence numbers are modulo this.
    const NUMBERS: u16 = 1 << 10;

    /// Returns the tag of the `number`th collective operation.
    pub(crate) fn collective(kind: Collective, number: u64) -> Self {
        let number = (number % u64::from(Self::NUMBERS)) as u16;
        Self {
            lane: Lane::Collective,
            number: kind.code() * Self::NUMBERS + number,
        }
    }

    /// Returns a tag of the same lane with another number.
    pub(crate) fn with_number(self, number: u16) -> Self {
        Self { number, ..self }
    }
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.lane {
            Lane::Collective => {
                let kind = Collective::name(self.number / Self::NUMBERS);
                write!(f, "{kind} #{}", self.number % Self::NUMBERS)
            }
            Lane::Program => write!(f, "tag {}", self.number),
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
    /// The concatenation of messages up to one that is shorter than the limit.
    Any(&'a mut Vec<u8>),
}

impl Incoming<'_> {
    /// Returns the same message, from a rank of that number, for a shorter time.
    pub(crate) fn as_from(&mut self, from: usize) -> Incoming<'_> {
        let into = match &mut self.into {
            Target::Exact(place) => Target::Exact(place),
            Target::Any(all) => Target::Any(all),
        };
        Incoming { from, into }
    }

    /// Takes a message that has arrived. Returns true if no more pieces follow.
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

    /// Checks that it is the expected message.
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

/// Some work between two polls for messages. Returns false if there is none left.
pub(crate) type Work<'a> = &'a mut dyn FnMut() -> bool;

/// Fills this rank's own part of a shared window.
pub(crate) type Fill<'a> = &'a mut dyn FnMut(&mut [u8]);

/// Returns on all ranks after all have called it; with an error on all if one has an error.
pub(crate) type Agree<'a> = &'a mut dyn FnMut() -> Result<(), Error>;

/// A vector of numbers.
#[derive(Debug)]
pub(crate) enum Numbers<'a> {
    U32(&'a mut [u32]),
    I32(&'a mut [i32]),
    U64(&'a mut [u64]),
    I64(&'a mut [i64]),
    F32(&'a mut [f32]),
    F64(&'a mut [f64]),
}

impl Numbers<'_> {
    /// Returns the type's index in [`NUMBERS`].
    pub(crate) fn place(&self) -> u16 {
        match self {
            Self::U32(_) => 0,
            Self::I32(_) => 1,
            Self::U64(_) => 2,
            Self::I64(_) => 3,
            Self::F32(_) => 4,
            Self::F64(_) => 5,
        }
    }
}

/// See the module.
pub(crate) trait Transport {
    fn rank(&self) -> usize;

    /// Returns a rank's number in the world, for errors.
    fn name(&self, rank: usize) -> usize {
        rank
    }

    fn size(&self) -> usize;

    /// Returns the greatest length of a message.
    fn limit(&self) -> usize;

    /// Returns the ranks that share this one's memory, including itself, in order.
    fn node(&self) -> &[usize];

    /// Returns whether the ranks of each node have consecutive numbers. The same for all ranks.
    fn is_consecutive(&self) -> bool;

    /// Sends and receives messages, all with one tag, and works meanwhile.
    fn exchange(
        &self,
        tag: Tag,
        outgoing: &[Outgoing<'_>],
        incoming: &mut [Incoming<'_>],
        work: Work<'_>,
    ) -> Result<(), Error>;

    /// Starts to send a message, after all that were sent to that rank before.
    fn launch(&self, tag: Tag, to: usize, bytes: Vec<u8>) -> Result<Box<dyn Flight + '_>, Error>;

    /// Takes the messages for `incoming` that have arrived. Returns true if it is complete.
    fn poll(&self, tag: Tag, incoming: &mut Incoming<'_>) -> Result<bool, Error>;

    /// Returns whether [`native`](Self::native) can be called.
    fn has_native(&self) -> bool {
        false
    }

    /// Reduces equally long vectors of all ranks elementwise by MPI's own reduction.
    fn native(&self, _numbers: Numbers<'_>, _operation: Operation) -> Result<(), Error> {
        Err(Error::new(ErrorKind::Setup, "only MPI has reductions"))
    }

    /// Creates memory that the ranks of a node read: `len` bytes of this rank, which `fill` writes
    /// before `agree` is called.
    fn share<'a>(
        &'a self,
        len: usize,
        fill: Fill<'_>,
        agree: Agree<'_>,
    ) -> Result<Box<dyn Window + 'a>, Error>;

    /// Creates words that all ranks change: `len` of each rank, zero. All ranks have agreed on it,
    /// and agree again before any uses them.
    fn words(&self, len: usize) -> Result<Box<dyn Words + '_>, Error>;
}

/// A message that is being sent, with its bytes. If dropped before, they are not freed.
pub(crate) trait Flight {
    /// Returns whether it is sent.
    fn has_landed(&mut self) -> Result<bool, Error>;

    /// Waits until it is sent.
    fn land(&mut self) -> Result<(), Error>;
}

/// Memory that the ranks of a node read.
pub(crate) trait Window {
    /// Returns the bytes of the rank `node()[index]`.
    fn part(&self, index: usize) -> &[u8];
}

/// Words that all ranks change.
pub(crate) trait Words {
    /// Stores `new` in a word of a rank if it is `current`. Returns what it was.
    fn compare_and_swap(
        &self,
        rank: usize,
        index: usize,
        current: u64,
        new: u64,
    ) -> Result<u64, Error>;
}

/// Returns the first missing message from each rank: no other can have arrived.
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

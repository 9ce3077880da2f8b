//! Errors between ranks. An error is plain data: ranks send it to each other, so that all of them
//! can name the rank where it occurred.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use std::{error, fmt, io, time::Duration};

/// A failure, and the rank where it occurred.
///
/// Every function of this crate that communicates returns an error instead of waiting for ever. If
/// the closure of [`World::run`](crate::World::run) returns one, it ends all ranks.
///
/// # Examples
/// ```
/// use sumac_mpi::{Error, World};
///
/// let failed = World::threads(3).run(|comm| match comm.rank() {
///     1 => Err(Error::other("no coffee left")),
///     _ => comm.barrier(),
/// });
/// // A `main` that returned it would print the same.
/// assert_eq!(format!("{:?}", failed.unwrap_err()), "rank 1: no coffee left");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    rank: Option<usize>,
    message: String,
}

/// The kind of an error; see [`Error::kind`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A rank panicked.
    Panic,
    /// A rank waited longer than [`World::timeout`](crate::World::timeout) allows.
    TimedOut,
    /// All ranks wait for each other, or for one that has ended.
    Deadlock,
    /// Ranks call different operations, in different orders, or have different settings.
    Disagreement,
    /// Data has another length than expected.
    Length,
    /// A file is missing, too short, or cannot be read.
    File,
    /// Bytes are not those of the requested type.
    Format,
    /// The ranks could not be started.
    Setup,
    /// An error of the program itself.
    Other,
}

/// All kinds, in their order.
const KINDS: [ErrorKind; 9] = [
    ErrorKind::Panic,
    ErrorKind::TimedOut,
    ErrorKind::Deadlock,
    ErrorKind::Disagreement,
    ErrorKind::Length,
    ErrorKind::File,
    ErrorKind::Format,
    ErrorKind::Setup,
    ErrorKind::Other,
];

impl Error {
    /// Creates an error of the program itself, for closures passed to this crate.
    ///
    /// [`Error`] has an example.
    pub fn other(message: impl fmt::Display) -> Self {
        Self::new(ErrorKind::Other, message)
    }

    pub(crate) fn new(kind: ErrorKind, message: impl fmt::Display) -> Self {
        Self {
            kind,
            rank: None,
            message: message.to_string(),
        }
    }

    /// Sets the rank where it occurred to `rank`, unless it is known.
    pub(crate) fn at(mut self, rank: usize) -> Self {
        self.rank.get_or_insert(rank);
        self
    }

    /// Converts a panic's payload.
    pub(crate) fn panic(payload: &(dyn std::any::Any + Send)) -> Self {
        let text = payload
            .downcast_ref::<&str>()
            .copied()
            .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
            .unwrap_or("(no message)");
        Self::new(ErrorKind::Panic, format_args!("panicked: {text}"))
    }

    pub(crate) fn timed_out(from: usize, after: Duration) -> Self {
        Self::new(
            ErrorKind::TimedOut,
            format_args!("waited {after:?} for rank {from}"),
        )
    }

    /// Returns the kind of the error.
    ///
    /// ```
    /// use sumac_mpi::{Error, ErrorKind};
    /// assert_eq!(Error::other("no coffee left").kind(), ErrorKind::Other);
    /// ```
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns the rank where it occurred, if known.
    ///
    /// ```
    /// use sumac_mpi::{Error, World};
    /// let failed = World::threads(2).run(|comm| match comm.rank() {
    ///     1 => Err(Error::other("no coffee left")),
    ///     _ => comm.barrier(),
    /// });
    /// assert_eq!(failed.unwrap_err().rank(), Some(1));
    /// ```
    pub fn rank(&self) -> Option<usize> {
        self.rank
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.rank {
            Some(rank) => write!(f, "rank {rank}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl fmt::Debug for Error {
    /// As it is displayed, which is what a `main` that returns it prints.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl error::Error for Error {}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Self::new(ErrorKind::File, error)
    }
}

impl Serialize for Error {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (self.kind as u8, self.rank, &self.message).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Error {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (kind, rank, message): (u8, _, _) = Deserialize::deserialize(deserializer)?;
        let kind = KINDS.get(usize::from(kind));
        let kind = *kind.ok_or_else(|| D::Error::custom("no kind of error"))?;
        Ok(Self {
            kind,
            rank,
            message,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Error, KINDS};

    #[test]
    fn ranks_can_send_each_kind() {
        for kind in KINDS {
            let error = Error::new(kind, "why").at(3);
            let bytes = bitcode::serialize(&error).expect("an error is plain data");
            assert_eq!(bitcode::deserialize(&bytes).ok(), Some(error));
        }
    }
}

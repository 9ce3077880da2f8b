//! The settings of a world, which are checked before the ranks start.

use crate::{Error, error::ErrorKind};
use std::{env, time::Duration};

/// The greatest length of a message. MPI has 31 bits for it before MPI 4.
const LONGEST: usize = if cfg!(feature = "mpi") {
    i32::MAX as usize
} else {
    isize::MAX as usize
};

/// See the methods of [`World`](crate::World).
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) ranks: usize,
    pub(crate) ranks_per_node: usize,
    /// The number of nodes to which ranks are assigned cyclically, if they are.
    pub(crate) nodes_in_turn: Option<usize>,
    pub(crate) threads: Option<usize>,
    pub(crate) timeout: Option<Duration>,
    /// Whether sends wait for their receives, among threads.
    pub(crate) strict: bool,
    pub(crate) message_limit: usize,
    pub(crate) chunk: usize,
    pub(crate) block: usize,
}

impl Settings {
    pub(crate) fn new(ranks: usize) -> Self {
        Self {
            ranks,
            ranks_per_node: usize::MAX,
            nodes_in_turn: None,
            threads: None,
            timeout: Some(Duration::from_secs(300)),
            strict: false,
            message_limit: 1 << 30,
            chunk: 1 << 20,
            block: 1 << 16,
        }
    }

    /// Applies the environment, and returns an error if any setting is invalid.
    pub(crate) fn checked(mut self) -> Result<Self, Error> {
        if let Some(seconds) = number("SUMAC_MPI_TIMEOUT")? {
            self.timeout = (seconds > 0).then(|| Duration::from_secs(seconds as u64));
        }
        if let Some(strict) = number("SUMAC_MPI_STRICT")? {
            self.strict = strict > 0;
        }
        if let Some(threads) = number("SUMAC_NUM_THREADS")? {
            self.threads = self
                .threads
                .or(Some(threads).filter(|threads| *threads > 0));
        }
        let wrong = |what: &str| Err(Error::new(ErrorKind::Setup, what));
        match &self {
            s if s.ranks == 0 || s.ranks_per_node == 0 => {
                wrong("the number of ranks, and of ranks per node, must be at least 1")
            }
            s if s.nodes_in_turn == Some(0) => wrong("the number of nodes must be at least 1"),
            s if s.timeout.is_some_and(|timeout| timeout.is_zero()) => {
                wrong("the time-out must be longer than zero; `None` waits for ever")
            }
            s if s.threads == Some(0) => {
                wrong("the number of threads of a rank must be at least 1")
            }
            s if s.message_limit == 0 || s.message_limit > LONGEST => {
                wrong(&format!("the message limit must be from 1 to {LONGEST}"))
            }
            s if s.chunk == 0 || s.block == 0 => {
                wrong("chunks and blocks must have at least 1 byte")
            }
            _ => Ok(self),
        }
    }
}

/// Returns the number in an environment variable, if it is set.
pub(crate) fn number(variable: &str) -> Result<Option<usize>, Error> {
    let Some(value) = env::var_os(variable) else {
        return Ok(None);
    };
    let parsed = value.to_str().and_then(|text| text.trim().parse().ok());
    parsed.map(Some).ok_or_else(|| {
        let message = format!("{variable} is {value:?}, not a number");
        Error::new(ErrorKind::Setup, message)
    })
}

//! A process of an MPI job as a rank.
//!
//! Sends, and receives into place, are requests; each is complete before
//! [`exchange`](Transport::exchange) returns. MPI moves large messages only while the program calls
//! it, so all requests are tested after each piece of work, and their number is bounded.
//!
//! A message is received when a probe has found it: so its length and tag are known before any byte
//! is written, and a rank that waits in vain can give up. It polls, first fast, then yielding its
//! processor, then with short sleeps.
//!
//! If it cannot go on in order (a time-out while requests are pending, or work panics) the job is
//! aborted at once, with a message: buffers that MPI may still write to must not be freed.

use super::{
    Agree, Fill, Flight, Incoming, Lane, Numbers, Outgoing, Tag, Target, Transport, Window, Words,
    Work, first_of_each,
    mpi::{Arrived, Comm, Element, Launched, Requests, Windows},
    patience::Patience,
    watch::watched,
};
use crate::{Error, collective::Operation, error::ErrorKind, settings::Settings};
use std::{
    fmt,
    io::{self, Write},
    panic::{AssertUnwindSafe, catch_unwind},
    process, thread,
    time::Duration,
};

/// The greatest number of pending sends.
const WINDOW: usize = 64;

/// How long a rank that fails with another's error waits for the first rank to print it.
const PRECEDENCE: Duration = Duration::from_millis(500);

/// The time for a launcher to forward the message before the process ends: some lose unread output.
const HEARD: Duration = Duration::from_millis(100);

/// The time for MPI to end the job. If a host cannot be reached, `MPI_Abort` may wait for ever.
const LAST_WORDS: Duration = Duration::from_secs(3);

/// This process as a rank.
pub(crate) struct Process {
    /// Those of this node.
    windows: Windows,
    /// Those of all ranks.
    words: Windows,
    collective: Comm,
    program: Comm,
    /// The ranks of this node.
    node: Vec<usize>,
    consecutive: bool,
    /// Whether there are more ranks than processors for this one.
    crowded: bool,
    threads: usize,
    rank: usize,
    size: usize,
    settings: Settings,
}

impl fmt::Debug for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Process")
            .field("rank", &self.rank)
            .field("size", &self.size)
            .finish_non_exhaustive()
    }
}

impl Process {
    /// Initialises MPI for calls from this thread, and checks that all ranks have the same
    /// settings.
    pub(crate) fn start(settings: Settings) -> Result<Self, Error> {
        watched(settings.timeout, "all ranks to begin", || {
            let process = Self::initialised(settings.clone())?;
            match process.handshake() {
                Ok(()) => Ok(process),
                Err(error) => process.abort(&error.at(process.rank)),
            }
        })
    }

    fn initialised(settings: Settings) -> Result<Self, Error> {
        let world = Comm::world()?;
        let (rank, size) = (world.rank(), world.size());
        let shared = world.split_shared();
        let node = shared.all_gather(&[rank as u64]);
        let own = node.windows(2).all(|two| two[0] + 1 == two[1]);
        let all = world.all_gather(&[own.into()]);
        let processors = thread::available_parallelism().map_or(1, usize::from);
        let sharers = sharers(&shared);
        Ok(Self {
            crowded: sharers > processors,
            threads: (processors / sharers.max(1)).max(1),
            consecutive: all.iter().all(|own| *own == 1),
            collective: world.duplicate(),
            program: world.duplicate(),
            windows: Windows::new(shared),
            words: Windows::new(world),
            node: node.into_iter().map(|rank| rank as usize).collect(),
            rank,
            size,
            settings,
        })
    }

    /// Checks that all ranks have the same settings, on which the protocol depends.
    fn handshake(&self) -> Result<(), Error> {
        let s = &self.settings;
        let version = env!("CARGO_PKG_VERSION")
            .bytes()
            .fold(0, |hash: u64, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
            });
        let own = [s.message_limit as u64, s.chunk as u64, s.block as u64];
        // The version first: another has other settings.
        for own in [&[version][..], &own] {
            let all = self.collective.all_gather(own);
            if let Some(other) = all.chunks(own.len()).position(|other| other != own) {
                let message =
                    format!("has other settings, or another sumac-mpi, than rank {other}");
                return Err(Error::new(ErrorKind::Disagreement, message));
            }
        }
        Ok(())
    }

    /// Returns the default number of threads of this rank: the processors it may use, divided by
    /// the ranks of the node that may use the same ones.
    pub(crate) fn threads(&self) -> usize {
        self.threads
    }

    /// Frees what all ranks must free together, MPI last.
    pub(crate) fn finish(self) {
        watched(self.settings.timeout, "all ranks to end", || self.free());
    }

    fn free(self) {
        self.windows.free();
        self.words.free();
    }

    /// Prints the error and ends all ranks. Of several ranks with the same error, the one where it
    /// occurred prints first.
    pub(crate) fn abort(&self, error: &Error) -> ! {
        if error.rank() != Some(self.rank) {
            thread::sleep(PRECEDENCE);
        }
        // If the system refuses a thread, MPI alone must suffice.
        let end = || {
            thread::sleep(HEARD + LAST_WORDS);
            process::abort()
        };
        drop(thread::Builder::new().spawn(end));
        // In one write, so that it is not mixed with others'. If that fails, the exit code must
        // suffice.
        let message = format!("sumac-mpi: {error}\n");
        drop(io::stderr().write_all(message.as_bytes()));
        thread::sleep(HEARD);
        self.collective.abort(1)
    }

    fn reduce<T: Element>(&self, values: &mut [T], operation: Operation) {
        if values.is_empty() {
            return;
        }
        let own = values.to_vec();
        self.collective.scope(|requests| {
            self.collective
                .all_reduce(&own, values, operation, requests);
            self.complete(requests, |after| {
                let message = format!("waited {after:?} for a reduction");
                Error::new(ErrorKind::TimedOut, message)
            });
        });
    }

    /// Waits for all requests; ends all ranks with the error `late` on time-out.
    fn complete(&self, requests: &mut Requests<'_>, late: impl Fn(Duration) -> Error) {
        let mut patience = Patience::new(self.settings.timeout, self.crowded);
        loop {
            requests.test();
            if requests.is_empty() {
                return;
            }
            if let Some(after) = patience.pause(1) {
                self.abort(&late(after).at(self.rank));
            }
        }
    }

    /// Receives a message. One that has started may stall, so this has a time-out, too.
    fn take(&self, lane: &Comm, from: usize, message: Arrived) -> Vec<u8> {
        let mut bytes = vec![0; message.len];
        lane.scope(|requests| {
            lane.receive(from, message, &mut bytes, requests);
            let late = |after| Error::timed_out(from, after);
            self.complete(requests, late);
        });
        bytes
    }

    fn lane(&self, lane: Lane) -> &Comm {
        match lane {
            Lane::Collective => &self.collective,
            Lane::Program => &self.program,
        }
    }
}

impl Transport for Process {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn limit(&self) -> usize {
        self.settings.message_limit
    }

    fn node(&self) -> &[usize] {
        &self.node
    }

    fn is_consecutive(&self) -> bool {
        self.consecutive
    }

    fn exchange(
        &self,
        tag: Tag,
        outgoing: &[Outgoing<'_>],
        incoming: &mut [Incoming<'_>],
        work: Work<'_>,
    ) -> Result<(), Error> {
        self.lane(tag.lane).scope(|pending| {
            let mut exchange = Exchange::new(self, tag, outgoing, incoming, pending);
            let mut patience = Patience::new(self.settings.timeout, self.crowded);
            let mut working = true;
            loop {
                let moved = match exchange.step() {
                    Ok(moved) => moved,
                    Err(error) if exchange.pending.is_empty() => return Err(error),
                    Err(error) => self.abort(&error.at(self.rank)),
                };
                if working {
                    // Unwinding would drop pending requests.
                    let worked = catch_unwind(AssertUnwindSafe(&mut *work));
                    working = worked.unwrap_or_else(|payload| {
                        self.abort(&Error::panic(&*payload).at(self.rank))
                    });
                    patience.renew();
                    continue;
                }
                let Some(peer) = exchange.waits_for() else {
                    return Ok(());
                };
                if moved {
                    patience.renew();
                } else if let Some(after) = patience.pause(exchange.asks()) {
                    let error = Error::timed_out(peer, after).at(self.rank);
                    match exchange.pending.is_empty() {
                        true => return Err(error),
                        false => self.abort(&error),
                    }
                }
            }
        })
    }

    fn launch(&self, tag: Tag, to: usize, bytes: Vec<u8>) -> Result<Box<dyn Flight + '_>, Error> {
        let message = self.lane(tag.lane).launch(to, tag.number, bytes);
        Ok(Box::new(Flying {
            process: self,
            to,
            message,
        }))
    }

    fn poll(&self, tag: Tag, incoming: &mut Incoming<'_>) -> Result<bool, Error> {
        let lane = self.lane(tag.lane);
        while let Some(message) = lane.probe(incoming.from) {
            let found = tag.with_number(message.tag);
            let bytes = self.take(lane, incoming.from, message);
            if incoming.accept(tag, found, bytes, self.limit())? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn has_native(&self) -> bool {
        true
    }

    fn native(&self, numbers: Numbers<'_>, operation: Operation) -> Result<(), Error> {
        match numbers {
            Numbers::U32(values) => self.reduce(values, operation),
            Numbers::I32(values) => self.reduce(values, operation),
            Numbers::U64(values) => self.reduce(values, operation),
            Numbers::I64(values) => self.reduce(values, operation),
            Numbers::F32(values) => self.reduce(values, operation),
            Numbers::F64(values) => self.reduce(values, operation),
        }
        Ok(())
    }

    fn share<'a>(
        &'a self,
        len: usize,
        fill: Fill<'_>,
        agree: Agree<'_>,
    ) -> Result<Box<dyn Window + 'a>, Error> {
        let windows = &self.windows;
        windows.share(len, fill, agree, self.settings.timeout)
    }

    fn words(&self, len: usize) -> Result<Box<dyn Words + '_>, Error> {
        Ok(self.words.words(len, self.settings.timeout))
    }
}

/// A message that is being sent.
struct Flying<'a> {
    process: &'a Process,
    to: usize,
    message: Launched,
}

impl Flight for Flying<'_> {
    fn has_landed(&mut self) -> Result<bool, Error> {
        Ok(self.message.test())
    }

    fn land(&mut self) -> Result<(), Error> {
        let process = self.process;
        let mut patience = Patience::new(process.settings.timeout, process.crowded);
        while !self.message.test() {
            if let Some(after) = patience.pause(1) {
                process.abort(&Error::timed_out(self.to, after).at(process.rank));
            }
        }
        Ok(())
    }
}

/// Returns how many ranks of a node may use this rank's processors. Collective on the node.
fn sharers(node: &Comm) -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mut lines = status.lines();
    let allowed = lines.find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    let bytes = allowed.unwrap_or_default().bytes();
    let hash = bytes.fold(7, |hash: u64, byte| {
        hash.wrapping_mul(31).wrapping_add(u64::from(byte))
    });
    let all = node.all_gather(&[hash]);
    all.iter().filter(|other| **other == hash).count()
}

/// An exchange in progress.
struct Exchange<'a, 'p> {
    process: &'a Process,
    lane: &'a Comm,
    tag: Tag,
    limit: usize,
    unsent: &'a [Outgoing<'a>],
    missing: Vec<Incoming<'a>>,
    /// The index in `missing` of the next message of each rank, unless it is out of date.
    first: Option<Vec<usize>>,
    pending: &'p mut Requests<'a>,
}

impl<'a, 'p> Exchange<'a, 'p> {
    fn new(
        process: &'a Process,
        tag: Tag,
        unsent: &'a [Outgoing<'a>],
        incoming: &'a mut [Incoming<'_>],
        pending: &'p mut Requests<'a>,
    ) -> Self {
        let missing = incoming
            .iter_mut()
            .map(|message| message.as_from(message.from));
        Self {
            process,
            lane: process.lane(tag.lane),
            tag,
            limit: process.limit(),
            unsent,
            missing: missing.collect(),
            first: None,
            pending,
        }
    }

    /// Makes all progress that is possible at once. Returns whether there was any.
    fn step(&mut self) -> Result<bool, Error> {
        let (pending, unsent) = (self.pending.len(), self.unsent.len());
        self.pending.test();
        let mut moved = self.pending.len() < pending;
        while let ([message, rest @ ..], true) = (self.unsent, self.pending.len() < WINDOW) {
            let number = self.tag.number;
            self.lane
                .send(message.to, number, message.bytes, self.pending);
            self.unsent = rest;
        }
        moved |= self.unsent.len() < unsent;
        let missing = self.missing.len();
        let first = self
            .first
            .take()
            .unwrap_or_else(|| first_of_each(&self.missing, |_| true));
        // From the last, so that removing one does not move the others.
        for index in first.iter().rev() {
            moved |= self.receive(*index)?;
        }
        self.first = Some(first).filter(|_| self.missing.len() == missing);
        Ok(moved)
    }

    /// Takes arrived pieces of one of the missing messages. Returns whether there were any.
    fn receive(&mut self, index: usize) -> Result<bool, Error> {
        let incoming = &mut self.missing[index];
        let Some(message) = self.lane.probe(incoming.from) else {
            return Ok(false);
        };
        let found = self.tag.with_number(message.tag);
        let checked = incoming.check(self.tag, found, message.len);
        if checked.is_ok() && matches!(incoming.into, Target::Exact(_)) {
            let incoming = self.missing.remove(index);
            if let Target::Exact(place) = incoming.into {
                self.lane
                    .receive(incoming.from, message, place, self.pending);
            }
            return Ok(true);
        }
        let peer = incoming.from;
        let bytes = self.process.take(self.lane, peer, message);
        checked?;
        let incoming = &mut self.missing[index];
        if incoming.accept(self.tag, found, bytes, self.limit)? {
            self.missing.remove(index);
        }
        Ok(true)
    }

    /// Returns the number of polls of one step.
    fn asks(&self) -> usize {
        self.pending.len() + self.first.as_ref().map_or(1, Vec::len)
    }

    /// Returns a rank that it waits for, if there is one.
    fn waits_for(&self) -> Option<usize> {
        let pending = self.pending.peer();
        let missing = self.missing.first().map(|incoming| incoming.from);
        // There are requests pending if there is anything unsent.
        pending.or(missing)
    }
}

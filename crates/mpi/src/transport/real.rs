//! Real MPI, through the `mpi` crate.
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
    Agree, Fill, Incoming, Lane, Numbers, Outgoing, Tag, Target, Transport, Window, Work,
    first_of_each, patience::Patience, watch::watched, window::Windows,
};
use crate::{Error, collective::Operation, error::ErrorKind, settings::Settings};
use mpi::{
    Rank, Threading,
    collective::SystemOperation,
    environment::Universe,
    point_to_point::Message,
    request::{LocalScope, Request, Scope},
    topology::SimpleCommunicator,
    traits::*,
};
use std::{
    fmt,
    io::{self, Write},
    mem,
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

/// This process as a rank. Fields are dropped in order: MPI last.
pub(crate) struct Process {
    windows: Windows,
    collective: SimpleCommunicator,
    program: SimpleCommunicator,
    /// The ranks of this node.
    node: Vec<usize>,
    consecutive: bool,
    /// Whether there are more ranks than processors for this one.
    crowded: bool,
    threads: usize,
    rank: usize,
    size: usize,
    settings: Settings,
    _universe: Universe,
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
        let setup = |message: &str| Error::new(ErrorKind::Setup, message);
        let (universe, level) = mpi::initialize_with_threading(Threading::Funneled)
            .ok_or_else(|| setup("MPI has been used in this process before"))?;
        if level < Threading::Funneled {
            return Err(setup("this MPI does not allow for other threads"));
        }
        let world = universe.world();
        let (rank, size) = (world.rank(), world.size());
        let shared = world.split_shared(rank);
        let mut node = vec![0; shared.size() as usize];
        shared.all_gather_into(&rank, &mut node[..]);
        let (own, mut consecutive) = (node.windows(2).all(|two| two[0] + 1 == two[1]), false);
        world.all_reduce_into(&own, &mut consecutive, SystemOperation::logical_and());
        let processors = thread::available_parallelism().map_or(1, usize::from);
        let sharers = sharers(&shared);
        Ok(Self {
            crowded: sharers > processors,
            threads: (processors / sharers.max(1)).max(1),
            consecutive,
            collective: world.duplicate(),
            program: world.duplicate(),
            windows: Windows::new(shared),
            node: node.into_iter().map(|rank: Rank| rank as usize).collect(),
            rank: rank as usize,
            size: size as usize,
            settings,
            _universe: universe,
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
        let own = [
            s.message_limit as u64,
            s.chunk as u64,
            s.block as u64,
            version,
        ];
        let mut all = vec![0; own.len() * self.size];
        self.collective.all_gather_into(&own[..], &mut all[..]);
        match all.chunks(own.len()).position(|other| other != own) {
            None => Ok(()),
            Some(other) => Err(Error::new(
                ErrorKind::Disagreement,
                format_args!("has other settings, or another sumac-mpi, than rank {other}"),
            )),
        }
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
    }

    /// Prints the error and ends all ranks. Of several ranks with the same error, the one where it
    /// occurred prints first.
    pub(crate) fn abort(&self, error: &Error) -> ! {
        if error.rank() != Some(self.rank) {
            thread::sleep(PRECEDENCE);
        }
        // In one write, so that it is not mixed with others'. If that fails, the exit code must
        // suffice.
        let message = format!("sumac-mpi: {error}\n");
        drop(io::stderr().write_all(message.as_bytes()));
        thread::sleep(HEARD);
        // If the system refuses a thread, MPI alone must suffice.
        let end = || {
            thread::sleep(LAST_WORDS);
            process::abort()
        };
        drop(thread::Builder::new().spawn(end));
        self.collective.abort(1)
    }

    fn reduce<T: Equivalence + Clone>(&self, values: &mut [T], operation: Operation) {
        let operation = match operation {
            Operation::Sum => SystemOperation::sum(),
            Operation::Min => SystemOperation::min(),
            Operation::Max => SystemOperation::max(),
        };
        let own = values.to_vec();
        mpi::request::scope(|scope| {
            let world = &self.collective;
            let request = world.immediate_all_reduce_into(scope, &own[..], values, operation);
            self.complete(request, |after| {
                let message = format!("waited {after:?} for a reduction");
                Error::new(ErrorKind::TimedOut, message)
            });
        });
    }

    /// Waits for a request; ends all ranks with the error `late` on time-out.
    fn complete<'a, D: ?Sized, S: Scope<'a>>(
        &self,
        mut request: Request<'a, D, S>,
        late: impl Fn(Duration) -> Error,
    ) {
        let mut patience = Patience::new(self.settings.timeout, self.crowded);
        while let Err(pending) = request.test() {
            request = pending;
            if let Some(after) = patience.pause(1) {
                self.abort(&late(after).at(self.rank));
            }
        }
    }

    fn lane(&self, lane: Lane) -> &SimpleCommunicator {
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
        mpi::request::scope(|scope| {
            let mut exchange = Exchange::new(self, tag, outgoing, incoming);
            let mut patience = Patience::new(self.settings.timeout, self.crowded);
            let mut working = true;
            loop {
                let moved = match exchange.step(scope) {
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
}

/// Returns how many ranks of a node may use this rank's processors. Collective on the node.
fn sharers(node: &SimpleCommunicator) -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mut lines = status.lines();
    let allowed = lines.find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    let bytes = allowed.unwrap_or_default().bytes();
    let hash = bytes.fold(7, |hash: u64, byte| {
        hash.wrapping_mul(31).wrapping_add(u64::from(byte))
    });
    let mut all = vec![0; node.size() as usize];
    node.all_gather_into(&hash, &mut all[..]);
    all.iter().filter(|other| **other == hash).count()
}

/// An exchange in progress.
struct Exchange<'a, 's> {
    process: &'a Process,
    lane: &'a SimpleCommunicator,
    tag: Tag,
    limit: usize,
    unsent: &'a [Outgoing<'a>],
    missing: Vec<Incoming<'a>>,
    /// The index in `missing` of the next message of each rank, unless it is out of date.
    first: Option<Vec<usize>>,
    /// With the rank at the other end.
    pending: Vec<(usize, Request<'a, [u8], &'s LocalScope<'a>>)>,
}

impl<'a, 's> Exchange<'a, 's> {
    fn new(
        process: &'a Process,
        tag: Tag,
        unsent: &'a [Outgoing<'a>],
        incoming: &'a mut [Incoming<'_>],
    ) -> Self {
        let missing = incoming.iter_mut().map(|incoming| Incoming {
            from: incoming.from,
            into: match &mut incoming.into {
                Target::Exact(place) => Target::Exact(place),
                Target::Any(all) => Target::Any(all),
            },
        });
        Self {
            process,
            lane: process.lane(tag.lane),
            tag,
            limit: process.limit(),
            unsent,
            missing: missing.collect(),
            first: None,
            pending: Vec::new(),
        }
    }

    /// Makes all progress that is possible at once. Returns whether there was any.
    fn step(&mut self, scope: &'s LocalScope<'a>) -> Result<bool, Error> {
        let (pending, unsent) = (self.pending.len(), self.unsent.len());
        let requests = mem::take(&mut self.pending).into_iter();
        self.pending = requests
            .filter_map(|(peer, request)| Some((peer, request.test().err()?)))
            .collect();
        let mut moved = self.pending.len() < pending;
        while let ([message, rest @ ..], true) = (self.unsent, self.pending.len() < WINDOW) {
            let to = self.lane.process_at_rank(message.to as Rank);
            let tag = mpi::Tag::from(self.tag.number);
            let request = to.immediate_send_with_tag(scope, message.bytes, tag);
            self.pending.push((message.to, request));
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
            moved |= self.receive(*index, scope)?;
        }
        self.first = Some(first).filter(|_| self.missing.len() == missing);
        Ok(moved)
    }

    /// Takes arrived pieces of one of the missing messages. Returns whether there were any.
    fn receive(&mut self, index: usize, scope: &'s LocalScope<'a>) -> Result<bool, Error> {
        let incoming = &mut self.missing[index];
        let from = self.lane.process_at_rank(incoming.from as Rank);
        let Some((message, status)) = from.immediate_matched_probe() else {
            return Ok(false);
        };
        let len = status.count(u8::equivalent_datatype()) as usize;
        let found = self.tag.with_number(status.tag() as u16);
        let checked = incoming.check(self.tag, found, len);
        if checked.is_ok() && matches!(incoming.into, Target::Exact(_)) {
            let incoming = self.missing.remove(index);
            if let Target::Exact(place) = incoming.into {
                let request = message.immediate_matched_receive_into(scope, place);
                self.pending.push((incoming.from, request));
            }
            return Ok(true);
        }
        let peer = incoming.from;
        let bytes = self.take(peer, message, len);
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

    /// Receives a message of that length. A message that has started may stall, so this has a
    /// time-out, too.
    fn take(&self, from: usize, message: Message, len: usize) -> Vec<u8> {
        let mut bytes = vec![0; len];
        mpi::request::scope(|scope| {
            let request = message.immediate_matched_receive_into(scope, &mut bytes[..]);
            self.process
                .complete(request, |after| Error::timed_out(from, after));
        });
        bytes
    }

    /// Returns a rank that it waits for, if there is one.
    fn waits_for(&self) -> Option<usize> {
        let pending = self.pending.first().map(|(peer, _)| *peer);
        let missing = self.missing.first().map(|incoming| incoming.from);
        // There are requests pending if there is anything unsent.
        pending.or(missing)
    }
}

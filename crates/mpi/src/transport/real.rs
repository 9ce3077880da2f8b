//! Real MPI, through the `mpi` crate.
//!
//! Sends and receives into place are requests; each is complete before [`exchange`](Transport::exchange) returns. MPI moves large messages only
//! while somebody calls it, so we look at all of them after each piece of work, and there is always a bounded number of them.
//!
//! A message is received when a probe has found it: so its length and tag are seen before any byte is written, and a rank that waits in vain
//! can give up. It polls, first fast, then yielding its processor, then in short naps.
//!
//! Where no order can be kept any more (the time is up while requests are pending, or work panics) the job is aborted at once, with a message:
//! buffers that MPI may still write to must not be given back.

use super::{
    Agree, Fill, Incoming, Lane, Numbers, Outgoing, Tag, Target, Transport, Window, Work,
    first_of_each, window::Windows,
};
use crate::{Error, collective::Operation, error::ErrorKind, settings::Settings};
use mpi::{
    Rank, Threading,
    collective::SystemOperation,
    environment::Universe,
    point_to_point::traits::MatchedReceiveVec,
    request::{LocalScope, Request},
    topology::SimpleCommunicator,
    traits::*,
};
use std::{
    fmt, hint,
    io::{self, Write},
    mem,
    panic::{AssertUnwindSafe, catch_unwind},
    process, thread,
    time::{Duration, Instant},
};

/// How often a rank asks MPI before it gives its processor away for the first time, if there are enough of them.
const FIRST_ASKED: usize = 200;

/// How often it does before it gives it away again. MPI may take in one message only whenever it is asked, and several may have come.
const ASKED: usize = 16;

/// For how long a rank that waits gives its processor away only, before it naps. Who naps is late, by more than a small collective takes.
const AWAKE: Duration = Duration::from_millis(2);

/// Sends that are under way at once.
const WINDOW: usize = 64;

/// What a rank that fails as others do waits for the first of them to say what happened.
const PRECEDENCE: Duration = Duration::from_millis(500);

/// What MPI gets to end the job in. Where a host cannot be reached, `MPI_Abort` may wait for it without end.
const LAST_WORDS: Duration = Duration::from_secs(3);

/// This process as a rank. The order of the fields is that in which they are dropped: MPI last.
pub(crate) struct Process {
    windows: Windows,
    collective: SimpleCommunicator,
    program: SimpleCommunicator,
    /// The ranks of this node.
    node: Vec<usize>,
    /// Whether it has more ranks than this one may use processors.
    crowded: bool,
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
    /// Initialises MPI for calls from this thread.
    pub(crate) fn start(settings: Settings) -> Result<Self, Error> {
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
        let processors = thread::available_parallelism().map_or(1, usize::from);
        Ok(Self {
            crowded: node.len() > processors,
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

    /// Checks that all ranks are set alike; messages are understood only then.
    pub(crate) fn handshake(&self) -> Result<(), Error> {
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

    /// How many threads this rank should have: the processors it may use, divided by the ranks of the node that may use the same.
    pub(crate) fn threads(&self) -> Result<usize, Error> {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mut lines = status.lines();
        let allowed = lines.find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
        let hash = allowed
            .unwrap_or_default()
            .bytes()
            .fold(7, |hash: u64, byte| {
                hash.wrapping_mul(31).wrapping_add(u64::from(byte))
            });
        let mut all = vec![0; self.node.len()];
        self.windows.node().all_gather_into(&hash, &mut all[..]);
        let sharers = all.iter().filter(|other| **other == hash).count();
        let processors = thread::available_parallelism().map_or(1, usize::from);
        Ok((processors / sharers.max(1)).max(1))
    }

    /// Gives back what all ranks must give back together.
    pub(crate) fn finish(self) {
        self.windows.free();
    }

    /// Says what happened and ends all ranks. Of several with the same error, the one where it began speaks first.
    pub(crate) fn abort(&self, error: &Error) -> ! {
        if error.rank() != Some(self.rank) {
            thread::sleep(PRECEDENCE);
        }
        // At once, lest it be mixed with others'. If it cannot be written, the exit code must do.
        let message = format!("sumac-mpi: {error}\n");
        drop(io::stderr().write_all(message.as_bytes()));
        // If there is no thread to be had, MPI alone must do.
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
        let mut patience = Patience::new(self.settings.timeout, self.crowded);
        mpi::request::scope(|scope| {
            let world = &self.collective;
            let mut request = world.immediate_all_reduce_into(scope, &own[..], values, operation);
            while let Err(pending) = request.test() {
                request = pending;
                if let Some(after) = patience.pause(1) {
                    let message = format!("waited {after:?} for a reduction");
                    self.abort(&Error::new(ErrorKind::TimedOut, message).at(self.rank));
                }
            }
        });
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
        self.windows.share(len, fill, agree)
    }
}

/// One exchange that is under way.
struct Exchange<'a, 's> {
    lane: &'a SimpleCommunicator,
    tag: Tag,
    limit: usize,
    unsent: &'a [Outgoing<'a>],
    missing: Vec<Incoming<'a>>,
    /// Where in `missing` the next message of each rank is, if nothing has been removed since that was found out.
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
            lane: process.lane(tag.lane),
            tag,
            limit: process.limit(),
            unsent,
            missing: missing.collect(),
            first: None,
            pending: Vec::new(),
        }
    }

    /// Does what can be done at once. True if anything could.
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

    /// Takes what has come for one of the missing messages. True if anything has.
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
        let (bytes, _) = (message, status).matched_receive_vec::<u8>();
        checked?;
        if incoming.accept(self.tag, found, bytes, self.limit)? {
            self.missing.remove(index);
        }
        Ok(true)
    }

    /// How often one step asks MPI.
    fn asks(&self) -> usize {
        self.pending.len() + self.first.as_ref().map_or(1, Vec::len)
    }

    /// A rank without which it cannot be completed, if there is one.
    fn waits_for(&self) -> Option<usize> {
        let pending = self.pending.first().map(|(peer, _)| *peer);
        let missing = self.missing.first().map(|incoming| incoming.from);
        // There are requests pending if there is anything unsent.
        pending.or(missing)
    }
}

/// How a rank waits.
struct Patience {
    limit: Option<Duration>,
    crowded: bool,
    since: Instant,
    /// How often it still asks MPI without giving its processor away.
    asks: usize,
    naps: u32,
}

impl Patience {
    fn new(limit: Option<Duration>, crowded: bool) -> Self {
        Self {
            limit,
            since: Instant::now(),
            // Not where others need the processor.
            asks: if crowded { ASKED } else { FIRST_ASKED },
            crowded,
            naps: 0,
        }
    }

    fn renew(&mut self) {
        *self = Self::new(self.limit, self.crowded);
    }

    /// Lets others run for a while, after having asked MPI so often; or says for how long we have waited, if that is long enough.
    fn pause(&mut self, asked: usize) -> Option<Duration> {
        self.asks = self.asks.saturating_sub(asked);
        if self.asks > 0 {
            hint::spin_loop();
            return None;
        }
        self.asks = ASKED;
        let waited = self.since.elapsed();
        if waited < AWAKE {
            thread::yield_now();
        } else {
            self.naps = (self.naps + 1).min(10);
            thread::sleep(Duration::from_micros(20) * self.naps);
        }
        self.limit.filter(|limit| waited > *limit)
    }
}

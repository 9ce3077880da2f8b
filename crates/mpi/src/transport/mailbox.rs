//! Ranks as threads of one process: a mailbox for each pair of ranks and lane, all under one lock.
//!
//! A message is copied when it is sent and the sender goes on, unless the mailbox is full; so a
//! program that needs no buffering to make progress, as under MPI, makes progress here. In a strict
//! world an exchange also waits until its messages have been taken: so a program that does need
//! buffering does not. A rank that must wait sleeps on its own condition variable; a thread that
//! changes something that a rank may wait for marks the rank as awake before waking it.
//!
//! Because of the lock it can detect more than MPI: a rank that fails notifies all others at once;
//! a rank that has ended is known to send no more; and when the last rank that is awake is about to
//! sleep, none will ever wake, which is reported as a deadlock, with what each waits for.

mod posted;
mod words;

use self::{posted::Posted, words::Shared};
use super::{
    Agree, Fill, Flight, Incoming, Lane, Outgoing, Tag, Transport, Window, Words, Work,
    first_of_each,
};
use crate::{Error, error::ErrorKind, settings::Settings};
use std::{
    collections::{HashMap, VecDeque},
    fmt,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::Instant,
};

/// A mailbox that holds more bytes than this takes no further message.
const FULL: usize = 64 << 20;

/// The state that all ranks of the process share.
#[derive(Debug)]
pub(crate) struct Mailboxes {
    settings: Settings,
    state: Mutex<State>,
    /// One per rank.
    wake: Vec<Condvar>,
}

#[derive(Debug)]
struct State {
    /// By sender, receiver and lane.
    boxes: HashMap<(usize, usize, Lane), Mailbox>,
    stage: Vec<Stage>,
    failed: Option<Error>,
    /// The parts that ranks share with others on their node, by the number of the window; with the
    /// number of ranks that have not read them.
    windows: HashMap<u64, (Vec<Option<Part>>, usize)>,
    /// The words of all ranks, by the number of the window; with the number of ranks that have not
    /// dropped them.
    words: HashMap<u64, (Vec<u64>, usize)>,
}

#[derive(Debug, Default)]
struct Mailbox {
    messages: VecDeque<(Tag, Vec<u8>)>,
    bytes: usize,
    /// How many messages have been put in.
    posted: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Awake,
    Waiting(Wait),
    Ended,
}

/// What a rank waits for: the first of what its exchange still has to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Wait {
    peer: usize,
    tag: Tag,
    sends: bool,
}

impl Wait {
    fn new(peer: usize, tag: Tag, sends: bool) -> Self {
        Self { peer, tag, sends }
    }
}

impl fmt::Display for Wait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Wait { peer, tag, sends } = self;
        match sends {
            true => write!(f, "sends {tag} to rank {peer}"),
            false => write!(f, "receives {tag} from rank {peer}"),
        }
    }
}

/// An error names what so many ranks wait for.
const NAMED: usize = 8;

/// Bytes that are aligned like the largest of plain numbers.
type Part = (Arc<Vec<u128>>, usize);

impl State {
    fn has_any(&self, from: usize, to: usize, lane: Lane) -> bool {
        let mailbox = self.boxes.get(&(from, to, lane));
        mailbox.is_some_and(|mailbox| !mailbox.messages.is_empty())
    }

    /// What all ranks wait for.
    fn deadlock(&self) -> String {
        let stages = self.stage.iter().enumerate();
        let mut waits = stages.filter_map(|(rank, stage)| match stage {
            Stage::Waiting(wait) => Some(format!("rank {rank} {wait}")),
            _ => None,
        });
        let named: Vec<_> = waits.by_ref().take(NAMED).collect();
        let more = match waits.count() {
            0 => String::new(),
            more => format!(", and {more} more"),
        };
        format!("no rank can go on: {}{more}", named.join(", "))
    }
}

impl Mailboxes {
    pub(crate) fn new(settings: Settings) -> Self {
        let ranks = settings.ranks;
        Self {
            settings,
            state: Mutex::new(State {
                boxes: HashMap::new(),
                stage: vec![Stage::Awake; ranks],
                failed: None,
                windows: HashMap::new(),
                words: HashMap::new(),
            }),
            wake: (0..ranks).map(|_| Condvar::new()).collect(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records how a rank ended; all ranks get the first failure.
    pub(crate) fn end(&self, rank: usize, failure: Option<&Error>) {
        let mut state = self.lock();
        state.stage[rank] = Stage::Ended;
        if state.failed.is_none() {
            state.failed = failure.map(|error| error.clone().at(rank));
        }
        self.wake_all(&mut state);
    }

    /// Returns the first failure of any rank.
    pub(crate) fn failure(&self) -> Option<Error> {
        self.lock().failed.clone()
    }

    fn wake(&self, state: &mut State, rank: usize) {
        if let Stage::Waiting(_) = state.stage[rank] {
            state.stage[rank] = Stage::Awake;
            self.wake[rank].notify_one();
        }
    }

    fn wake_all(&self, state: &mut State) {
        for rank in 0..self.wake.len() {
            self.wake(state, rank);
        }
    }
}

/// One rank's access to the mailboxes.
#[derive(Debug)]
pub(crate) struct Endpoint {
    mailboxes: Arc<Mailboxes>,
    rank: usize,
    node: Vec<usize>,
    windows: std::cell::Cell<u64>,
}

impl Endpoint {
    pub(crate) fn new(mailboxes: Arc<Mailboxes>, rank: usize) -> Self {
        let (ranks, per_node) = (mailboxes.settings.ranks, mailboxes.settings.ranks_per_node);
        let first = rank / per_node * per_node;
        let node = match mailboxes.settings.nodes_in_turn {
            Some(nodes) => (rank % nodes..ranks).step_by(nodes).collect(),
            None => (first..ranks.min(first.saturating_add(per_node))).collect(),
        };
        Self {
            mailboxes,
            rank,
            node,
            windows: std::cell::Cell::new(0),
        }
    }

    /// Releases the lock until something has changed for this rank; fails if nothing can change, or
    /// on time-out.
    fn wait<'a>(
        &self,
        mut state: MutexGuard<'a, State>,
        waits: Wait,
        since: Instant,
    ) -> Result<MutexGuard<'a, State>, Error> {
        state.stage[self.rank] = Stage::Waiting(waits);
        if !state.stage.contains(&Stage::Awake) {
            let error = Error::new(ErrorKind::Deadlock, state.deadlock());
            return Err(self.fail(&mut state, error));
        }
        let wake = &self.mailboxes.wake[self.rank];
        while let Stage::Waiting(_) = state.stage[self.rank] {
            let Some(limit) = self.mailboxes.settings.timeout else {
                state = wake.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            let Some(left) = limit.checked_sub(since.elapsed()).filter(|t| !t.is_zero()) else {
                return Err(self.fail(&mut state, Error::timed_out(waits.peer, limit)));
            };
            let woken = wake.wait_timeout(state, left);
            state = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
        Ok(state)
    }

    /// Passes a failure of this rank to all ranks.
    fn fail(&self, state: &mut State, error: Error) -> Error {
        let error = error.at(self.rank);
        state.stage[self.rank] = Stage::Awake;
        state.failed.get_or_insert_with(|| error.clone());
        self.mailboxes.wake_all(state);
        error
    }

    /// Puts a message into the mailbox unless it is full.
    fn post(&self, tag: Tag, message: &Outgoing<'_>) -> Result<bool, Error> {
        if !self.has_room(&*self.look()?, tag.lane, message) {
            return Ok(false);
        }
        // Copied without the lock. No other thread adds to this mailbox.
        self.put(tag, message.to, message.bytes.to_vec())?;
        Ok(true)
    }

    /// Puts a message into the mailbox, and returns its number there.
    fn put(&self, tag: Tag, to: usize, bytes: Vec<u8>) -> Result<usize, Error> {
        let mut state = self.look()?;
        let mailbox = state.boxes.entry((self.rank, to, tag.lane)).or_default();
        mailbox.bytes += bytes.len();
        mailbox.posted += 1;
        mailbox.messages.push_back((tag, bytes));
        let number = mailbox.posted;
        self.mailboxes.wake(&mut state, to);
        Ok(number)
    }

    fn has_room(&self, state: &State, lane: Lane, message: &Outgoing<'_>) -> bool {
        let mailbox = state.boxes.get(&(self.rank, message.to, lane));
        let bytes = mailbox.map_or(0, |mailbox| mailbox.bytes);
        bytes == 0 || bytes + message.bytes.len() <= FULL
    }

    /// Returns the receiver of the first of these messages that the exchange still waits for: in a
    /// strict world, of one that has not been taken. (No older one is in its mailbox.)
    fn untaken(&self, state: &State, lane: Lane, sent: &[Outgoing<'_>]) -> Option<usize> {
        let strict = self.mailboxes.settings.strict;
        let mut receivers = sent.iter().map(|message| message.to);
        receivers.find(|to| strict && state.has_any(self.rank, *to, lane))
    }

    /// Locks the state, if no rank has failed.
    fn look(&self) -> Result<MutexGuard<'_, State>, Error> {
        let state = self.mailboxes.lock();
        match &state.failed {
            Some(error) => Err(error.clone()),
            None => Ok(state),
        }
    }

    /// Takes the messages for `incoming`. Returns true if it is complete.
    fn collect(&self, tag: Tag, incoming: &mut Incoming<'_>) -> Result<bool, Error> {
        loop {
            let mut state = self.look()?;
            let key = (incoming.from, self.rank, tag.lane);
            let Some((found, bytes)) = state.boxes.get_mut(&key).and_then(|mailbox| {
                let message = mailbox.messages.pop_front()?;
                mailbox.bytes -= message.1.len();
                Some(message)
            }) else {
                if state.stage[incoming.from] == Stage::Ended {
                    let error = Error::new(
                        ErrorKind::Deadlock,
                        format_args!("waits for rank {}, which has ended", incoming.from),
                    );
                    return Err(self.fail(&mut state, error));
                }
                return Ok(false);
            };
            self.mailboxes.wake(&mut state, incoming.from);
            drop(state);
            match incoming.accept(tag, found, bytes, self.limit()) {
                Ok(true) => return Ok(true),
                Ok(false) => {}
                Err(error) => return Err(self.fail(&mut self.mailboxes.lock(), error)),
            }
        }
    }
}

impl Transport for Endpoint {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.mailboxes.settings.ranks
    }

    fn limit(&self) -> usize {
        self.mailboxes.settings.message_limit
    }

    fn node(&self) -> &[usize] {
        &self.node
    }

    fn is_consecutive(&self) -> bool {
        self.mailboxes.settings.nodes_in_turn.is_none()
    }

    fn exchange(
        &self,
        tag: Tag,
        outgoing: &[Outgoing<'_>],
        incoming: &mut [Incoming<'_>],
        work: Work<'_>,
    ) -> Result<(), Error> {
        let mut unsent = outgoing;
        let mut missing: Vec<bool> = vec![true; incoming.len()];
        let (mut working, mut since) = (true, Instant::now());
        loop {
            let mut moved = false;
            while let [message, rest @ ..] = unsent {
                if !self.post(tag, message)? {
                    break;
                }
                (unsent, moved) = (rest, true);
            }
            for index in first_of_each(incoming, |index| missing[index]) {
                if self.collect(tag, &mut incoming[index])? {
                    (missing[index], moved) = (false, true);
                }
            }
            let waits = first_of_each(incoming, |index| missing[index]);
            if working {
                working = work();
            } else if unsent.is_empty() && waits.is_empty() && !self.mailboxes.settings.strict {
                return Ok(());
            }
            if working || moved {
                since = Instant::now();
                continue;
            }
            let from: Vec<usize> = waits.iter().map(|index| incoming[*index].from).collect();
            let state = self.look()?;
            let sent = &outgoing[..outgoing.len() - unsent.len()];
            let untaken = self.untaken(&state, tag.lane, sent);
            let to = untaken.or(unsent.first().map(|message| message.to));
            let waits = match (from.first(), to) {
                (Some(&peer), _) => Wait::new(peer, tag, false),
                (None, Some(peer)) => Wait::new(peer, tag, true),
                (None, None) => return Ok(()),
            };
            let some = |from: &usize| {
                state.has_any(*from, self.rank, tag.lane) || state.stage[*from] == Stage::Ended
            };
            let room = |message: &Outgoing<'_>| self.has_room(&state, tag.lane, message);
            if !from.iter().any(some) && !unsent.first().is_some_and(room) {
                drop(self.wait(state, waits, since)?);
            }
        }
    }

    fn launch(&self, tag: Tag, to: usize, bytes: Vec<u8>) -> Result<Box<dyn Flight + '_>, Error> {
        let number = self.put(tag, to, bytes)?;
        Ok(Box::new(Posted {
            endpoint: self,
            tag,
            to,
            number,
        }))
    }

    fn poll(&self, tag: Tag, incoming: &mut Incoming<'_>) -> Result<bool, Error> {
        self.collect(tag, incoming)
    }

    fn share<'a>(
        &'a self,
        len: usize,
        fill: Fill<'_>,
        agree: Agree<'_>,
    ) -> Result<Box<dyn Window + 'a>, Error> {
        let mut own = vec![0; len.div_ceil(size_of::<u128>())];
        fill(&mut bytemuck::cast_slice_mut(&mut own)[..len]);
        let number = self.windows.replace(self.windows.get() + 1);
        // The ranks of other nodes have their own windows.
        let key = number * self.size() as u64 + self.node[0] as u64;
        let place = self
            .node
            .iter()
            .take_while(|rank| **rank < self.rank)
            .count();
        let ranks = self.node.len();
        self.look()?
            .windows
            .entry(key)
            .or_insert_with(|| (vec![None; ranks], ranks))
            .0[place] = Some((Arc::new(own), len));
        let agreed = agree();
        // Removed in any case.
        let mut state = self.look()?;
        let window = state.windows.get_mut(&key);
        let (parts, lookers) = window.expect("a window that no rank has put up");
        *lookers -= 1;
        let parts = parts.clone();
        if *lookers == 0 {
            state.windows.remove(&key);
        }
        drop(state);
        agreed?;
        let parts = parts
            .into_iter()
            .map(|part| part.expect("a rank that did not fill its part"));
        Ok(Box::new(Parts(parts.collect())))
    }

    fn words(&self, len: usize) -> Result<Box<dyn Words + '_>, Error> {
        let number = self.windows.replace(self.windows.get() + 1);
        Ok(Box::new(Shared::new(self, number, len)?))
    }
}

/// The parts that the ranks of a node share.
#[derive(Debug)]
struct Parts(Vec<Part>);

impl Window for Parts {
    fn part(&self, index: usize) -> &[u8] {
        let (lines, len) = &self.0[index];
        &bytemuck::cast_slice(lines)[..*len]
    }
}

#[cfg(test)]
mod tests {
    use super::{Endpoint, Mailboxes, Transport};
    use crate::{Error, settings::Settings};
    use std::sync::Arc;

    #[test]
    fn a_window_that_failed_is_taken_down() {
        let mailboxes = Arc::new(Mailboxes::new(Settings::new(1)));
        let endpoint = Endpoint::new(Arc::clone(&mailboxes), 0);
        for agreed in [Ok(()), Err(Error::other("not filled"))] {
            let window = endpoint.share(10, &mut |_| (), &mut || agreed.clone());
            assert_eq!(window.err(), agreed.err());
            assert!(mailboxes.lock().windows.is_empty());
        }
    }
}

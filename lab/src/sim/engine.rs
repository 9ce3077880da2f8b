//! What all simulated schedulers share: time, workers with their stacks, and how a worker goes
//! through a program.
//!
//! **Two clocks.** Work proceeds in *units*, at the speed that the machine has for so many workers
//! as are working; all else (looking, sleeping, waking) takes nanoseconds. Since the speed is the
//! same for all, the ends of pieces of work stay in the same order whatever it is, and wait in a
//! queue of their own.
//!
//! **Pieces.** A worker whose attention is not raised runs a whole node as one piece, whose end
//! is known. When attention is raised in the middle, the place that the worker has reached is found
//! by descending from the node, which makes the frames on the way exist; from then on it goes from
//! poll to poll until its scheduler lowers the attention.
//!
//! **One thing at a time.** A worker has one event to come at most; a new one replaces it.

mod walk;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::dag::{Dag, Node, Parts, UNIT};
use super::machine::{Costs, Machine};
use super::outcome::{Counts, Outcome};
use crate::problem::mix;

/// What a worker's time goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Doing {
    Working,
    Promoting,
    Searching,
    Parked,
}

/// What is on a worker's stack, the oldest first.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Frame {
    /// A join whose first half runs.
    Fork {
        b: Node,
        after: u64,
        job: Option<usize>,
    },
    /// Units to come when what is above has ended.
    After(u64),
    /// A node to come when what is above has ended.
    Next(Node),
    /// Above is a job that was taken.
    Run(usize),
    /// Above is what the worker does while it waits for the job.
    Waiting { job: usize, after: u64 },
}

/// What a worker is at.
#[derive(Clone, Copy, Debug)]
enum At {
    /// Inside this node, begun at that time of the units' clock.
    Node(Node, u64),
    /// In a piece that leads to the node's join.
    Before(Node),
    /// About to begin the node.
    Enter(Node),
    /// In a piece without joins.
    Plain,
}

/// A second half that has been offered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Job {
    pub(crate) owner: usize,
    pub(crate) node: Node,
    /// In which job its join lies, and how deep.
    pub(crate) parent: Option<usize>,
    pub(crate) level: u32,
    /// Who runs it, how deep.
    pub(crate) taker: Option<(usize, u32)>,
    pub(crate) done: bool,
}

#[derive(Debug)]
pub(crate) struct Worker {
    pub(crate) stack: Vec<Frame>,
    at: At,
    /// Number of its latest event.
    event: u64,
    /// Whether polls are to be told to the scheduler.
    pub(crate) raised: bool,
    /// No frame below this place is an unpromoted join.
    given: usize,
    /// Joins whose first half runs, in each job and outside of all.
    joins: Vec<u32>,
    /// The jobs it is inside of, and where on the stack they begin.
    pub(crate) runs: Vec<(usize, usize)>,
    /// When its piece of work ends, in units.
    end: u64,
    /// Until then it uses the cache line that it has fetched.
    held: u64,
    doing: Doing,
    since: u64,
    spent: [u64; 4],
}

impl Worker {
    fn new() -> Worker {
        Worker {
            stack: Vec::new(),
            at: At::Plain,
            event: 0,
            raised: false,
            given: 0,
            joins: vec![0],
            runs: Vec::new(),
            end: 0,
            held: 0,
            doing: Doing::Parked,
            since: 0,
            spent: [0; 4],
        }
    }
}

/// How a scheduler takes part.
pub(crate) trait Scheduler {
    /// Threads that are no workers, numbered after them.
    const HELPERS: usize = 0;
    /// What a join costs where no worker asks, in nanoseconds.
    fn join_cost(costs: &Costs) -> f64;
    /// The program begins on worker 0; the others are idle.
    fn start(&mut self, e: &mut Engine<'_>);
    /// A worker with raised attention polls. It is inside [`Engine::resume`], or what calls this
    /// will go on if false.
    fn poll(&mut self, e: &mut Engine<'_>, worker: usize) -> bool;
    /// A worker has come to the second half of a join that was offered. `outermost`: no other join
    /// is around it.
    fn settle(&mut self, e: &mut Engine<'_>, worker: usize, offered: Offered);
    /// A worker has ended a job that it took.
    fn finished(&mut self, e: &mut Engine<'_>, worker: usize, job: usize);
    /// The time that the worker asked for has come.
    fn timer(&mut self, e: &mut Engine<'_>, worker: usize);
}

/// A second half that was offered and is needed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Offered {
    pub(crate) job: usize,
    pub(crate) b: Node,
    pub(crate) after: u64,
    pub(crate) outermost: bool,
}

type Event = Reverse<(u64, u64, usize)>;

/// The state of a simulation.
pub(crate) struct Engine<'d> {
    dag: &'d Dag,
    pub(crate) costs: Costs,
    machine: Machine,
    join: u64,
    pub(crate) now: u64,
    units: u64,
    speed: u64,
    working: usize,
    events: u64,
    timers: BinaryHeap<Event>,
    pieces: BinaryHeap<Event>,
    pub(crate) workers: Vec<Worker>,
    pub(crate) jobs: Vec<Job>,
    pub(crate) counts: Counts,
    random: u64,
    ended: bool,
}

impl<'d> Engine<'d> {
    pub(crate) fn new(
        dag: &'d Dag,
        workers: usize,
        costs: Costs,
        machine: Machine,
        join: f64,
        seed: u64,
    ) -> Self {
        Engine {
            dag,
            costs,
            machine,
            join: super::dag::units(join),
            now: 0,
            units: 0,
            speed: UNIT,
            working: 0,
            events: 0,
            timers: BinaryHeap::new(),
            pieces: BinaryHeap::new(),
            workers: (0..workers).map(|_| Worker::new()).collect(),
            jobs: Vec::new(),
            counts: Counts::default(),
            random: mix(seed),
            ended: false,
        }
    }

    /// Runs the program to its end.
    pub(crate) fn run<S: Scheduler>(mut self, scheduler: &mut S) -> Result<Outcome, String> {
        let workers = self.workers.len();
        let helpers = (0..S::HELPERS).map(|_| Worker::new());
        self.workers.extend(helpers);
        scheduler.start(&mut self);
        let root = self.dag.root;
        self.begin(0, root);
        while !self.ended {
            let piece = self.piece_end();
            let timer = self.timer_end();
            let (time, worker) = match (piece, timer) {
                (Some(piece), Some(timer)) if timer.0 < piece.0 => timer,
                (Some(piece), _) => piece,
                (None, Some(timer)) => timer,
                (None, None) => return Err(format!("the simulation is stuck at {} ns", self.now)),
            };
            let is_piece = piece.is_some_and(|piece| piece.0 <= time);
            self.units += (time - self.now) * self.speed;
            self.now = time;
            self.workers[worker].event = 0;
            if is_piece {
                self.pieces.pop();
                self.proceed(scheduler, worker);
            } else {
                self.timers.pop();
                scheduler.timer(&mut self, worker);
            }
        }
        for worker in 0..self.workers.len() {
            self.set(worker, Doing::Parked);
        }
        let mut spent = [0; 4];
        for worker in &self.workers[..workers] {
            (0..4).for_each(|i| spent[i] += worker.spent[i]);
        }
        Ok(Outcome {
            workers,
            time: self.now,
            spent,
            counts: self.counts,
        })
    }

    /// When the next piece of work ends, and whose.
    fn piece_end(&mut self) -> Option<(u64, usize)> {
        while let Some(&Reverse((units, event, worker))) = self.pieces.peek() {
            if self.workers[worker].event == event {
                let left = units.saturating_sub(self.units);
                return Some((self.now + left.div_ceil(self.speed), worker));
            }
            self.pieces.pop();
        }
        None
    }

    fn timer_end(&mut self) -> Option<(u64, usize)> {
        while let Some(&Reverse((time, event, worker))) = self.timers.peek() {
            if self.workers[worker].event == event {
                return Some((time, worker));
            }
            self.timers.pop();
        }
        None
    }

    /// From now on the worker's time goes to this.
    pub(crate) fn set(&mut self, worker: usize, doing: Doing) {
        let w = &mut self.workers[worker];
        w.spent[w.doing as usize] += self.now - w.since;
        w.since = self.now;
        let was = w.doing == Doing::Working;
        w.doing = doing;
        let is = doing == Doing::Working;
        if was != is {
            self.working = self.working + usize::from(is) - usize::from(was);
            self.speed = self.machine.speed(self.working);
        }
    }

    /// The worker's timer rings after so many nanoseconds, in which it does this.
    pub(crate) fn after(&mut self, worker: usize, doing: Doing, ns: u64) {
        self.set(worker, doing);
        self.events += 1;
        self.workers[worker].event = self.events;
        let time = self.now.saturating_add(ns);
        self.timers.push(Reverse((time, self.events, worker)));
    }

    /// The worker does nothing until another sets its timer.
    pub(crate) fn forever(&mut self, worker: usize, doing: Doing) {
        self.set(worker, doing);
        self.workers[worker].event = 0;
    }

    fn piece(&mut self, worker: usize, at: At, units: u64) {
        self.set(worker, Doing::Working);
        self.events += 1;
        self.workers[worker].event = self.events;
        self.workers[worker].at = at;
        self.workers[worker].end = self.units + units;
        self.pieces
            .push(Reverse((self.units + units, self.events, worker)));
    }

    /// Another worker has taken a cache line that the worker needs at each join: the next one lasts
    /// so much longer.
    pub(crate) fn hold_up(&mut self, worker: usize, ns: u64) {
        let w = &mut self.workers[worker];
        let At::Node(node, since) = &mut w.at else {
            return;
        };
        let joins = !matches!(self.dag.parts(*node), Parts::Strand(_));
        if w.doing != Doing::Working || self.units < w.held || !joins {
            return;
        }
        let more = ns * UNIT;
        w.held = self.units + more + 2 * self.join;
        *since += more;
        let (at, left) = (w.at, (w.end + more).saturating_sub(self.units));
        self.piece(worker, at, left);
    }

    /// Whether the worker sleeps.
    pub(crate) fn is_parked(&self, worker: usize) -> bool {
        self.workers[worker].doing == Doing::Parked
    }

    /// A random number below `n`.
    pub(crate) fn random(&mut self, n: usize) -> usize {
        self.random = mix(self.random);
        (self.random % n as u64) as usize
    }
}

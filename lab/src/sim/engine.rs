//! What all simulated schedulers share: time, workers with their stacks, and how a worker goes through a program.
//!
//! **Two clocks.** Work proceeds in *units*, at the speed that the machine has for so many workers as are working; all
//! else (looking, sleeping, waking) takes nanoseconds. Since the speed is the same for all, the ends of pieces of work
//! stay in the same order whatever it is, and wait in a queue of their own.
//!
//! **Pieces.** A worker whose attention nobody has raised runs a whole node as one piece, whose end is known. When
//! attention is raised in the middle, the place that the worker has reached is found by descending from the node,
//! which makes the frames on the way exist; from then on it goes from poll to poll until its
//! scheduler lowers the attention.
//!
//! **One thing at a time.** A worker has one event to come at most; a new one replaces it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::dag::{Dag, Node, Parts, UNIT, mix};
use super::machine::{Costs, Machine};
use super::outcome::{Counts, Outcome};

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
    /// What a join costs that nobody asks, in nanoseconds.
    fn join_cost(costs: &Costs) -> f64;
    /// The program begins on worker 0; the others are idle.
    fn start(&mut self, e: &mut Engine<'_>);
    /// A worker with raised attention polls. It is inside [`Engine::resume`], or whoever calls this will go on if false.
    fn poll(&mut self, e: &mut Engine<'_>, worker: usize) -> bool;
    /// A worker has come to the second half of a join that was offered. `outermost`: no other join is around it.
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

    /// The worker does nothing until somebody else sets its timer.
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

    /// Somebody has taken a cache line that the worker needs at each join: the next one lasts so much longer.
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

    /// Begins a node: as a whole, or up to its first poll if attention is raised.
    fn begin(&mut self, worker: usize, node: Node) {
        if !self.workers[worker].raised {
            let time = self.dag.time(node, self.join);
            return self.piece(worker, At::Node(node, self.units), time);
        }
        self.step_into(worker, node);
    }

    fn step_into(&mut self, worker: usize, mut node: Node) {
        loop {
            match self.dag.parts(node) {
                Parts::Strand(units) => return self.piece(worker, At::Plain, units),
                Parts::Fork { before, .. } => {
                    return self.piece(worker, At::Before(node), before + self.join);
                }
                Parts::Series(first, then) => {
                    self.workers[worker].stack.push(Frame::Next(then));
                    node = first;
                }
            }
        }
    }

    /// Tells a worker's next poll to its scheduler.
    pub(crate) fn raise(&mut self, worker: usize) {
        if std::mem::replace(&mut self.workers[worker].raised, true) {
            return;
        }
        self.locate(worker);
    }

    /// Makes the frames exist that a worker has by now, if it is in the middle of a piece.
    pub(crate) fn locate(&mut self, worker: usize) {
        let w = &self.workers[worker];
        let At::Node(mut node, since) = w.at else {
            return;
        };
        if w.doing != Doing::Working {
            return;
        }
        let mut passed = self.units.saturating_sub(since);
        loop {
            match self.dag.parts(node) {
                Parts::Strand(units) => {
                    return self.piece(worker, At::Plain, units.saturating_sub(passed));
                }
                Parts::Series(first, then) => {
                    let time = self.dag.time(first, self.join);
                    if passed < time {
                        self.workers[worker].stack.push(Frame::Next(then));
                        node = first;
                    } else {
                        passed -= time;
                        node = then;
                    }
                }
                Parts::Fork {
                    before,
                    a,
                    b,
                    after,
                } => {
                    let lead = before + self.join;
                    if passed < lead {
                        return self.piece(worker, At::Before(node), lead - passed);
                    }
                    passed -= lead;
                    let (ta, tb) = (self.dag.time(a, self.join), self.dag.time(b, self.join));
                    if passed < ta {
                        self.push_fork(worker, b, after);
                        node = a;
                        continue;
                    }
                    passed -= ta;
                    if passed < tb {
                        self.push_after(worker, after);
                        node = b;
                        continue;
                    }
                    let left = (tb + after).saturating_sub(passed);
                    return self.piece(worker, At::Plain, left);
                }
            }
        }
    }

    fn push_fork(&mut self, worker: usize, b: Node, after: u64) {
        let w = &mut self.workers[worker];
        let job = None;
        w.stack.push(Frame::Fork { b, after, job });
        *w.joins.last_mut().expect("outside of all jobs") += 1;
    }

    fn push_after(&mut self, worker: usize, after: u64) {
        if after > 0 {
            self.workers[worker].stack.push(Frame::After(after));
        }
    }

    /// The worker goes on after its scheduler has held it up.
    pub(crate) fn resume<S: Scheduler>(&mut self, scheduler: &mut S, worker: usize) {
        self.proceed(scheduler, worker);
    }

    /// Begins the second half of a join in place.
    pub(crate) fn run_back<S: Scheduler>(
        &mut self,
        scheduler: &mut S,
        worker: usize,
        offered: Offered,
    ) {
        self.push_after(worker, offered.after);
        self.poll_then(scheduler, worker, offered.b);
    }

    /// What the worker was at has ended.
    fn proceed<S: Scheduler>(&mut self, scheduler: &mut S, worker: usize) {
        match self.workers[worker].at {
            At::Enter(node) => self.begin(worker, node),
            At::Before(node) => {
                let Parts::Fork { a, b, after, .. } = self.dag.parts(node) else {
                    unreachable!("only joins have something before them");
                };
                self.push_fork(worker, b, after);
                self.poll_then(scheduler, worker, a);
            }
            At::Node(..) | At::Plain => self.unwind(scheduler, worker),
        }
    }

    fn poll_then<S: Scheduler>(&mut self, scheduler: &mut S, worker: usize, node: Node) {
        if self.workers[worker].raised {
            self.workers[worker].at = At::Enter(node);
            if scheduler.poll(self, worker) {
                return;
            }
        }
        self.begin(worker, node);
    }

    /// Goes on with what is on top of the stack.
    pub(crate) fn unwind<S: Scheduler>(&mut self, scheduler: &mut S, worker: usize) {
        self.workers[worker].at = At::Plain;
        let Some(frame) = self.workers[worker].stack.pop() else {
            self.ended = true;
            return;
        };
        let w = &mut self.workers[worker];
        w.given = w.given.min(w.stack.len());
        match frame {
            Frame::After(units) => self.piece(worker, At::Plain, units),
            Frame::Next(node) => self.begin(worker, node),
            Frame::Fork { b, after, job } => {
                let joins = w.joins.last_mut().expect("outside of all jobs");
                *joins -= 1;
                let outermost = *joins == 0;
                let Some(job) = job else {
                    self.push_after(worker, after);
                    return self.poll_then(scheduler, worker, b);
                };
                let offered = Offered {
                    job,
                    b,
                    after,
                    outermost,
                };
                scheduler.settle(self, worker, offered);
            }
            Frame::Run(job) => {
                w.joins.pop();
                w.runs.pop();
                self.jobs[job].done = true;
                scheduler.finished(self, worker, job);
            }
            Frame::Waiting { .. } => unreachable!("who waits has nothing above"),
        }
    }

    /// The worker waits for the job, above which others may come.
    pub(crate) fn wait(&mut self, worker: usize, job: usize, after: u64) {
        let stack = &mut self.workers[worker].stack;
        stack.push(Frame::Waiting { job, after });
    }

    /// Which job the worker waits for, if that is what it does.
    pub(crate) fn waits_for(&self, worker: usize) -> Option<usize> {
        match self.workers[worker].stack.last() {
            Some(&Frame::Waiting { job, .. }) => Some(job),
            _ => None,
        }
    }

    /// The job that the worker waited for is done.
    pub(crate) fn waited<S: Scheduler>(&mut self, scheduler: &mut S, worker: usize) {
        let Some(Frame::Waiting { after, .. }) = self.workers[worker].stack.pop() else {
            unreachable!("the worker waits");
        };
        self.push_after(worker, after);
        self.unwind(scheduler, worker);
    }

    /// Whether the worker sleeps.
    pub(crate) fn is_parked(&self, worker: usize) -> bool {
        self.workers[worker].doing == Doing::Parked
    }

    /// Begins a job that the worker has taken.
    pub(crate) fn run_job(&mut self, worker: usize, job: usize) {
        let level = self.workers[worker].runs.len() as u32 + 1;
        self.jobs[job].taker = Some((worker, level));
        let w = &mut self.workers[worker];
        w.stack.push(Frame::Run(job));
        w.joins.push(0);
        let place = w.stack.len() - 1;
        w.runs.push((job, place));
        self.begin(worker, self.jobs[job].node);
    }

    /// Makes the oldest join of a worker that has not been offered a job; the newest if so wanted.
    pub(crate) fn promote(&mut self, worker: usize, newest: bool) -> Option<usize> {
        let is_free = |frame: &Frame| matches!(frame, Frame::Fork { job: None, .. });
        let w = &mut self.workers[worker];
        let fresh = &w.stack[w.given..];
        let place = if newest {
            fresh.iter().rposition(is_free)
        } else {
            fresh.iter().position(is_free)
        };
        let Some(place) = place.map(|place| w.given + place) else {
            w.given = w.stack.len();
            return None;
        };
        if !newest {
            w.given = place + 1;
        }
        let level = w.runs.partition_point(|&(_, begins)| begins < place);
        let parent = level.checked_sub(1).map(|at| w.runs[at].0);
        let number = self.jobs.len();
        let Frame::Fork { b, job, .. } = &mut w.stack[place] else {
            unreachable!("just found");
        };
        *job = Some(number);
        self.jobs.push(Job {
            owner: worker,
            node: *b,
            parent,
            level: level as u32,
            taker: None,
            done: false,
        });
        self.counts.promotions += 1;
        Some(number)
    }

    /// Whether one job lies in another.
    pub(crate) fn descends(&self, job: usize, from: usize) -> bool {
        let mut at = self.jobs[job].parent;
        while let Some(number) = at {
            if number == from {
                return true;
            }
            let above = &self.jobs[number];
            at = above.parent;
        }
        false
    }

    /// A random number below `n`.
    pub(crate) fn random(&mut self, n: usize) -> usize {
        self.random = mix(self.random);
        (self.random % n as u64) as usize
    }
}

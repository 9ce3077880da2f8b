//! Streets: tasks close and open one-way streets, and ask whether a way is left, each as if alone;
//! batched, and with locks.
//!
//!     cargo run --release -p sumac-builds --example streets [--json] [ROUNDS]
//!
//! It is reachability in a graph that changes all the time. There is no index that survives a
//! change: an answer takes a search. But a thousand questions about the same graph take one pass
//! for its strongly connected components, and one pass over what is left for each 64 of them. That
//! is what a batch has to win, on one thread, too.

use fastrand::Rng;
use fixedbitset::FixedBitSet;
use petgraph::{
    algo::{has_path_connecting, kosaraju_scc},
    graph::{DiGraph, NodeIndex},
};
use std::{
    process::ExitCode,
    sync::{Arc, Mutex, RwLock, mpsc},
    time::{Duration, Instant},
};
use sumac::{
    Scope, ThreadPool, ThreadPoolBuilder,
    batch::{Batched, BatchedStructure, Combining, Plain, Request},
    prelude::*,
};
use sumac_record::{Asked, Cell, Turns};

/// The town is a square of so many crossings; in debug builds only the answers matter.
const SIDE: usize = if cfg!(debug_assertions) { 20 } else { 150 };

/// The questions of all tasks, however many these are.
const QUESTIONS: usize = if cfg!(debug_assertions) { 256 } else { 2_048 };

/// With fewer of them, each has a search of its own.
const SHARED: usize = 16;

/// From a crossing to a neighbour, and to which.
type Street = (usize, usize);

#[derive(Clone)]
struct Town {
    /// Where open streets from each crossing lead, and where those to it come from.
    ahead: Vec<Vec<usize>>,
    behind: Vec<Vec<usize>>,
}

impl Town {
    fn new(crossings: usize, open: impl IntoIterator<Item = Street>) -> Self {
        let mut town = Town {
            ahead: vec![Vec::new(); crossings],
            behind: vec![Vec::new(); crossings],
        };
        open.into_iter().for_each(|street| town.set(street, true));
        town
    }

    fn set(&mut self, (from, to): Street, open: bool) {
        self.ahead[from].retain(|at| *at != to);
        self.behind[to].retain(|at| *at != from);
        if open {
            self.ahead[from].push(to);
            self.behind[to].push(from);
        }
    }

    /// Carries out one operation.
    fn act(&mut self, op: Op) -> bool {
        match op {
            Op::Way((from, to)) => self.way(from, to),
            Op::Set(street, open) => {
                self.set(street, open);
                open
            }
        }
    }

    /// Searches from both ends, on the side that has less to look at, until they meet.
    fn way(&self, from: usize, to: usize) -> bool {
        if from == to {
            return true;
        }
        let crossings = self.ahead.len();
        let only = |at| {
            let mut seen = FixedBitSet::with_capacity(crossings);
            seen.insert(at);
            seen
        };
        let (mut seen, mut other_seen) = (only(from), only(to));
        let (mut edge, mut other_edge) = (vec![from], vec![to]);
        let (mut streets, mut other_streets) = (&self.ahead, &self.behind);
        while !edge.is_empty() && !other_edge.is_empty() {
            if edge.len() > other_edge.len() {
                (seen, other_seen) = (other_seen, seen);
                (edge, other_edge) = (other_edge, edge);
                (streets, other_streets) = (other_streets, streets);
            }
            let mut next = Vec::new();
            for &to in edge.iter().flat_map(|at| &streets[*at]) {
                if other_seen.contains(to) {
                    return true;
                }
                if !seen.put(to) {
                    next.push(to);
                }
            }
            edge = next;
        }
        false
    }

    /// The open streets. Each crossing is there, since the last one leads to itself.
    fn graph(&self) -> DiGraph<(), ()> {
        let ways = |at: usize| self.ahead[at].iter().map(move |&to| (at as u32, to as u32));
        let last = self.ahead.len() as u32 - 1;
        let streets = (0..self.ahead.len()).flat_map(ways);
        DiGraph::from_edges(streets.chain([(last, last)]))
    }

    /// Answers many questions at once.
    fn ways(&self, questions: &[Street]) -> Vec<bool> {
        if questions.len() < SHARED {
            let each = questions.par_iter();
            return each.map(|&(from, to)| self.way(from, to)).collect();
        }
        // Those come first that are reached from others.
        let components = kosaraju_scc(&self.graph());
        let mut component = vec![0; self.ahead.len()];
        for (number, members) in components.iter().enumerate() {
            members.iter().for_each(|at| component[at.index()] = number);
        }
        // Streets between components, in an order in which no way leads back.
        let mut between = Vec::new();
        for from in components.iter().rev().flatten() {
            let streets = self.ahead[from.index()].iter();
            let pairs = streets.map(|to| (component[from.index()], component[*to]));
            between.extend(pairs.filter(|(from, to)| from != to));
        }
        let answers = questions.par_chunks(64).map(|questions| {
            // Which of the questions reach a component.
            let mut reached = vec![0_u64; components.len()];
            for (i, &(from, _)) in questions.iter().enumerate() {
                reached[component[from]] |= 1 << i;
            }
            between
                .iter()
                .for_each(|&(from, to)| reached[to] |= reached[from]);
            let ends = questions.iter().enumerate();
            ends.map(|(i, &(_, to))| reached[component[to]] >> i & 1 == 1)
                .collect::<Vec<_>>()
        });
        answers.collect::<Vec<_>>().concat()
    }
}

/// The plain answers, with which others are checked.
fn plain(graph: &DiGraph<(), ()>, questions: &[Street]) -> Vec<bool> {
    let at = |crossing| NodeIndex::new(crossing);
    let way = |&(from, to): &Street| has_path_connecting(graph, at(from), at(to), None);
    questions.iter().map(way).collect()
}

#[derive(Clone, Copy)]
enum Op {
    Set(Street, bool),
    Way(Street),
}

impl BatchedStructure for Town {
    type Op = Op;
    type Answer = bool;

    // Questions change nothing. But `READS` would have them answered side by side, and they are to
    // meet.

    /// All questions see the town as it was; then the streets change.
    fn run(&mut self, _: &mut Scope<'_>, batch: &mut [Request<Op, bool>]) {
        let questions: Vec<Street> = batch
            .iter()
            .filter_map(|request| match *request.op() {
                Op::Way(question) => Some(question),
                Op::Set(..) => None,
            })
            .collect();
        let mut answers = self.ways(&questions).into_iter();
        for request in batch {
            request.answer(match *request.op() {
                Op::Way(_) => answers.next().expect("each question has an answer"),
                op => self.act(op),
            });
        }
    }
}

/// What the tasks share.
trait Shared: Send + Sync + 'static {
    fn act(&self, op: Op) -> impl Future<Output = bool> + Send;
}

macro_rules! shared {
    ($by:ident, $it:ident, $op:ident: $act:expr) => {
        impl Shared for $by<Town> {
            async fn act(&self, $op: Op) -> bool {
                let $it = self;
                $act
            }
        }
    };
}

shared!(Batched, it, op: it.submit(Plain(op)).await);
shared!(Combining, it, op: it.with(|town| town.act(op)));
shared!(Mutex, it, op: it.lock().expect("no panic").act(op));
shared!(RwLock, it, op: match op {
    Op::Way((from, to)) => it.read().expect("no panic").way(from, to),
    Op::Set(..) => it.write().expect("no panic").act(op),
});

/// What the tasks do: each has a street of its own, and questions.
struct Program {
    town: Town,
    tasks: Vec<Task>,
}

#[derive(Clone)]
struct Task {
    street: Street,
    questions: Vec<Street>,
    /// The answers when all tasks have closed their streets, and when none has.
    least: Vec<bool>,
    most: Vec<bool>,
}

impl Program {
    /// Of all possible streets, `open` in 100 are there.
    fn new(side: usize, open: usize, tasks: usize, questions: usize) -> Self {
        let mut random = Rng::with_seed(1);
        let crossings = side * side;
        let neighbours = |at: usize| {
            let right = (at % side + 1 < side).then_some((at, at + 1));
            let down = (at + side < crossings).then_some((at, at + side));
            right.into_iter().chain(down)
        };
        let pairs = (0..crossings).flat_map(neighbours);
        let both = pairs.flat_map(|(a, b)| [(a, b), (b, a)]);
        let mut streets: Vec<Street> = both.filter(|_| random.usize(..100) < open).collect();
        random.shuffle(&mut streets);
        let tasks = tasks.min(streets.len());
        let town = Town::new(crossings, streets.iter().copied());
        let closed = Town::new(crossings, streets[tasks..].iter().copied()).graph();
        let open = town.graph();
        let mut task = |street: &Street| {
            let question = |_| (random.usize(..crossings), random.usize(..crossings));
            let questions: Vec<Street> = (0..questions / tasks).map(question).collect();
            Task {
                street: *street,
                least: plain(&closed, &questions),
                most: plain(&open, &questions),
                questions,
            }
        };
        let tasks = streets[..tasks].iter().map(&mut task).collect();
        Program { town, tasks }
    }

    /// Each task closes its street, asks, and opens it; then all ask again, when no street is
    /// closed. Returns the time of the first part.
    fn run<S: Shared>(&self, pool: &ThreadPool, share: impl FnOnce(Town) -> S + Send) -> Duration {
        let town = self.town.clone();
        let shared = Arc::new(pool.install(|| share(town)));
        let start = Instant::now();
        self.all(pool, &shared, true);
        let time = start.elapsed();
        self.all(pool, &shared, false);
        time
    }

    /// All tasks at once.
    fn all<S: Shared>(&self, pool: &ThreadPool, shared: &Arc<S>, closing: bool) {
        let (ended, wait) = mpsc::channel::<()>();
        let start = |task: Task| {
            let (shared, ended) = (Arc::clone(shared), ended.clone());
            sumac::spawn_async_in(pool, async move {
                if closing {
                    shared.act(Op::Set(task.street, false)).await;
                }
                for (i, &question) in task.questions.iter().enumerate() {
                    let answer = shared.act(Op::Way(question)).await;
                    let least = if closing { task.least[i] } else { task.most[i] };
                    assert!(
                        least <= answer && answer <= task.most[i],
                        "{question:?}: {answer}"
                    );
                }
                if closing {
                    shared.act(Op::Set(task.street, true)).await;
                }
                drop(ended);
            })
        };
        let tasks: Vec<_> = self.tasks.iter().cloned().map(start).collect();
        drop(ended);
        // Sleeps. Who joins a task that waits in the queue would run it, as one thread more.
        wait.recv().expect_err("no task sends anything");
        tasks.into_iter().for_each(|task| task.join());
    }

    /// The nanoseconds of a variant.
    fn turn(&self, pool: &ThreadPool, variant: usize) -> f64 {
        let time = match variant {
            0 => self.run(pool, Batched::new),
            1 => self.run(pool, Combining::new),
            2 => self.run(pool, Mutex::new),
            _ => self.run(pool, RwLock::new),
        };
        time.as_nanos() as f64
    }
}

const VARIANTS: [&str; 4] = ["Batched", "Combining", "Mutex", "RwLock"];

/// So many workers. The caller belongs to the pool, too, but sleeps while the tasks run.
fn workers(workers: usize) -> ThreadPool {
    let pool = ThreadPoolBuilder::new().num_threads(workers + 1).build();
    pool.expect("a few threads")
}

fn main() -> ExitCode {
    Asked::run("streets", 1, |asked, records| {
        for (threads, pool) in [1, 2].map(|threads| (threads, workers(threads))) {
            for tasks in [8, 64, 1_024] {
                let program = Program::new(SIDE, 55, tasks, QUESTIONS);
                let turn = |_, variant| Ok::<_, String>(vec![program.turn(&pool, variant)]);
                let taken = Turns::of(asked.rounds).take(VARIANTS.len(), turn)?;
                for (variant, samples) in VARIANTS.into_iter().zip(taken) {
                    let cell = Cell::of(format!("{tasks} tasks"), variant, threads);
                    let size = (SIDE * SIDE) as u64;
                    records.add(Cell { size, ..cell }, samples);
                }
            }
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All questions at once, and each by itself.
    #[test]
    fn a_pass_answers_as_plain_searches_do() {
        for side in 2..8 {
            for open in [10, 30, 50, 55, 70] {
                let town = Program::new(side, open, 1, 0).town;
                let crossings = 0..side * side;
                let from = |from| crossings.clone().map(move |to| (from, to));
                let all: Vec<Street> = crossings.clone().flat_map(from).collect();
                let expected = plain(&town.graph(), &all);
                assert!(town.ways(&all) == expected);
                assert!(
                    all.iter()
                        .map(|&(from, to)| town.way(from, to))
                        .eq(expected)
                );
            }
        }
    }
}

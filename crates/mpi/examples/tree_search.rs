//! Stealing across ranks: UTS, the unbalanced tree search of Olivier and others (LCPC 2006). A tree
//! is known only by walking it, each node a SHA-1 hash that says how many children it has. Rank 0
//! starts with the root; the others steal.
//!
//!     SUMAC_MPI_RANKS=8 SUMAC_NUM_THREADS=2 cargo run --release -p sumac-mpi --example tree_search
//!     mpiexec -n 8 target/release/examples/tree_search t3
//!     SUMAC_MPI_RANKS=3 cargo run --release -p sumac-mpi --example tree_search t3 100
//!
//! A rank walks in rounds: its pool takes the newest nodes of its stack in parts, walks some
//! thousand nodes from each, and puts back what is left. Between rounds the rank answers a thief.
//!
//! # Protocol
//! Each rank has a word that asks for nodes: `NONE`, `CLOSED`, or the number of a thief; and one
//! that says how many nodes it had last, a hint. Rank 0 has one more, the number of busy ranks:
//! those with nodes, and those to which nodes are on the way.
//!
//! 1. A rank whose stack is empty is no longer busy, and subtracts itself. It is a thief: it writes
//!    its number into the word of another that has nodes, by a compare-and-swap that expects
//!    `NONE`. If that succeeds it receives one answer.
//! 2. A rank looks at its own word between rounds and, as a thief, while it waits. To a thief that
//!    it finds there it sends the older half of its nodes, or none. If there are some, it adds the
//!    thief to the busy ranks first: so their number is zero only when the whole tree is walked.
//! 3. A rank that sees zero closes its word, and answers the thief that it finds there. No other
//!    gets in any more.
//!
//! Each wait ends: a rank that walks comes to the end of its round, and a thief that waits answers
//! others meanwhile, also while it sends, since then it has a request of its own open.

use sha1::{Digest, Sha1};
use std::{
    env,
    process::ExitCode,
    thread,
    time::{Duration, Instant},
};
use sumac::prelude::*;
use sumac_mpi::{Communicator, Error, Words, World};

/// The states of a rank's word besides the numbers of thieves, which are from 1 on.
const NONE: u64 = 0;
const CLOSED: u64 = u64::MAX;

/// The words of a rank: who asks for nodes, how many there are, and at rank 0 how many ranks are
/// busy.
const THIEF: usize = 0;
const NODES: usize = 1;
const BUSY: usize = 2;

/// A round takes up to so many nodes from the stack, in up to so many parts, and walks up to so
/// many nodes from each part: some milliseconds at most.
const TAKEN: usize = 2048;
const PARTS: usize = 32;
const WALKED: usize = 4000;

/// How long a thief sleeps after a first vain attempt, and at most.
const FIRST_NAP: Duration = Duration::from_micros(50);
const LONGEST_NAP: Duration = Duration::from_millis(2);

/// A hash, and its depth.
type Node = ([u8; 20], u32);

/// A kind of tree: how many children a node has.
#[derive(Clone, Copy, Debug)]
enum Tree {
    /// T1: four on average, down to this depth.
    Geometric { depth: u32 },
    /// T3: so many at the root; below it eight or none, just short of one on average.
    Binomial { root: u32 },
}

impl Tree {
    fn new(kind: &str, size: Option<u32>) -> Option<Self> {
        match kind {
            "t1" => Some(Self::Geometric {
                depth: size.unwrap_or(10),
            }),
            "t3" => Some(Self::Binomial {
                root: size.unwrap_or(2000),
            }),
            _ => None,
        }
    }

    fn root(self) -> Node {
        let seed: u32 = match self {
            Self::Geometric { .. } => 19,
            Self::Binomial { .. } => 42,
        };
        let mut start = [0; 20];
        start[16..].copy_from_slice(&seed.to_be_bytes());
        (Sha1::digest(start).into(), 0)
    }

    /// The number of nodes, as published, or counted by one thread.
    fn nodes(self) -> u64 {
        match self {
            Self::Geometric { depth: 10 } => 4_130_071,
            Self::Binomial { root: 2000 } => 4_112_897,
            _ => self.walk(&mut vec![self.root()], usize::MAX),
        }
    }

    fn children(self, (hash, depth): &Node) -> u32 {
        let drawn = u32::from_be_bytes([hash[16], hash[17], hash[18], hash[19]]);
        let drawn = f64::from(drawn & 0x7fff_ffff) / f64::from(1_u32 << 31);
        match self {
            Self::Geometric { depth: most } if *depth >= most => 0,
            Self::Geometric { .. } => ((1.0 - drawn).ln() / 0.8_f64.ln()).min(100.0) as u32,
            Self::Binomial { root } if *depth == 0 => root,
            Self::Binomial { .. } => u32::from(drawn < 0.124_875) * 8,
        }
    }

    /// Walks up to `most` nodes from the top of the stack, and returns how many.
    fn walk(self, stack: &mut Vec<Node>, most: usize) -> u64 {
        let mut walked = 0;
        while walked < most as u64 {
            let Some(node) = stack.pop() else { break };
            walked += 1;
            stack.extend((0..self.children(&node)).map(|child| {
                let hash = Sha1::new().chain_update(node.0);
                let hash = hash.chain_update(child.to_be_bytes()).finalize();
                (hash.into(), node.1 + 1)
            }));
        }
        walked
    }
}

fn main() -> ExitCode {
    let (kind, size) = (env::args().nth(1), env::args().nth(2));
    let size = size.map(|size| size.parse()).transpose();
    let kind = kind.as_deref().unwrap_or("t1");
    let Some(tree) = size.ok().and_then(|size| Tree::new(kind, size)) else {
        eprintln!("usage: tree_search [t1 [DEPTH] | t3 [CHILDREN OF THE ROOT]]");
        return ExitCode::FAILURE;
    };
    match World::new().run(|comm| program(comm, tree)) {
        Ok(_) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn program(comm: &Communicator<'_>, tree: Tree) -> Result<(), Error> {
    let mut search = Search {
        comm,
        tree,
        words: comm.words(3)?,
        stack: Vec::new(),
        walked: 0,
        asked: 0,
        stolen: 0,
    };
    if comm.rank() == 0 {
        search.words.swap(0, BUSY, 1)?;
        search.stack.push(tree.root());
    }
    // No rank looks before there is a busy one.
    comm.barrier()?;
    let begin = Instant::now();
    if comm.rank() == 0 {
        search.busy()?;
    }
    search.idle()?;
    comm.barrier()?;
    let time = begin.elapsed();

    let counts = [search.walked, search.asked, search.stolen];
    let all = comm.gather(0, counts)?.unwrap_or_default();
    let sum = |index: usize| all.iter().map(|counts| counts[index]).sum::<u64>();
    if comm.rank() == 0 {
        assert_eq!(sum(0), tree.nodes(), "nodes were lost or doubled");
        let most = all.iter().map(|counts| counts[0]).max().unwrap_or(0);
        let (ranks, threads) = (comm.size(), comm.pool().current_num_threads());
        println!(
            "{tree:?}: {} nodes in {time:?} on {ranks} ranks of {threads} threads, at most {most} \
             on one; {} requests, {} of them answered with nodes",
            sum(0),
            sum(1),
            sum(2)
        );
    }
    Ok(())
}

struct Search<'c, 'w> {
    comm: &'c Communicator<'w>,
    tree: Tree,
    words: Words<'w>,
    /// The oldest nodes, with the largest subtrees, first.
    stack: Vec<Node>,
    walked: u64,
    /// How often it asked another rank, and how often it got nodes.
    asked: u64,
    stolen: u64,
}

impl Search<'_, '_> {
    /// Walks until the stack is empty, and is no longer busy.
    fn busy(&mut self) -> Result<(), Error> {
        while !self.stack.is_empty() {
            self.round();
            self.answer(NONE)?;
            let nodes = self.stack.len() as u64;
            self.words.swap(self.comm.rank(), NODES, nodes)?;
        }
        self.words.fetch_add(0, BUSY, 1_u64.wrapping_neg())?;
        Ok(())
    }

    /// Walks from the newest nodes, with all threads of the pool.
    fn round(&mut self) {
        let rest = self.stack.len().saturating_sub(TAKEN);
        let (tree, taken) = (self.tree, self.stack.split_off(rest));
        let walked: Vec<_> = self.comm.pool().install(|| {
            let parts = taken.par_chunks(taken.len().div_ceil(PARTS));
            let walked = parts.map(|part| {
                let mut stack = part.to_vec();
                (tree.walk(&mut stack, WALKED), stack)
            });
            walked.collect()
        });
        for (walked, rest) in walked {
            self.walked += walked;
            self.stack.extend(rest);
        }
    }

    /// Steals until the whole tree is walked.
    fn idle(&mut self) -> Result<(), Error> {
        let (rank, size) = (self.comm.rank(), self.comm.size());
        let mut random = fastrand::Rng::with_seed(rank as u64);
        let mut nap = FIRST_NAP;
        while self.words.load(0, BUSY)? > 0 {
            let victim = random.usize(..size);
            let has_nodes = victim != rank && self.words.load(victim, NODES)? > 1;
            if has_nodes && self.steal(victim)? {
                nap = FIRST_NAP;
                self.busy()?;
                continue;
            }
            self.answer(NONE)?;
            thread::sleep(nap);
            nap = (nap * 2).min(LONGEST_NAP);
        }
        self.answer(CLOSED)
    }

    /// Asks a rank for nodes. Returns whether it got some.
    fn steal(&mut self, victim: usize) -> Result<bool, Error> {
        let own = self.comm.rank() as u64 + 1;
        if self.words.compare_and_swap(victim, THIEF, NONE, own)? != NONE {
            return Ok(false);
        }
        self.asked += 1;
        let answer = self.comm.start_receive::<Vec<Node>>(victim, 0)?;
        while !answer.is_done()? {
            self.answer(NONE)?;
            thread::sleep(FIRST_NAP);
        }
        self.stack = answer.wait()?;
        self.stolen += u64::from(!self.stack.is_empty());
        Ok(!self.stack.is_empty())
    }

    /// Answers a thief, if there is one, and leaves `next` in this rank's word.
    fn answer(&mut self, next: u64) -> Result<(), Error> {
        let thief = self.words.swap(self.comm.rank(), THIEF, next)?;
        if thief == NONE {
            return Ok(());
        }
        let half: Vec<Node> = self.stack.drain(..self.stack.len() / 2).collect();
        if !half.is_empty() {
            self.words.fetch_add(0, BUSY, 1)?;
        }
        self.comm.send(thief as usize - 1, 0, &half)
    }
}

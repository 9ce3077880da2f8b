//! The structure of a program, for simulations: a tree of strands in series and in parallel.

use super::recorder::Picos;
use std::mem;

/// A program as strands in series and in parallel.
///
/// A join is `Parallel`; a loop is a balanced tree over its blocks. A task is placed where it is
/// waited for, tasks of a scope in parallel: the tree does not show that a task may run beside the
/// code between its spawning and that place, which the [`span`](crate::profile::Profile::span)
/// does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Dag {
    /// Work, in nanoseconds.
    Strand(u64),
    /// Parts that run one after the other.
    Series(Vec<Dag>),
    /// Parts that may run in parallel; on one worker, the first one runs first.
    Parallel(Box<Dag>, Box<Dag>),
}

impl Dag {
    /// Returns the sum of all strands, in nanoseconds.
    pub fn work(&self) -> u64 {
        self.fold(&|a, b| a + b)
    }

    /// Returns the length of the longest path, in nanoseconds.
    pub fn span(&self) -> u64 {
        self.fold(&u64::max)
    }

    fn fold(&self, parallel: &impl Fn(u64, u64) -> u64) -> u64 {
        match self {
            Dag::Strand(nanos) => *nanos,
            Dag::Series(parts) => parts.iter().map(|part| part.fold(parallel)).sum(),
            Dag::Parallel(a, b) => parallel(a.fold(parallel), b.fold(parallel)),
        }
    }

    /// Converts picoseconds to nanoseconds.
    fn in_nanos(self) -> Dag {
        match self {
            Dag::Strand(picos) => Dag::Strand(picos / 1000),
            Dag::Series(parts) => Dag::Series(parts.into_iter().map(Dag::in_nanos).collect()),
            Dag::Parallel(a, b) => Dag::Parallel(Box::new(a.in_nanos()), Box::new(b.in_nanos())),
        }
    }
}

/// A part of the program, in picoseconds, and its work.
#[derive(Debug)]
pub(super) struct Piece {
    dag: Dag,
    work: Picos,
}

impl Piece {
    pub(super) fn strand(work: Picos) -> Self {
        let picos = u64::try_from(work).unwrap_or(0);
        Piece {
            dag: Dag::Strand(picos),
            work: work.max(0),
        }
    }

    pub(super) fn into_dag(self) -> Dag {
        self.dag.in_nanos()
    }

    fn is_strand(&self) -> bool {
        matches!(self.dag, Dag::Strand(_))
    }

    fn beside(self, other: Piece, grain: Picos) -> Piece {
        let work = self.work + other.work;
        if work < grain {
            return Piece::strand(work);
        }
        if self.work.min(other.work) < (grain / 64).max(1) {
            let mut series = Series::default();
            series.push(self);
            series.push(other);
            return series.finish();
        }
        Piece {
            dag: Dag::Parallel(Box::new(self.dag), Box::new(other.dag)),
            work,
        }
    }
}

/// Puts all pieces in parallel, as a balanced tree.
fn balanced(mut pieces: Vec<Piece>, grain: Picos) -> Piece {
    match pieces.len() {
        0 => Piece::strand(0),
        1 => pieces.remove(0),
        count => {
            let upper = pieces.split_off(count / 2);
            balanced(pieces, grain).beside(balanced(upper, grain), grain)
        }
    }
}

/// Parts recorded one after the other.
#[derive(Debug, Default)]
struct Series {
    parts: Vec<Dag>,
    work: Picos,
    /// The strand at the end, which corrections may make negative for a while.
    strand: Picos,
}

impl Series {
    fn push(&mut self, piece: Piece) {
        match piece.dag {
            Dag::Strand(_) => self.strand += piece.work,
            Dag::Series(parts) => {
                self.flush();
                self.parts.extend(parts);
                self.work += piece.work;
            }
            parallel => {
                self.flush();
                self.parts.push(parallel);
                self.work += piece.work;
            }
        }
    }

    fn flush(&mut self) {
        let strand = mem::take(&mut self.strand);
        if strand > 0 {
            self.parts.push(Piece::strand(strand).dag);
            self.work += strand;
        }
    }

    fn finish(mut self) -> Piece {
        self.flush();
        let dag = match self.parts.len() {
            0 => Dag::Strand(0),
            1 => self.parts.remove(0),
            _ => Dag::Series(self.parts),
        };
        Piece {
            dag,
            work: self.work,
        }
    }
}

/// A fork or a loop that has not ended.
#[derive(Debug)]
enum Open {
    Fork {
        before: Series,
        first: Option<Piece>,
    },
    Loop {
        before: Series,
        blocks: Vec<Piece>,
    },
}

/// Records a program while it runs.
#[derive(Debug)]
pub(super) struct Builder {
    grain: Picos,
    open: Vec<Open>,
    series: Series,
}

impl Builder {
    pub(super) fn new(grain: Picos) -> Self {
        Builder {
            grain,
            open: Vec::new(),
            series: Series::default(),
        }
    }

    pub(super) fn strand(&mut self, work: Picos) {
        self.series.strand += work;
    }

    pub(super) fn fork(&mut self) {
        let before = mem::take(&mut self.series);
        let first = None;
        self.open.push(Open::Fork { before, first });
    }

    /// Ends the first half of a fork.
    pub(super) fn turn(&mut self) {
        let piece = mem::take(&mut self.series).finish();
        if let Some(Open::Fork { first, .. }) = self.open.last_mut() {
            *first = Some(piece);
        }
    }

    pub(super) fn enter_loop(&mut self) {
        let before = mem::take(&mut self.series);
        let blocks = Vec::new();
        self.open.push(Open::Loop { before, blocks });
    }

    pub(super) fn end_block(&mut self) {
        let grain = self.grain;
        let Some(Open::Loop { blocks, .. }) = self.open.last_mut() else {
            return;
        };
        let piece = mem::take(&mut self.series).finish();
        match blocks.last_mut() {
            Some(last)
                if last.is_strand() && piece.is_strand() && last.work + piece.work < grain =>
            {
                *last = Piece::strand(last.work + piece.work);
            }
            _ => blocks.push(piece),
        }
    }

    /// Ends the innermost fork or loop.
    pub(super) fn close(&mut self) {
        let last = mem::take(&mut self.series).finish();
        let (before, piece) = match self.open.pop() {
            None => (Series::default(), last),
            Some(Open::Fork { before, first }) => match first {
                Some(first) => (before, first.beside(last, self.grain)),
                None => (before, last),
            },
            Some(Open::Loop { before, mut blocks }) => {
                blocks.push(last);
                (before, balanced(blocks, self.grain))
            }
        };
        self.series = before;
        self.series.push(piece);
    }

    /// Adds tasks that have been waited for.
    pub(super) fn tasks(&mut self, tasks: Vec<Piece>) {
        let tasks = balanced(tasks, self.grain);
        self.series.push(tasks);
    }

    pub(super) fn finish(mut self) -> Piece {
        while !self.open.is_empty() {
            self.close();
        }
        self.series.finish()
    }
}

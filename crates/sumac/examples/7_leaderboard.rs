//! A batched structure of one's own: a leaderboard. Tasks enter scores and ask how many are better.
//!
//! It is a sorted vector. Entering one score moves half of it; entering a thousand in one batch
//! costs one merge.
//!
//!     cargo run --release -p sumac --example 7_leaderboard

use sumac::{
    Scope,
    batch::{Batched, BatchedStructure, Operation, Request},
    prelude::*,
};

#[derive(Default)]
struct Leaderboard {
    /// Ascending.
    scores: Vec<u64>,
}

// 1. The operations.
enum Op {
    Enter(u64),
    Rank(u64),
}

// 2. Carrying out a batch.
impl BatchedStructure for Leaderboard {
    type Op = Op;
    type Answer = usize;

    fn run(&mut self, _: &mut Scope<'_>, batch: &mut [Request<Op, usize>]) {
        // Ranks refer to the scores before this batch, so they are computed in parallel.
        let scores = &self.scores;
        batch.par_iter_mut().for_each(|request| {
            if let Op::Rank(score) = request.op() {
                let not_better = scores.partition_point(|s| s <= score);
                request.answer(scores.len() - not_better);
            }
        });
        // All new scores are entered at once; the answers count the scores.
        let before = self.scores.len();
        let new = batch.iter_mut().filter(|request| !request.is_answered());
        self.scores
            .extend(new.map(|request| match request.take_op() {
                Op::Enter(score) | Op::Rank(score) => score,
            }));
        if self.scores.len() > before {
            self.scores.par_sort(); // merges two ascending runs
        }
        let entered = batch.iter_mut().filter(|request| !request.is_answered());
        for (i, request) in entered.enumerate() {
            request.answer(before + i + 1);
        }
    }
}

// 3. A type for each operation, so that each answer has its own type.
struct Enter(u64);

impl Operation<Leaderboard> for Enter {
    type Answer = usize;
    fn into_op(self) -> Op {
        Op::Enter(self.0)
    }
    fn answer(total: usize) -> usize {
        total
    }
}

struct Rank(u64);

impl Operation<Leaderboard> for Rank {
    type Answer = usize;
    fn into_op(self) -> Op {
        Op::Rank(self.0)
    }
    fn answer(better: usize) -> usize {
        better
    }
}

fn main() {
    let board = Batched::new(Leaderboard::default());
    (0..1000_u64).into_par_iter().for_each(|i| {
        board.apply(Enter(i * 7 % 1000));
    });
    assert_eq!(board.apply(Rank(989)), 10);
    println!("ten of a thousand scores are better than 989");
}

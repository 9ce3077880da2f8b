//! The structure that the tests use.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering::SeqCst},
};
use sumac_batch::{BatchedStructure, Operation, Request};
use sumac_core::Scope;

/// A sum, and what it is told to do besides.
#[derive(Debug, Default)]
pub(crate) struct Probe {
    pub(crate) sum: i64,
    /// How many batches there have been.
    pub(crate) batches: usize,
    /// How many batches run at the moment.
    pub(crate) inside: Arc<AtomicUsize>,
}

pub(crate) type Act = Box<dyn FnOnce(&mut Probe, &mut Scope<'_>) -> i64 + Send>;

pub(crate) enum Op {
    Add(i64),
    Act(Act),
    /// Left without an answer.
    Skip,
}

/// Adds; the answer is the sum before.
#[derive(Clone, Copy)]
pub(crate) struct Add(pub(crate) i64);

impl Operation<Probe> for Add {
    type Answer = i64;
    fn into_op(self) -> Op {
        Op::Add(self.0)
    }
    fn answer(answer: i64) -> i64 {
        answer
    }
}

/// Does something with the structure, in its batch.
pub(crate) fn act(
    f: impl FnOnce(&mut Probe, &mut Scope<'_>) -> i64 + Send + 'static,
) -> impl Operation<Probe, Answer = i64> {
    sumac_batch::Plain(Op::Act(Box::new(f)))
}

impl BatchedStructure for Probe {
    type Op = Op;
    type Answer = i64;

    fn run(&mut self, scope: &mut Scope<'_>, batch: &mut [Request<Op, i64>]) {
        assert_eq!(self.inside.fetch_add(1, SeqCst), 0, "one batch at a time");
        let inside = Arc::clone(&self.inside);
        let _leave = Leave(inside);
        self.batches += 1;
        // Any order will do.
        batch.reverse();
        for request in batch {
            match request.take_op() {
                Op::Add(n) => {
                    request.answer(self.sum);
                    self.sum += n;
                }
                Op::Act(act) => {
                    let answer = act(self, scope);
                    request.answer(answer);
                }
                Op::Skip => {}
            }
        }
    }
}

struct Leave(Arc<AtomicUsize>);

impl Drop for Leave {
    fn drop(&mut self) {
        self.0.fetch_sub(1, SeqCst);
    }
}

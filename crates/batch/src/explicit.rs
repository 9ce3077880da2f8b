//! Explicit batches: operations that are known all at once.

use crate::{
    error::BatchError,
    structure::{BatchedStructure, Request},
};
use sumac_core::{HelperGroup, PoolRef};
use sumac_par::prelude::*;

/// Creates a batch.
pub(crate) fn requests<T: Send, O: Send, A: Send>(
    operations: Vec<T>,
    into_op: impl Fn(T) -> O + Send + Sync,
) -> Vec<Request<O, A>> {
    let numbered = operations.into_par_iter().enumerate();
    numbered
        .map(|(index, operation)| Request::new(into_op(operation), index))
        .collect()
}

/// Returns the answers of a batch, which is in any order, in the order of its operations.
///
/// One thread does this: it is a tenth of the work of a batch of a map. Several threads would have
/// to claim each place, which took two of them twice as long. The batch uses the most memory here:
/// it is reused for the answers (std collects in place), and the rest is freed.
pub(crate) fn answers<O, A, B>(
    batch: Vec<Request<O, A>>,
    answer: impl Fn(A) -> B,
) -> Result<Vec<B>, BatchError> {
    let len = batch.len();
    let numbered = batch.into_iter().filter_map(|mut request| {
        let there = request.take_answer()?;
        Some((request.index(), answer(there)))
    });
    let mut numbered: Vec<(usize, B)> = numbered.collect();
    numbered.shrink_to_fit();
    let mut places: Vec<Option<B>> = (0..len).map(|_| None).collect();
    for (index, answer) in numbered {
        if let Some(place) = places.get_mut(index) {
            *place = Some(answer);
        }
    }
    let answers: Option<Vec<B>> = places.into_iter().collect();
    answers.ok_or_else(BatchError::unanswered)
}

/// Runs one batch on a structure that is not shared, and returns the answers in the order of the
/// operations. For tests of structures, and for programs that have all operations at once.
///
/// # Examples
///
/// ```
/// use sumac::batch::{Counter, CounterOp, run_alone};
///
/// let mut counter = Counter::new(5);
/// assert_eq!(run_alone(&mut counter, vec![CounterOp::Add(1), CounterOp::Get]), [5, 6]);
/// ```
///
/// # Panics
/// If the structure panics, or leaves a request without an answer.
#[track_caller]
pub fn run_alone<D: BatchedStructure>(structure: &mut D, ops: Vec<D::Op>) -> Vec<D::Answer> {
    let mut batch = requests(ops, |op| op);
    HelperGroup::new(&PoolRef::current()).lead(|scope| structure.run(scope, &mut batch));
    match answers(batch, |answer| answer) {
        Ok(answers) => answers,
        Err(error) => error.throw(),
    }
}

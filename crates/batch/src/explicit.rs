//! Explicit batches: operations that are there all at once. Everything around the batch is done in
//! parallel, too.

use crate::{
    error::BatchError,
    primitive::lock,
    structure::{BatchedStructure, Request},
};
use std::sync::{Mutex, PoisonError};
use sumac_core::{HelperGroup, PoolRef};
use sumac_par::prelude::*;

/// Makes a batch.
pub(crate) fn requests<T: Send, O: Send, A: Send>(
    operations: Vec<T>,
    into_op: impl Fn(T) -> O + Send + Sync,
) -> Vec<Request<O, A>> {
    let numbered = operations.into_par_iter().enumerate();
    numbered
        .map(|(index, operation)| Request::new(into_op(operation), index))
        .collect()
}

/// So many requests at least are taken apart together.
const PART: usize = if cfg!(miri) { 8 } else { 1 << 12 };

/// The answers of a batch, which comes back in any order, in that of its operations.
///
/// The batch is the largest thing here. So it is taken apart from its end, and its memory is given
/// back on the way: no more than the batch is there at any time.
pub(crate) fn answers<O: Send, A: Send, B: Send>(
    mut batch: Vec<Request<O, A>>,
    answer: impl Fn(A) -> B + Send + Sync,
) -> Result<Vec<B>, BatchError> {
    let len = batch.len();
    let numbered = |mut request: Request<O, A>| {
        let there = request.take_answer()?;
        Some((request.index(), answer(there)))
    };
    let mut parts: Vec<Vec<Option<(usize, B)>>> = Vec::new();
    while !batch.is_empty() {
        let begin = batch.len().saturating_sub(PART.max(len / 16));
        parts.push(batch.par_drain(begin..).map(numbered).collect());
        batch.shrink_to_fit();
    }
    let places = (0..len).into_par_iter();
    let places: Vec<Mutex<Option<B>>> = places.map(|_| Mutex::default()).collect();
    let place = |numbered: Option<(usize, B)>| {
        let there = numbered.and_then(|(index, answer)| Some((places.get(index)?, answer)));
        let new = there.is_some_and(|(place, answer)| lock(place).replace(answer).is_none());
        usize::from(new)
    };
    let answered = parts
        .into_iter()
        .map(|part| part.into_par_iter().map(place).sum::<usize>());
    if answered.sum::<usize>() < len {
        return Err(BatchError::unanswered());
    }
    let answers = places.into_par_iter().map(|place| {
        let there = place.into_inner().unwrap_or_else(PoisonError::into_inner);
        there.expect("all places have answers")
    });
    Ok(answers.collect())
}

/// Runs one batch on a structure that is not shared: for tests of structures, and for programs that
/// have all their operations at once and share with no other thread. Returns the answers in the
/// order of the operations.
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
/// If the structure does, or leaves a request without an answer.
#[track_caller]
pub fn run_alone<D: BatchedStructure>(structure: &mut D, ops: Vec<D::Op>) -> Vec<D::Answer> {
    let mut batch = requests(ops, |op| op);
    HelperGroup::new(&PoolRef::current()).lead(|scope| structure.run(scope, &mut batch));
    match answers(batch, |answer| answer) {
        Ok(answers) => answers,
        Err(error) => error.throw(),
    }
}

//! The end of a batch: its requests are answered, in parallel.

use crate::{
    error::{BatchError, Failure, Outcome},
    protocol::{
        gate::Answering,
        record::{Waiter, wake_all},
    },
    structure::Request,
};
use sumac_core::swallow;
use sumac_par::prelude::*;

/// Fewer requests than this are answered one after another.
const MANY: usize = 32;

pub(crate) fn for_each_index(len: usize, f: impl Fn(usize) + Send + Sync) {
    if len < MANY {
        (0..len).for_each(f);
    } else {
        (0..len).into_par_iter().for_each(f);
    }
}

/// Answers the requests of a batch that has been run. Its operations are dropped before their
/// callers go on. Afterwards the requests are empty, even if the structure has swapped them with
/// others. Wakes their owners; with `later`, adds them to `answered` instead.
pub(crate) fn answer_all<O: Send, A: Send>(
    answering: &Answering<'_, Outcome<A>>,
    batch: &mut [Request<O, A>],
    result: &Result<(), Failure>,
    later: bool,
    answered: &mut Vec<Waiter>,
) {
    let answer = |request: &mut Request<O, A>| {
        swallow(|| request.drop_op());
        let index = request.index();
        let mut answer = request.take_answer();
        if result.is_err() {
            // Now, since no user's destructor may run while an owner is being answered.
            swallow(|| answer = None);
        }
        // Only the drop of an unused answer can panic.
        let mut waiter = None;
        swallow(|| {
            waiter = answering.answer(index, || match result {
                Ok(()) => answer.ok_or_else(BatchError::unanswered),
                Err(failure) => Err(failure.error()),
            });
        });
        if later {
            return waiter;
        }
        wake_all(waiter);
        None
    };
    if batch.len() < MANY {
        answered.extend(batch.iter_mut().filter_map(answer));
    } else {
        answered.par_extend(batch.par_iter_mut().filter_map(answer));
    }
}

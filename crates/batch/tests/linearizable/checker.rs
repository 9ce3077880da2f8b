//! Whether a history of concurrent operations could have been sequential.
//!
//! A history is *linearizable* (Herlihy and Wing 1990) if its operations can be put in one order in
//! which they have the answers that they had, and in which those that had ended before others began
//! come before these. The search for such an order is that of Wing and Gong 1993: try each
//! operation that may come first, and go on with what is left. It remembers which sets of
//! operations have led to which states without success (Lowe 2017), since what else led there does
//! not matter.

use std::{collections::HashSet, fmt, hash::Hash};

/// What operations do one by one.
pub(crate) trait Spec {
    type State: Clone + Hash + Eq;
    type Op: fmt::Debug;
    type Answer: PartialEq + fmt::Debug;

    /// The state after an operation, and its answer.
    fn step(state: &Self::State, op: &Self::Op) -> (Self::State, Self::Answer);
}

/// An operation of a history.
#[derive(Clone)]
pub(crate) struct Event<O, A> {
    pub(crate) op: O,
    /// `None` if no caller waited for it. It may have been carried out at any time since then, or
    /// not at all.
    pub(crate) answer: Option<A>,
    /// When it was called. No two times of a history are the same.
    pub(crate) start: usize,
    /// When it returned; without meaning if there is no answer.
    pub(crate) end: usize,
}

pub(crate) type History<S> = Vec<Event<<S as Spec>::Op, <S as Spec>::Answer>>;

impl<O: fmt::Debug, A: fmt::Debug> fmt::Debug for Event<O, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.answer {
            Some(answer) => write!(
                f,
                "{:3}..{:<3} {:?} -> {answer:?}",
                self.start, self.end, self.op
            ),
            None => write!(f, "{:3}..    {:?}", self.start, self.op),
        }
    }
}

/// An order of the operations, as indices, that explains the history; those that are not in it have
/// not been carried out.
pub(crate) fn linearization<S: Spec>(
    initial: &S::State,
    history: &History<S>,
) -> Option<Vec<usize>> {
    assert!(history.len() <= 64, "sets of operations are words");
    let mut candidates: Vec<usize> = (0..history.len()).collect();
    candidates.sort_by_key(|&i| (history[i].answer.is_none(), history[i].end));
    let mut search = Search::<S> {
        history,
        candidates,
        answered: returned(history, usize::MAX),
        earlier: history
            .iter()
            .map(|event| returned(history, event.start))
            .collect(),
        seen: HashSet::new(),
        order: Vec::new(),
    };
    search.go(0, initial.clone()).then_some(search.order)
}

/// Those that had returned before a time.
fn returned<O, A>(history: &[Event<O, A>], time: usize) -> u64 {
    let mut set = 0;
    for (i, event) in history.iter().enumerate() {
        if event.answer.is_some() && event.end < time {
            set |= 1 << i;
        }
    }
    set
}

struct Search<'h, S: Spec> {
    history: &'h History<S>,
    /// What to try first: those that ended first; last of all, those that need not be carried out.
    candidates: Vec<usize>,
    /// Those that must be carried out.
    answered: u64,
    /// For each, those that had ended before it was called.
    earlier: Vec<u64>,
    /// What has been tried: sets of operations, and the states that they led to.
    seen: HashSet<(u64, S::State)>,
    order: Vec<usize>,
}

impl<S: Spec> Search<'_, S> {
    /// Goes on in a state that the operations of `done` have led to.
    fn go(&mut self, done: u64, state: S::State) -> bool {
        if self.answered & !done == 0 {
            return true;
        }
        for place in 0..self.candidates.len() {
            let i = self.candidates[place];
            let event = &self.history[i];
            if done & 1 << i != 0 || self.earlier[i] & !done != 0 {
                continue;
            }
            let (next, answer) = S::step(&state, &event.op);
            if event.answer.as_ref().is_some_and(|given| *given != answer) {
                continue;
            }
            let done = done | 1 << i;
            if !self.seen.insert((done, next.clone())) {
                continue;
            }
            self.order.push(i);
            if self.go(done, next) {
                return true;
            }
            self.order.pop();
        }
        false
    }
}

//! What a batched structure has to be: `BatchedStructure`, and the requests that its batches
//! consist of.

use std::mem;
#[cfg(not(loom))]
use sumac_core::Scope;

/// A data structure that carries out operations in batches.
///
/// Its author writes one function, [`run`](Self::run), that has the structure to itself: no locks,
/// no atomics, no other thread. [`Batched`](crate::Batched) lets any number of tasks and threads
/// call single operations.
///
/// # Examples
///
/// ```
/// use sumac::batch::{Batched, BatchedStructure, Plain, Request};
/// use sumac::Scope;
///
/// #[derive(Default)]
/// struct Log(Vec<String>);
///
/// impl BatchedStructure for Log {
///     type Op = String;
///     type Answer = usize;
///
///     fn run(&mut self, _: &mut Scope<'_>, batch: &mut [Request<String, usize>]) {
///         for request in batch {
///             self.0.push(request.take_op());
///             request.answer(self.0.len() - 1);
///         }
///     }
/// }
///
/// let log = Batched::new(Log::default());
/// assert_eq!(log.apply(Plain("first".to_string())), 0);
/// assert_eq!(log.apply(Plain("second".to_string())), 1);
/// ```
#[cfg(not(loom))]
pub trait BatchedStructure: Send {
    /// An operation, with its arguments: an enum if there are several kinds.
    type Op: Send;

    /// The answer to an operation: an enum if the kinds have different ones. Callers see the typed
    /// answer of their own [`Operation`].
    type Answer: Send;

    /// Which operations only look at the structure. Where no batch runs, any number of them are
    /// carried out side by side, by their callers, and form no batch. None do unless this is
    /// overridden.
    const READS: Option<Reads<Self>> = None;

    /// Carries out a *batch operation*: answers every request of the batch.
    ///
    /// All operations of a batch are concurrent: it may carry them out in any order, and permute
    /// the requests as it likes (sort them, for example). What the requests' answers say must be
    /// possible in *some* order; then the whole is linearizable.
    ///
    /// It may fork with the scope, with plain joins and with parallel loops. A thread that waits
    /// for this structure helps with that.
    ///
    /// # Panics
    /// A panic goes to the callers of this batch and poisons the structure; so does a request left
    /// without an answer for its caller, without poisoning.
    fn run(&mut self, scope: &mut Scope<'_>, batch: &mut [Request<Self::Op, Self::Answer>]);

    /// Carries out an operation that has met no other, as a batch of one: for structures that can
    /// do that faster than [`run`](Self::run) does.
    ///
    /// It should not fork: no caller that waits could help. And what it forks must not use the
    /// structure itself: on another thread that is not noticed, and waits for ever
    /// ([`Batched`](crate::Batched#deadlocks)). An operation that needs to fork is left to `run`.
    ///
    /// # Errors
    /// The operation, if it is to be carried out by `run` after all: that is what it does unless it
    /// is overridden.
    ///
    /// # Panics
    /// As `run`.
    #[inline]
    fn run_one(&mut self, op: Self::Op) -> Result<Self::Answer, Self::Op> {
        Err(op)
    }
}

/// Which operations only look at a structure, and how they are answered:
/// [`BatchedStructure::READS`].
///
/// # Examples
///
/// ```
/// use sumac::batch::{Batched, BatchedStructure, Plain, Reads, Request};
/// use sumac::Scope;
///
/// /// The greatest number so far.
/// struct Record(u64);
///
/// enum RecordOp { Enter(u64), Look }
///
/// impl BatchedStructure for Record {
///     type Op = RecordOp;
///     type Answer = u64;
///
///     const READS: Option<Reads<Self>> =
///         Some(Reads::new(|op| matches!(op, RecordOp::Look), |record, _| record.0));
///
///     fn run(&mut self, _: &mut Scope<'_>, batch: &mut [Request<RecordOp, u64>]) {
///         for request in batch {
///             if let RecordOp::Enter(number) = request.take_op() {
///                 self.0 = self.0.max(number);
///             }
///             request.answer(self.0);
///         }
///     }
/// }
///
/// let record = Batched::new(Record(0));
/// assert_eq!(record.apply(Plain(RecordOp::Enter(7))), 7);
/// assert_eq!(record.apply(Plain(RecordOp::Look)), 7); // beside others that look
/// ```
#[cfg(not(loom))]
pub struct Reads<D: BatchedStructure + ?Sized> {
    pub(crate) looks: fn(&D::Op) -> bool,
    pub(crate) answer: fn(&D, D::Op) -> D::Answer,
}

#[cfg(not(loom))]
impl<D: BatchedStructure + Sync> Reads<D> {
    /// `looks` says whether an operation only looks, and `answer` carries such a one out. Neither
    /// should block or fork, and neither may use its own [`Batched`](crate::Batched), which panics.
    /// A panic in `answer` poisons the structure, as one in `run` does. `run` must carry out these
    /// operations, too: in batches of others.
    pub const fn new(looks: fn(&D::Op) -> bool, answer: fn(&D, D::Op) -> D::Answer) -> Self {
        Reads { looks, answer }
    }
}

#[cfg(not(loom))]
impl<D: BatchedStructure + ?Sized> std::fmt::Debug for Reads<D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reads").finish_non_exhaustive()
    }
}

/// One kind of operation on `D`, with the type of its own answer: what callers pass to
/// [`Batched::apply`](crate::Batched::apply).
///
/// # Examples
///
/// ```
/// use sumac::batch::{BatchedStructure, Operation, Request};
/// # use sumac::Scope;
/// # struct Log(Vec<String>);
/// # enum LogOp { Append(String), Line(usize) }
/// # enum LogAnswer { Number(usize), Line(Option<String>) }
/// # impl BatchedStructure for Log {
/// #     type Op = LogOp;
/// #     type Answer = LogAnswer;
/// #     fn run(&mut self, _: &mut Scope<'_>, _: &mut [Request<LogOp, LogAnswer>]) {}
/// # }
/// /// Appends a line and returns its number.
/// struct Append(String);
///
/// impl Operation<Log> for Append {
///     type Answer = usize;
///
///     fn into_op(self) -> LogOp {
///         LogOp::Append(self.0)
///     }
///
///     fn answer(answer: LogAnswer) -> usize {
///         match answer {
///             LogAnswer::Number(number) => number,
///             _ => unreachable!("lines are appended with numbers"),
///         }
///     }
/// }
/// ```
#[cfg(not(loom))]
pub trait Operation<D: BatchedStructure>: Send {
    /// What the caller gets.
    type Answer;

    /// The operation as the structure knows it.
    fn into_op(self) -> D::Op;

    /// Takes the caller's answer out of the structure's.
    ///
    /// # Panics
    /// If the structure has answered an operation of this kind with an answer of another.
    fn answer(answer: D::Answer) -> Self::Answer;
}

/// An operation as the structure knows it, and its answer as the structure gives it: for mixed
/// batches, and structures with one kind of operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plain<O>(pub O);

#[cfg(not(loom))]
impl<D: BatchedStructure> Operation<D> for Plain<D::Op> {
    type Answer = D::Answer;

    fn into_op(self) -> D::Op {
        self.0
    }

    fn answer(answer: D::Answer) -> D::Answer {
        answer
    }
}

/// An operation that waits for its answer: an operation record, as a structure sees it.
///
/// It has either its operation or its answer: batches are moved and sorted, and may be large. A
/// batch may permute its requests: each remembers whose it is.
#[derive(Debug)]
pub struct Request<O, A> {
    state: State<O, A>,
    /// Where in its batch it was, before it was permuted.
    index: usize,
}

#[derive(Debug)]
enum State<O, A> {
    Op(O),
    Empty,
    Answer(A),
}

/// An operation is there until it is taken or answered.
const TAKEN: &str = "the operation has been taken out of its request, or answered";

impl<O, A> Request<O, A> {
    pub(crate) fn new(op: O, index: usize) -> Self {
        let state = State::Op(op);
        Request { state, index }
    }

    /// Returns the operation.
    ///
    /// # Panics
    /// If it has been taken or answered.
    #[inline]
    pub fn op(&self) -> &O {
        match &self.state {
            State::Op(op) => op,
            _ => panic!("{TAKEN}"),
        }
    }

    /// Takes the operation, to move its arguments into the structure.
    ///
    /// # Panics
    /// If it has been taken or answered before.
    #[inline]
    pub fn take_op(&mut self) -> O {
        assert!(matches!(self.state, State::Op(_)), "{TAKEN}");
        match mem::replace(&mut self.state, State::Empty) {
            State::Op(op) => op,
            _ => unreachable!("it has an operation"),
        }
    }

    /// Answers the request, and drops its operation if that is still there. A later answer replaces
    /// an earlier one.
    #[inline]
    pub fn answer(&mut self, answer: A) {
        self.state = State::Answer(answer);
    }

    /// Returns whether the request has been answered.
    pub fn is_answered(&self) -> bool {
        matches!(self.state, State::Answer(_))
    }

    /// Returns the place of the request in the order of arrival of its batch.
    #[inline]
    pub fn index(&self) -> usize {
        self.index
    }

    pub(crate) fn set_index(&mut self, index: usize) {
        self.index = index;
    }

    /// Drops the operation, if it is still there.
    pub(crate) fn drop_op(&mut self) {
        if let State::Op(_) = self.state {
            self.state = State::Empty;
        }
    }

    pub(crate) fn take_answer(&mut self) -> Option<A> {
        if !self.is_answered() {
            return None;
        }
        match mem::replace(&mut self.state, State::Empty) {
            State::Answer(answer) => Some(answer),
            _ => unreachable!("it is answered"),
        }
    }
}

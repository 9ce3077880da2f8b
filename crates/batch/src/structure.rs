//! `BatchedStructure`, the trait of batched structures, and the requests of their batches.

use std::mem;
#[cfg(not(loom))]
use sumac_core::Scope;

/// A data structure that carries out operations in batches.
///
/// Implement one function, [`run`](Self::run), which has exclusive access to the structure: no
/// locks, no atomics, no other thread. [`Batched`](crate::Batched) lets any number of tasks and
/// threads call single operations.
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
    /// An operation with its arguments: an enum if there are several kinds.
    type Op: Send;

    /// The answer to an operation: an enum if the kinds have different answers. Callers see the
    /// typed answer of their own [`Operation`].
    type Answer: Send;

    /// The operations that only read the structure. While no batch runs, any number of them run
    /// concurrently, on their callers, and form no batch. By default there are none.
    const READS: Option<Reads<Self>> = None;

    /// Carries out a *batch operation*: answers every request of the batch.
    ///
    /// All operations of a batch are concurrent: it may carry them out in any order, and permute
    /// the requests (sort them, for example). The answers must be possible in *some* order; then
    /// the structure is linearizable.
    ///
    /// It may fork with the scope, with plain joins and with parallel loops. Threads that wait for
    /// this structure help.
    ///
    /// # Panics
    /// A panic goes to the callers of this batch and poisons the structure. A request without an
    /// answer makes its caller panic, without poisoning.
    fn run(&mut self, scope: &mut Scope<'_>, batch: &mut [Request<Self::Op, Self::Answer>]);

    /// Carries out a single operation, as a batch of one: for structures that do this faster than
    /// [`run`](Self::run). It is called for an operation that finds the structure free, also for
    /// one that would be awaited: where operations gain more from a batch than they lose by
    /// waiting for it, leave them to `run`.
    ///
    /// It should not fork, since no waiting caller can help; leave an operation that needs to fork
    /// to `run`. Forked work must not use the structure itself: on another thread that is not
    /// detected, and waits for ever ([`Batched`](crate::Batched#deadlocks)).
    ///
    /// # Errors
    /// To leave the operation to `run`, return it as an error. This is the default.
    ///
    /// # Panics
    /// As `run`.
    #[inline]
    fn run_one(&mut self, op: Self::Op) -> Result<Self::Answer, Self::Op> {
        Err(op)
    }
}

/// The operations that only read a structure, and how they are answered:
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
/// assert_eq!(record.apply(Plain(RecordOp::Look)), 7); // concurrent with other reads
/// ```
#[cfg(not(loom))]
pub struct Reads<D: BatchedStructure + ?Sized> {
    pub(crate) looks: fn(&D::Op) -> bool,
    pub(crate) answer: fn(&D, D::Op) -> D::Answer,
}

#[cfg(not(loom))]
impl<D: BatchedStructure + Sync> Reads<D> {
    /// Creates it: `looks` returns whether an operation only reads, and `answer` carries it out.
    /// Neither should block or fork, and neither may use its own [`Batched`](crate::Batched), which
    /// panics. A panic in `answer` poisons the structure, as one in `run` does. `run` must carry
    /// out these operations, too, when they are part of a batch.
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

/// One kind of operation on `D`, with its own type of answer: the argument of
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
    /// The type of the caller's answer.
    type Answer;

    /// Converts into the structure's type of operations.
    fn into_op(self) -> D::Op;

    /// Converts the structure's answer to the caller's.
    ///
    /// # Panics
    /// If the structure has answered with an answer to another kind of operation.
    fn answer(answer: D::Answer) -> Self::Answer;
}

/// An operation and its answer of the structure's own types: for mixed batches, and for structures
/// with one kind of operation.
///
/// ```
/// use sumac::batch::{Batched, MapAnswer, MapOp, Plain, Tree};
///
/// let map = Batched::new(Tree::new());
/// let ops = vec![Plain(MapOp::Insert(1, "one")), Plain(MapOp::Len)];
/// let answers: Vec<MapAnswer<_, _>> = map.apply_all(ops);
/// assert_eq!(answers.len(), 2);
/// ```
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

/// An operation that waits for its answer, as an element of a batch.
///
/// It contains either its operation or its answer, since batches are moved and sorted, and may be
/// large. A batch may permute its requests: each knows its caller.
///
/// ```
/// use sumac::batch::{BatchedStructure, Request, run_alone};
/// use sumac::Scope;
///
/// /// A stack of which a batch pushes in order of arrival.
/// struct Stack(Vec<u32>);
///
/// impl BatchedStructure for Stack {
///     type Op = u32;
///     type Answer = usize;
///
///     fn run(&mut self, _: &mut Scope<'_>, batch: &mut [Request<u32, usize>]) {
///         batch.sort_by_key(|request| *request.op()); // any order
///         batch.sort_by_key(|request| request.index()); // the order of arrival
///         for request in batch {
///             self.0.push(request.take_op());
///             request.answer(self.0.len());
///             assert!(request.is_answered());
///         }
///     }
/// }
///
/// let mut stack = Stack(vec![]);
/// assert_eq!(run_alone(&mut stack, vec![7, 5, 6]), [1, 2, 3]);
/// assert_eq!(stack.0, [7, 5, 6]);
/// ```
#[derive(Debug)]
pub struct Request<O, A> {
    state: State<O, A>,
    /// Its place in its batch before any permutation.
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

    /// Answers the request, and drops its operation if it is still there. A later answer replaces
    /// an earlier one.
    #[inline]
    pub fn answer(&mut self, answer: A) {
        self.state = State::Answer(answer);
    }

    /// Returns whether the request has been answered.
    pub fn is_answered(&self) -> bool {
        matches!(self.state, State::Answer(_))
    }

    /// Returns the index of the request in the order of arrival of its batch.
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

//! `Batched`: what callers see.

use crate::{
    error::BatchError,
    explicit,
    protocol::{
        lead::Core,
        stats::BatchStats,
        submit::{Submit, TrySubmit},
    },
    structure::{BatchedStructure, Operation},
};
use std::{
    fmt,
    panic::{RefUnwindSafe, UnwindSafe},
    sync::{Arc, PoisonError, atomic::Ordering},
};
use sumac_core::{PoolRef, Scope, ThreadPool};

/// A data structure that any number of tasks and threads use, each as if alone.
///
/// Callers call single operations. One that meets no other is carried out at once; those that
/// arrive while a batch runs form the next one, which one of the callers runs for all. Operations
/// that only look ([`BatchedStructure::READS`]) go side by side where no batch runs. Otherwise the
/// structure itself never sees concurrency (see [`BatchedStructure`]), and works on a batch in
/// parallel: idle workers and callers that wait help with it. The operations are linearizable: each
/// takes effect at one moment between its call and its return. (*Implicit batching*: Agrawal et
/// al., "Provably good scheduling for parallel programs that use data structures through implicit
/// batching", SPAA 2014.)
///
/// It pays where operations are expensive (cache misses, comparisons, parallel work inside of one)
/// and many are under way at once. For a mere counter, an atomic is faster.
///
/// # Examples
///
/// ```
/// use sumac::batch::{Batched, Get, Insert, Tree};
///
/// let map = Batched::new(Tree::new());
/// std::thread::scope(|s| {
///     for i in 0..4 {
///         let map = &map;
///         s.spawn(move || map.apply(Insert(i, i * i)));
///     }
/// });
/// assert_eq!(map.apply(Get(3)), Some(9));
/// ```
///
/// # Deadlocks
/// A batch that uses its own structure would wait for itself. That is noticed, and panics (the
/// `try_` methods, too), where it does so
/// * on the thread that carries it out, always: also in destructors, comparisons, clones and
///   wakers, and where an operation only looks;
/// * in what [`BatchedStructure::run`] and closures of [`with_mut`](Self::with_mut) fork: in halves
///   of joins, in parts of parallel loops, in tasks of scopes, and in spawned tasks that the batch
///   has begun to wait for. All operations of [`apply_all`](Self::apply_all) and all that met
///   others go through `run`, and single ones do unless the structure has a
///   [`run_one`](BatchedStructure::run_one) for them.
///
/// It is not noticed, and waits for ever, as locking a mutex twice does,
/// * on other threads, in what a `run_one` or a read forks or waits for, which should do neither (a
///   worker may wait for a read, so one that waits for its pool's end waits for itself), and in
///   what a closure of [`Combining`](crate::Combining) forks;
/// * in a spawned task that uses the structure first, and that the batch waits for afterwards; on
///   threads that are not the pool's and that the batch waits for.
///
/// Two structures whose batches use each other may wait for each other, like two locks.
pub struct Batched<D: BatchedStructure> {
    pub(crate) core: Arc<Core<D>>,
}

impl<D: BatchedStructure> Batched<D> {
    /// Takes a structure whose batches run in the current pool: that of the innermost
    /// [`install`](ThreadPool::install), or the global one.
    ///
    /// # Examples
    ///
    /// ```
    /// use sumac::batch::{Batched, Counter};
    ///
    /// let counter = Batched::new(Counter::new(3));
    /// assert_eq!(counter.into_inner().map(|c| c.value()).ok(), Some(3));
    /// ```
    pub fn new(structure: D) -> Self {
        Batched {
            core: Core::new(structure, PoolRef::current()),
        }
    }

    /// Takes a structure whose batches run in this pool.
    ///
    /// # Examples
    ///
    /// ```
    /// use sumac::{ThreadPoolBuilder, batch::{Add, Batched, Counter}};
    ///
    /// let pool = ThreadPoolBuilder::new().num_threads(2).build()?;
    /// let counter = Batched::new_in(&pool, Counter::new(5));
    /// assert_eq!(counter.apply(Add(1)), 5);
    /// # Ok::<(), sumac::ThreadPoolBuildError>(())
    /// ```
    pub fn new_in(pool: &ThreadPool, structure: D) -> Self {
        Batched {
            core: Core::new(structure, PoolRef::of(pool)),
        }
    }

    /// Sets the size of the largest batch: what arrives beyond that is in the one after. Without it
    /// there is no limit. It does not apply to [`apply_all`](Self::apply_all).
    ///
    /// # Examples
    ///
    /// ```
    /// use sumac::batch::{Batched, Counter};
    /// let counter = Batched::new(Counter::new(0)).with_batch_limit(128);
    /// # drop(counter);
    /// ```
    ///
    /// # Panics
    /// If it is 0.
    #[must_use]
    pub fn with_batch_limit(self, limit: usize) -> Self {
        assert!(limit > 0, "a batch has at least one operation");
        self.core.limit.store(limit, Ordering::Relaxed);
        self
    }

    /// Carries out an operation and returns its answer. The caller blocks; a worker helps with this
    /// structure's batches meanwhile, and with nothing else.
    ///
    /// # Examples
    ///
    /// ```
    /// use sumac::batch::{Add, Batched, Counter, Read};
    ///
    /// let counter = Batched::new(Counter::new(0));
    /// sumac::join(|| counter.apply(Add(2)), || counter.apply(Add(3)));
    /// assert_eq!(counter.apply(Read), 5);
    /// ```
    ///
    /// # Cost
    /// Some ten nanoseconds, if no other thread is there, besides what the structure does. No
    /// allocation.
    ///
    /// # Panics
    /// If the operation's batch panics: one of its callers gets the payload, others a panic that
    /// quotes its message. If the structure is poisoned by an earlier panic, or leaves the
    /// operation without an answer. If called in a batch of the same structure, as far as that is
    /// noticed ([deadlocks](Self#deadlocks)).
    #[track_caller]
    pub fn apply<O: Operation<D>>(&self, operation: O) -> O::Answer {
        match self.core.apply(operation.into_op()) {
            Ok(answer) => O::answer(answer),
            Err(error) => error.throw(),
        }
    }

    /// As [`apply`](Self::apply), but returns panics and the like.
    ///
    /// # Examples
    ///
    /// ```
    /// use sumac::batch::{Add, Batched, Counter};
    ///
    /// let counter = Batched::new(Counter::new(0));
    /// assert_eq!(counter.try_apply(Add(2)).ok(), Some(0));
    /// ```
    ///
    /// # Errors
    /// If the operation's batch panics, the structure is poisoned, or it leaves the operation
    /// without an answer.
    ///
    /// # Panics
    /// If called in a batch of the same structure, as [`apply`](Self::apply).
    pub fn try_apply<O: Operation<D>>(&self, operation: O) -> Result<O::Answer, BatchError> {
        self.core.apply(operation.into_op()).map(O::answer)
    }

    /// Carries out all these operations as one batch, in parallel from beginning to end, and
    /// returns their answers in the order of the operations.
    ///
    /// As all operations of a batch are concurrent, the structure chooses their order; the ordered
    /// maps keep that of operations on the same key.
    ///
    /// # Examples
    ///
    /// ```
    /// use sumac::batch::{Batched, Insert, Tree};
    ///
    /// let map = Batched::new(Tree::new());
    /// let before = map.apply_all((0..1000).map(|i| Insert(i % 500, i)).collect());
    /// assert_eq!((before[499], before[500]), (None, Some(0)));
    /// ```
    ///
    /// # Cost
    /// Besides what the structure does and takes, memory for the whole batch until it has been
    /// answered: for each operation, the larger of it and its answer, as the structure knows them,
    /// with up to two words more. Insertions of 64-bit keys and values into an ordered map take 72
    /// to 80 bytes each at most, entries and operations included; 20 to 26 stay, as with single
    /// insertions.
    ///
    /// # Panics
    /// As [`apply`](Self::apply).
    #[track_caller]
    pub fn apply_all<O>(&self, operations: Vec<O>) -> Vec<O::Answer>
    where
        O: Operation<D>,
        O::Answer: Send,
    {
        match self.try_apply_all(operations) {
            Ok(answers) => answers,
            Err(error) => error.throw(),
        }
    }

    /// As [`apply_all`](Self::apply_all), but returns panics and the like.
    ///
    /// # Examples
    ///
    /// ```
    /// use sumac::batch::{Batched, Insert, Tree};
    ///
    /// let map = Batched::new(Tree::new());
    /// let before = map.try_apply_all(vec![Insert(1, "one"), Insert(2, "two")])?;
    /// assert_eq!(before, [None, None]);
    /// # Ok::<(), sumac::batch::BatchError>(())
    /// ```
    ///
    /// # Errors
    /// As [`try_apply`](Self::try_apply).
    ///
    /// # Panics
    /// If called in a batch of the same structure, as [`apply`](Self::apply).
    pub fn try_apply_all<O>(&self, operations: Vec<O>) -> Result<Vec<O::Answer>, BatchError>
    where
        O: Operation<D>,
        O::Answer: Send,
    {
        let mut batch = explicit::requests(operations, O::into_op);
        self.core.exclusively(|structure, scope| {
            self.core.counters.count_batch(batch.len());
            structure.run(scope, &mut batch);
        })?;
        explicit::answers(batch, O::answer)
    }

    /// Calls `f` with the structure, between batches.
    ///
    /// # Examples
    ///
    /// ```
    /// use sumac::batch::{Batched, Insert, Tree};
    ///
    /// let map = Batched::new(Tree::new());
    /// map.apply(Insert("a", 1));
    /// assert_eq!(map.with_mut(|map| map.len()), 1);
    /// ```
    ///
    /// # Panics
    /// If `f` does: then the structure is poisoned. If it is poisoned already. If called in a batch
    /// of the same structure, as [`apply`](Self::apply).
    #[track_caller]
    pub fn with_mut<R>(&self, f: impl FnOnce(&mut D) -> R) -> R {
        match self.try_with_mut(f) {
            Ok(result) => result,
            Err(error) => error.throw(),
        }
    }

    /// As [`with_mut`](Self::with_mut), but returns panics and the like.
    ///
    /// # Examples
    ///
    /// ```
    /// use sumac::batch::{Batched, Tree};
    ///
    /// let map = Batched::new(Tree::from_iter([("a", 1)]));
    /// assert_eq!(map.try_with_mut(|map| map.len()).ok(), Some(1));
    /// let failed = map.try_with_mut(|_| -> () { panic!("half changed") });
    /// assert!(failed.unwrap_err().is_panic());
    /// ```
    ///
    /// # Errors
    /// If `f` panics or the structure is poisoned.
    ///
    /// # Panics
    /// If called in a batch of the same structure, as [`apply`](Self::apply).
    pub fn try_with_mut<R>(&self, f: impl FnOnce(&mut D) -> R) -> Result<R, BatchError> {
        self.core
            .exclusively(|structure, _: &mut Scope<'_>| f(structure))
    }

    /// Returns the structure.
    ///
    /// # Examples
    ///
    /// ```
    /// use sumac::batch::{Add, Batched, Counter};
    ///
    /// let counter = Batched::new(Counter::new(0));
    /// counter.apply(Add(2));
    /// assert_eq!(counter.into_inner().map(|c| c.value()).ok(), Some(2));
    /// ```
    ///
    /// # Errors
    /// If it is poisoned; the error has it, as a mutex's has.
    pub fn into_inner(self) -> Result<D, PoisonError<D>> {
        let structure = self.core.take_structure();
        let structure = structure.expect("only this and the destructor take it out");
        if self.is_poisoned() {
            Err(PoisonError::new(structure))
        } else {
            Ok(structure)
        }
    }

    /// Returns whether a batch has panicked. All operations fail then.
    ///
    /// # Examples
    ///
    /// ```
    /// use sumac::batch::{Batched, Counter};
    ///
    /// let counter = Batched::new(Counter::new(1));
    /// assert!(counter.try_with_mut(|_| -> () { panic!("half changed") }).is_err());
    /// assert!(counter.is_poisoned());
    /// ```
    pub fn is_poisoned(&self) -> bool {
        self.core.poisoned.load(Ordering::Relaxed)
    }

    /// Lets operations through again: the structure is as the panic has left it.
    ///
    /// # Examples
    ///
    /// ```
    /// use sumac::batch::{Add, Batched, Counter, Read};
    ///
    /// let counter = Batched::new(Counter::new(1));
    /// assert!(counter.try_with_mut(|_| -> () { panic!("half changed") }).is_err());
    /// assert!(counter.try_apply(Read).unwrap_err().is_poisoned());
    /// counter.clear_poison();
    /// assert_eq!(counter.apply(Add(2)), 1);
    /// ```
    pub fn clear_poison(&self) {
        self.core.poisoned.store(false, Ordering::Relaxed);
    }

    /// Returns the sizes of batches and the waits, counted since the beginning.
    ///
    /// # Examples
    ///
    /// ```
    /// use sumac::batch::{Add, Batched, Counter};
    ///
    /// let counter = Batched::new(Counter::new(0));
    /// counter.apply(Add(1));
    /// counter.apply_all(vec![Add(1); 100]);
    /// let stats = counter.stats();
    /// assert_eq!((stats.batches, stats.operations, stats.largest), (2, 101, 100));
    /// ```
    pub fn stats(&self) -> BatchStats {
        self.core.counters.read()
    }
}

impl<D: BatchedStructure + 'static> Batched<D> {
    /// Returns a future that carries out an operation and is ready with its answer. It runs on any
    /// executor, and holds no thread while it waits: so thousands of operations may be under way on
    /// a few workers, and batches become large.
    ///
    /// The first poll carries out an operation that finds the structure free, if the structure
    /// needs no batch for it ([`run_one`](BatchedStructure::run_one)); other operations are
    /// entered into a batch. Dropping the future before it is ready is safe: if its batch has not
    /// begun, it is not carried out. A task that has many operations at once may call
    /// [`apply_all`](Self::apply_all), which makes one batch of them.
    ///
    /// # Examples
    ///
    /// ```
    /// use sumac::batch::{Add, Batched, Counter, Read};
    /// use std::{pin::pin, sync::Arc, task::{Context, Poll, Waker}};
    ///
    /// let counter = Batched::new(Counter::new(0));
    /// let mut add = pin!(counter.submit(Add(5)));
    /// while add.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending() {
    ///     std::thread::yield_now(); // an executor would do something else
    /// }
    /// assert_eq!(counter.apply(Read), 5);
    /// # use std::future::Future;
    /// ```
    ///
    /// # Cost
    /// Some ten nanoseconds besides the operation; up to a few microseconds where another thread is
    /// carrying out an operation. If it waits for a batch, also what the executor takes to wake it,
    /// and perhaps an allocation for all that wait with it; else none.
    ///
    /// # Deadlocks
    /// A task of the pool leads the batch, unless another caller does. So where all workers block
    /// on such futures (in a `block_on`, not by awaiting them) they may wait for ever:
    /// [`apply`](Self::apply) is the way to block. Polling may carry out the operation, so what
    /// must not call `apply` must not poll either: a batch of this structure, or one that the
    /// operation uses. Wakers may be called inside of a batch: one that polls at once must not lead
    /// to another operation of this structure.
    ///
    /// # Panics
    /// Polling it does, as [`apply`](Self::apply).
    pub fn submit<O: Operation<D>>(&self, operation: O) -> Submit<'_, D, O> {
        Submit(self.try_submit(operation))
    }

    /// As [`submit`](Self::submit), but the future's value is a `Result` as that of
    /// [`try_apply`](Self::try_apply).
    ///
    /// # Examples
    ///
    /// ```
    /// use sumac::batch::{Add, Batched, Counter};
    ///
    /// let counter = Batched::new(Counter::new(5));
    /// let before = sumac::block_on(counter.try_submit(Add(2)));
    /// assert_eq!(before.ok(), Some(5));
    /// ```
    pub fn try_submit<O: Operation<D>>(&self, operation: O) -> TrySubmit<'_, D, O> {
        TrySubmit::new(&self.core, operation)
    }
}

/// The structure is dropped here, by the thread that drops this; inside of one of its own batches,
/// when that has ended.
impl<D: BatchedStructure> Drop for Batched<D> {
    fn drop(&mut self) {
        if !self.core.is_inside() {
            drop(self.core.take_structure());
        }
    }
}

// A structure that a panic has left half changed is poisoned.
impl<D: BatchedStructure> UnwindSafe for Batched<D> {}
impl<D: BatchedStructure> RefUnwindSafe for Batched<D> {}

impl<D: BatchedStructure + Default> Default for Batched<D> {
    fn default() -> Self {
        Batched::new(D::default())
    }
}

impl<D: BatchedStructure> From<D> for Batched<D> {
    fn from(structure: D) -> Self {
        Batched::new(structure)
    }
}

impl<D: BatchedStructure> fmt::Debug for Batched<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Batched")
            .field("poisoned", &self.is_poisoned())
            .field("stats", &self.stats())
            .finish_non_exhaustive()
    }
}

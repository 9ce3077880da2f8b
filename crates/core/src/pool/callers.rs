//! `Callers`: what threads from outside do in a pool.

/// What threads from outside do in a pool of *n* threads, see [`ThreadPoolBuilder::callers`].
///
/// | | workers | a call costs | threads that work at once |
/// |---|---|---|---|
/// | `TakePart` | *n - 1* | some tens of nanoseconds | *n - 1*, and all callers |
/// | `TakeTurns` | *n - 1* | less than hundred nanoseconds, if no other does | *n* |
/// | `Wait` | *n* | some ten microseconds | *n* |
///
/// In all of them the joins of a [`Scope`] and the batches of structures run where they are called.
///
/// [`ThreadPoolBuilder::callers`]: crate::ThreadPoolBuilder::callers
/// [`Scope`]: crate::Scope
///
/// # Examples
///
/// ```
/// use std::{sync::Mutex, thread};
/// use sumac_core::{Callers, ThreadPoolBuilder, current_thread_index, join};
///
/// let pool = ThreadPoolBuilder::new()
///     .num_threads(2)
///     .callers(Callers::TakeTurns)
///     .build()?;
/// // One for each thread of the pool: never locked by two at once, however many threads call.
/// let own = [Mutex::new(0), Mutex::new(0)];
/// let count = || {
///     let index = current_thread_index().expect("inside of the pool");
///     *own[index].try_lock().expect("another thread has this index") += 1;
/// };
/// thread::scope(|s| {
///     for _ in 0..4 {
///         s.spawn(|| pool.install(|| join(count, count)));
///     }
/// });
/// let [a, b] = own.map(|sum| sum.into_inner().expect("no panic"));
/// assert_eq!(a + b, 8);
/// assert_eq!(current_thread_index(), None);
/// # Ok::<(), sumac_core::ThreadPoolBuildError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Callers {
    /// Any number of them work, each for as long as its call lasts. They have the last index in
    /// common.
    #[default]
    TakePart,
    /// One at a time works, and has the last index as long as its call lasts. The others wait until
    /// threads of the pool have done their work.
    ///
    /// While no caller has that place and there is work for it, one more thread has, which is
    /// started then: the pool runs *n* tasks at once also while no thread calls. A thread that
    /// calls again and again does not keep it out. If the system refuses that thread, callers run
    /// queued tasks when their own call ends, or before they wait. (Then a task that nothing of the
    /// kind follows is not run in a pool without workers.)
    ///
    /// A caller has its place until its call ends, also while it waits for another pool or sleeps,
    /// as a worker does. So in pools of one thread two calls that each call the other's pool may
    /// wait for each other for ever.
    ///
    /// With [`use_current_thread`](crate::ThreadPoolBuilder::use_current_thread) that thread has
    /// the place for good: then it is as `Wait`.
    TakeTurns,
    /// None of them works. So it always is in a pool that was asked for a thread name, a stack
    /// size, a start or an exit handler. A pool that gets no worker at all runs everything on its
    /// callers.
    Wait,
}

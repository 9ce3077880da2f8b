//! `Callers`: whether outside threads take part in a pool's work.

/// Whether outside threads take part in the work of a pool of *n* threads, see
/// [`ThreadPoolBuilder::callers`].
///
/// | | workers | a call costs | threads that work at once |
/// |---|---|---|---|
/// | `TakePart` | *n - 1* | some tens of nanoseconds | *n - 1*, and all callers |
/// | `Wait` | *n* | a microsecond or two, or a wake-up | *n* |
///
/// (Threads that are too many since the pool was [resized](crate::ThreadPool::resize) work until
/// they have ended, and have greater indices.)
///
/// In both cases the joins of a [`Scope`] and the batches of structures run on their caller. A
/// caller that [yields](crate::yield_now) there may run tasks and calls of others.
///
/// [`ThreadPoolBuilder::callers`]: crate::ThreadPoolBuilder::callers
/// [`Scope`]: crate::Scope
///
/// # Examples
///
/// ```
/// use std::{sync::Mutex, thread};
/// use sumac::{Callers, ThreadPoolBuilder, current_thread_index, join};
///
/// let pool = ThreadPoolBuilder::new().num_threads(2).callers(Callers::Wait).build()?;
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
/// # Ok::<(), sumac::ThreadPoolBuildError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Callers {
    /// Any number of callers take part, each for as long as its call lasts. They share the last
    /// index.
    #[default]
    TakePart,
    /// No caller takes part: they hand their work over to the pool's threads, as in rayon. A caller
    /// polls for its result for twenty microseconds, yielding to other threads, and then sleeps;
    /// where other programs keep the processor for long, it sleeps at once.
    ///
    /// A pool that is built with a thread name, a stack size, a start or an exit handler always
    /// does this. If no worker can be started, the pool runs on its callers what they call or join.
    Wait,
}

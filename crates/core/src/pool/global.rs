//! The global pool, which is built at its first use and never dropped; how threads outside of all
//! pools use it, and the calls that are handed over to its threads.

use super::{
    builder::ThreadPoolBuilder, callers::Callers, error::ThreadPoolBuildError,
    thread_pool::ThreadPool,
};
use crate::{
    join::{
        member::{MemberPtr, site::Line},
        scope::Scope,
        thread::Thread,
        word::Local,
    },
    protocol::primitive::meet_no_others,
};
use std::{mem, sync::OnceLock};

static POOL: OnceLock<ThreadPool> = OnceLock::new();

/// Returns the global pool.
///
/// # Panics
/// Never in practice: a pool works without threads, too.
pub(crate) fn pool() -> &'static ThreadPool {
    let as_rayon = cfg!(feature = "as-rayon");
    let callers = if as_rayon {
        Callers::Wait
    } else {
        Callers::default()
    };
    global_or(|| {
        ThreadPoolBuilder::new()
            .callers(callers)
            .newest_first(as_rayon)
            .start_when_needed()
            .build()
            .expect("the default configuration is a valid one")
    })
}

/// Returns the global pool, and builds it by `build` if this is its first use.
///
/// # Panics
/// If `build` panics.
#[inline]
pub fn global_or(build: impl FnOnce() -> ThreadPool) -> &'static ThreadPool {
    meet_no_others();
    POOL.get_or_init(build)
}

/// Returns the global pool, if it has been built.
#[inline]
pub fn built_global() -> Option<&'static ThreadPool> {
    POOL.get()
}

/// Calls `op` on a thread of the global pool if its callers wait and the calling thread is at its
/// base, else here.
///
/// # Cost
/// One comparison for most threads.
#[inline]
pub fn handed_over<R: Send>(op: impl FnOnce() -> R + Send) -> R {
    if is_outside() {
        return elsewhere(op);
    }
    op()
}

/// Does as [`handed_over`], for a call on this line of the program.
pub(crate) fn handed_over_from<R: Send>(line: Line, op: impl FnOnce() -> R + Send) -> R {
    if is_outside() {
        return pool().install_from(Some(line), op);
    }
    op()
}

/// Returns whether the global pool's callers wait and the calling thread is at its base.
#[inline]
pub(crate) fn is_outside() -> bool {
    Local::current().is_asked() && base_hands_over()
}

impl Thread {
    /// Ensures that there is a current context, unless the global pool's callers wait: plain joins
    /// at the base belong to the global pool.
    #[inline]
    pub(crate) fn ensure_base(&self) {
        if !self.has_context() {
            self.join_global();
        }
    }

    #[cold]
    #[inline(never)]
    fn join_global(&self) {
        let global = pool().shared();
        // The pool's own threads have a base; others hand their work over.
        if !global.hands_over() || self.works_in(global) {
            let seat = self.seat_in(global);
            // SAFETY: the global pool, and all its seats, stay for good.
            self.set_base(unsafe { MemberPtr::of(seat.member()).get() });
        }
    }
}

impl Scope<'_> {
    /// Creates a scope on the global pool, which is built at its first use.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut scope = sumac::Scope::global();
    /// let (a, b) = scope.join(|_| 1, |_| 2);
    /// assert_eq!(a + b, 3);
    /// ```
    ///
    /// # Cost
    /// Some tens of nanoseconds; the first call on a thread some microseconds.
    pub fn global() -> Scope<'static> {
        pool().scope()
    }
}

/// Returns whether the calling thread is at its base and hands its work over.
#[cold]
#[inline(never)]
fn base_hands_over() -> bool {
    Thread::current().is_some_and(|thread| {
        thread.ensure_base();
        thread.is_outside()
    })
}

/// Calls `op` on a thread of the global pool. To pass the line of the call would cost each join
/// some instructions.
#[cold]
#[inline(never)]
pub(crate) fn elsewhere<R: Send>(op: impl FnOnce() -> R + Send) -> R {
    let mut handed = Handed::Over(op);
    install(&mut handed);
    match handed {
        Handed::Back(result) => result,
        _ => unreachable!("a panic of the operation goes on in `install`"),
    }
}

/// An operation that another thread calls, or its result. Not a closure, since each loop would
/// compile to several functions of one.
enum Handed<F, R> {
    Over(F),
    Called,
    Back(R),
}

trait Call: Send {
    /// Calls the operation, once.
    fn call(&mut self);
}

impl<F: FnOnce() -> R + Send, R: Send> Call for Handed<F, R> {
    fn call(&mut self) {
        if let Handed::Over(op) = mem::replace(self, Handed::Called) {
            *self = Handed::Back(op());
        }
    }
}

/// Not generic, since each join and loop contains a call.
fn install(op: &mut dyn Call) {
    pool().install_from(None, || op.call());
}

/// Makes `pool` the global pool unless there is one.
pub(crate) fn set(pool: ThreadPool) -> Result<(), ThreadPool> {
    POOL.set(pool)
}

/// Builds the global pool unless there is one.
pub(crate) fn build(
    build: impl FnOnce() -> Result<ThreadPool, ThreadPoolBuildError>,
) -> Result<(), ThreadPoolBuildError> {
    let exists = ThreadPoolBuildError("the global thread pool has already been built".into());
    if built_global().is_some() {
        return Err(exists);
    }
    set(build()?).map_err(|_| exists)
}

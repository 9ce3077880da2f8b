//! The events of a measured thread: where its strands begin and end.
//!
//! A thread is measured while it has an instrument ([`measure_by`]). Then its joins and loops run
//! on it alone, one half after the other. Calls nest: each begin has its end on the same thread, in
//! reverse order, also if user code unwinds.

use crate::unwind::{self, Finally};
use std::{
    any::Any,
    cell::Cell,
    panic::{self, AssertUnwindSafe, RefUnwindSafe, UnwindSafe},
    sync::{Arc, OnceLock},
};

thread_local! {
    static BY: Cell<Option<&'static dyn Measure>> = const { Cell::new(None) };
}

/// An instrument that measures threads. All methods concern the calling thread.
pub trait Measure: Sync {
    /// A join begins, and so does its first half.
    fn forks(&self);

    /// The first half has ended, without a panic, and the second begins.
    fn turns(&self);

    /// The join has ended, or unwinds.
    fn joins(&self);

    /// A loop begins, and its first block.
    fn enters_loop(&self);

    /// A block of the innermost loop has ended, and others may follow.
    fn ends_block(&self);

    /// The loop has ended, and its last block, or it unwinds.
    fn leaves_loop(&self);

    /// The thread waits until the result is dropped, and is not measured meanwhile.
    fn pauses(&self) -> Box<dyn Any>;

    /// The thread spawns a task, whose end is kept in `ends`. `None` if it is not to be measured.
    fn spawns(&self, ends: &Arc<TaskEnds>) -> Option<Begin>;

    /// The thread has waited for tasks.
    fn awaited(&self, ends: &TaskEnds);
}

/// Called at the start of a measured task. The task has ended, or unwinds, when the result is
/// dropped.
pub type Begin = Box<dyn FnOnce() -> Box<dyn Any> + Send>;

/// Starts or stops measuring the calling thread.
pub fn measure_by(by: Option<&'static dyn Measure>) {
    BY.set(by);
}

/// Returns the instrument of this thread.
#[inline]
pub fn measured() -> Option<&'static dyn Measure> {
    BY.get()
}

/// Calls `f`, which waits for work that is not measured.
pub fn waiting<R>(f: impl FnOnce() -> R) -> R {
    let _paused = pause();
    f()
}

/// The ends of tasks that are waited for together, as the instrument stores them.
#[derive(Debug, Default)]
pub struct TaskEnds(OnceLock<Box<dyn Any + Send + Sync>>);

// Only the instrument reads them, and does not unwind.
impl UnwindSafe for TaskEnds {}
impl RefUnwindSafe for TaskEnds {}

impl TaskEnds {
    /// Returns the stored value if it is a `T`: initially the default.
    pub fn get<T: Any + Send + Sync + Default>(&self) -> Option<&T> {
        self.0.get_or_init(|| Box::new(T::default())).downcast_ref()
    }
}

/// Runs both halves of a join on this thread, which is measured.
pub(crate) fn join<C, A, B, RA, RB>(by: &'static dyn Measure, cx: &mut C, a: A, b: B) -> (RA, RB)
where
    A: FnOnce(&mut C) -> RA,
    B: FnOnce(&mut C) -> RB,
{
    by.forks();
    let _joins = Finally(|| by.joins());
    let ra = a(cx);
    by.turns();
    let rb = b(cx);
    (ra, rb)
}

/// Does as [`join`] for a plain join; both halves always run.
pub(crate) fn join_both<RA, RB>(
    by: &'static dyn Measure,
    a: impl FnOnce() -> RA,
    b: impl FnOnce() -> RB,
) -> (RA, RB) {
    let (ra, rb) = join(
        by,
        &mut (),
        |()| panic::catch_unwind(AssertUnwindSafe(a)),
        |()| panic::catch_unwind(AssertUnwindSafe(b)),
    );
    unwind::both((ra, Some(rb)))
}

/// Begins a loop, which ends when the result is dropped, if this thread is measured.
pub(crate) fn enter_loop() -> Option<Finally<impl FnMut()>> {
    let by = measured()?;
    by.enters_loop();
    Some(Finally(move || by.leaves_loop()))
}

/// A block of the innermost loop has ended, and others may follow.
#[cold]
pub(crate) fn end_block() {
    if let Some(by) = measured() {
        by.ends_block();
    }
}

/// The calling thread waits, and may run code that is not part of the program, until the result is
/// dropped.
#[must_use]
pub(crate) fn pause() -> Option<Box<dyn Any>> {
    measured().map(|by| by.pauses())
}

/// The ends of tasks.
pub(crate) type Ends = Arc<TaskEnds>;

/// The data that a spawned task needs to be measured where it runs: none if the thread that spawned
/// it is not measured.
pub(crate) struct Spawned(Option<Begin>);

impl Spawned {
    /// The calling thread spawns a task.
    pub(crate) fn new(ends: &Arc<TaskEnds>) -> Self {
        Spawned(measured().and_then(|by| by.spawns(ends)))
    }

    /// Runs the task.
    pub(crate) fn run<R>(self, f: impl FnOnce() -> R) -> R {
        let _measured = self.0.map(|begin| begin());
        f()
    }
}

/// The calling thread has waited for those tasks.
pub(crate) fn awaited(ends: &TaskEnds) {
    if let Some(by) = measured() {
        by.awaited(ends);
    }
}

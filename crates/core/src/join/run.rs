//! Contexts and runs: the nested regions of a thread's stack.
//!
//! A *context* is a region of a thread's stack whose plain joins belong to one pool: a thread's
//! base, an `install`, or the *run* of a stolen job or a task. Contexts nest; the innermost one is
//! the thread's current context. A run also stores the lineage of its job or task, and the run
//! above it, so that a job's ancestors can be found.
//!
//! Invariant *reverse order*: a context is left, and a join ends, in the call that has entered or
//! begun it. So what is current when a function is called stays until it returns, also if it runs
//! users' code; it is lent to closures (`Thread::with_context`), and no reference to it gets out.

use super::{
    chain::Root,
    frame::FrameRef,
    job::{Lineage, Taken},
    member::Member,
    scope::Scope,
    thread::Thread,
    word::Local,
};
use crate::{
    carry::Moment,
    protocol::{primitive::AtomicPtr, waits},
    unwind::Finally,
};
use std::{
    mem::MaybeUninit,
    panic::{self, AssertUnwindSafe},
    ptr,
};

/// A region of a thread's stack whose plain joins belong to one pool.
pub(crate) struct Context<'c> {
    pub(crate) outer: Option<&'c Context<'c>>,
    /// The tail of the plain joins outside, restored when this context ends.
    pub(super) outer_tail: *const Scope<'static>,
    /// Whether there are frames of plain joins outside.
    pub(super) in_frames: bool,
    /// The nearest context outside that may have work to give, the innermost frame of its plain
    /// joins, and its last moment (carry/mod.rs).
    pub(crate) giving: Option<(&'c Context<'c>, Option<FrameRef<'c>>, Moment)>,
    /// The root of the plain joins inside.
    pub(crate) root: &'c Root<'c>,
    /// The innermost run around this context; null outside of all stolen jobs.
    pub(crate) run: *const JobRun,
    /// The number of runs around this.
    pub(crate) level: u32,
    /// The number of that run among all of this thread's; 0 outside of all.
    pub(crate) run_number: u64,
    pub(crate) member: &'c Member,
}

/// Where a context is, on the stack of who enters it.
pub(crate) struct Place<'p> {
    root: MaybeUninit<Root<'p>>,
    scope: MaybeUninit<Scope<'p>>,
    context: MaybeUninit<Context<'p>>,
}

impl Place<'_> {
    pub(crate) fn new() -> Self {
        Place {
            root: MaybeUninit::uninit(),
            scope: MaybeUninit::uninit(),
            context: MaybeUninit::uninit(),
        }
    }
}

impl<'c> Context<'c> {
    /// Creates the outermost context of a thread.
    pub(crate) fn outermost(root: &'c Root<'c>, member: &'c Member) -> Self {
        Context {
            outer: None,
            outer_tail: ptr::null(),
            in_frames: false,
            giving: None,
            root,
            run: ptr::null(),
            level: 0,
            run_number: 0,
            member,
        }
    }

    /// Enters the context of a run, or of an `install`, until the other result is dropped, also
    /// when unwinding. The thread sits on the member.
    ///
    /// Outside contexts may still give, unless it is a run that helps a waiting join: then all
    /// older frames of the same member are promoted (chain.rs, *prefix*), so the contexts of that
    /// member have nothing to give.
    ///
    /// # Safety
    /// The call that has the place drops the other result before it returns, and itself, not in a
    /// closure that it passes on (*reverse order*).
    pub(crate) unsafe fn enter(
        thread: &'c Thread,
        member: &'c Member,
        run: Option<(&'c JobRun, Outside)>,
        place: &'c mut Place<'c>,
    ) -> (&'c Self, Finally<impl FnMut() + use<'c>>) {
        // SAFETY: they end after the new one (*reverse order*).
        let (outer, innermost) = unsafe { thread.current_context() };
        let mut giving = outer.map(|outer| (outer, innermost, Moment::now()));
        if let Some((_, Outside::Promoted)) = run {
            while let Some((context, ..)) = giving.filter(|(at, ..)| ptr::eq(at.member, member)) {
                giving = context.giving;
            }
        }
        let run_number = match run {
            Some(_) => thread.next_run_number(),
            None => outer.map_or(0, |outer| outer.run_number),
        };
        let root = &*place.root.write(Root::new(member, run_number));
        let scope = place.scope.write(Scope::of_root(root));
        let outer_run = outer.map_or(ptr::null(), |outer| outer.run);
        let context = &*place.context.write(Context {
            outer,
            outer_tail: Local::current().tail(),
            in_frames: innermost.is_some() || outer.is_some_and(|outer| outer.in_frames),
            giving,
            root,
            run: run.map_or(outer_run, |(run, _)| ptr::from_ref(run)),
            level: outer.map_or(0, |outer| outer.level) + u32::from(run.is_some()),
            run_number,
            member,
        });
        // SAFETY: both are in the place until they are left (contract).
        unsafe { thread.set_current(ptr::from_ref(context).cast(), ptr::from_ref(scope).cast()) };
        (context, Finally(|| context.leave(thread)))
    }

    /// Not inlined, since each `install` contains two calls.
    #[inline(never)]
    fn leave(&self, thread: &Thread) {
        let context = self.outer.map_or(ptr::null(), ptr::from_ref);
        // SAFETY: what was the current one, and is left after this.
        unsafe { thread.set_current(context.cast(), self.outer_tail) };
        thread.renew_attention();
    }

    /// Returns the root of one more chain in this context.
    pub(crate) fn new_root(&self) -> Root<'c> {
        Root::new(self.member, self.run_number)
    }
}

/// Whether older frames of the same member, outside of a run, may have work to give.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outside {
    /// All of them are promoted, or there are none.
    Promoted,
    /// The run helps a thread that waits for a task inside a join's half, answers a call there, or
    /// is run by a yield.
    MayGive,
}

/// The execution of a stolen job, or of a task.
pub(crate) type JobRun = waits::JobRun<Lineage>;

/// Runs a job, and sets its latch. The thread sits on `me`, of the job's pool.
pub(crate) fn execute(thread: &Thread, me: &Member, job: Taken<'_>, outside: Outside) {
    // Who waits for parts of it looks there.
    assert!(ptr::eq(me.shared, job.owner().shared));
    let run = JobRun::of_job(&raw const job.lineage, job.run());
    let mut place = Place::new();
    // SAFETY: dropped before this returns.
    let (context, leave) = unsafe { Context::enter(thread, me, Some((&run, outside)), &mut place) };
    job.lineage.set(me, context.level);
    let result = panic::catch_unwind(AssertUnwindSafe(|| {
        job.carried().around(|| {
            // Two chains start here, that of the plain joins and that of the scope.
            let root = context.new_root();
            let mut scope = Scope::of_root(&root);
            // SAFETY: once, since the job is used up here.
            unsafe { job.execute(&mut scope) };
        });
    }));
    drop(leave);
    // SAFETY: just executed; nothing else panics there (carry/mod.rs).
    unsafe { job.finish(result.err()) };
}

/// Calls `f` in its context, as a run of the task of this lineage. `f` waits for all that it forks.
///
/// # Safety
/// The calling thread sits on `me`. `awaited_by` is null, or the innermost run of a thread that
/// waits for as long as `f` runs user code, whenever that is written.
pub(crate) unsafe fn task<R>(
    thread: &Thread,
    me: &Member,
    lineage: &Lineage,
    awaited_by: &AtomicPtr<JobRun>,
    outside: Outside,
    f: impl FnOnce(&Context<'_>) -> R,
) -> R {
    let _in_task = me.site.in_task();
    let run = JobRun::of_task(lineage, awaited_by);
    let mut place = Place::new();
    // SAFETY: dropped before this returns.
    let (context, _leave) =
        unsafe { Context::enter(thread, me, Some((&run, outside)), &mut place) };
    f(context)
}

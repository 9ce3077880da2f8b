//! Contexts and runs: the nested regions of a thread's stack.
//!
//! A *context* is a region of a thread's stack whose plain joins belong to one pool: a thread's
//! base, an `install`, or the *run* of a stolen job or a task. Contexts nest; the innermost one is
//! the thread's current context. A run also stores the lineage of its job or task, and the run
//! above it, so that a job's ancestors can be found.

use super::{
    chain::Root,
    job::Job,
    lineage::Lineage,
    member::Member,
    scope::Scope,
    thread::{self, Thread},
};
use crate::{
    carry::Moment,
    protocol::{primitive::AtomicPtr, record::Ended, waits},
    unwind::Finally,
};
use std::{
    panic::{self, AssertUnwindSafe},
    ptr,
};

/// A region of a thread's stack whose plain joins belong to one pool. What it names lives as long
/// as it is entered.
pub(crate) struct Context {
    outer: *const Context,
    /// The tail of the plain joins outside, restored when this context ends.
    outer_tail: *const Scope<'static>,
    /// The nearest context outside that may have work to give, the innermost scope of its plain
    /// joins, and its last moment (carry/mod.rs).
    giving: (*const Context, *const Scope<'static>, Moment),
    /// The root of the plain joins inside.
    root: *const Root,
    /// The innermost run around this context; null outside of all stolen jobs.
    pub(crate) run: *const JobRun,
    /// The number of runs around this.
    pub(crate) level: u32,
    /// The number of that run among all of this thread's; 0 outside of all.
    pub(crate) run_number: u64,
    member: *const Member,
}

impl Context {
    /// Creates the outermost context of a thread.
    ///
    /// # Safety
    /// The root and the member live as long as the result is used.
    pub(crate) unsafe fn outermost(root: &Root, member: *const Member) -> Self {
        Context {
            outer: ptr::null(),
            outer_tail: ptr::null(),
            giving: (ptr::null(), ptr::null(), Moment::now()),
            root,
            run: ptr::null(),
            level: 0,
            run_number: 0,
            member,
        }
    }

    /// Creates the context of an `install`: all outside contexts may still give.
    ///
    /// # Safety
    /// As for [`outermost`](Self::outermost); so do the current contexts.
    pub(crate) unsafe fn installed(thread: &Thread, root: &Root, member: *const Member) -> Self {
        let (outer, outer_tail) = (thread.context_ptr(), thread::tail());
        let (run, level) = thread.run();
        Context {
            outer,
            outer_tail,
            giving: (outer, outer_tail, Moment::now()),
            root,
            run,
            level,
            run_number: thread.run_number(),
            member,
        }
    }

    /// Creates the context of a run. If it helps a waiting join, all older frames of the same
    /// member are promoted (chain.rs, *prefix*), so the contexts of that member have nothing to
    /// give: `outside` says which case it is.
    ///
    /// # Safety
    /// As for [`installed`](Self::installed).
    unsafe fn running(
        thread: &Thread,
        root: &Root,
        member: *const Member,
        run: *const JobRun,
        run_number: u64,
        outside: Outside,
    ) -> Self {
        let (outer, outer_tail) = (thread.context_ptr(), thread::tail());
        let mut giving = (outer, outer_tail, Moment::now());
        // SAFETY: used before this returns.
        let innermost = unsafe { thread.context() };
        let mut next = innermost.filter(|_| outside == Outside::Promoted);
        while let Some(context) = next.filter(|context| ptr::eq(context.member, member)) {
            giving = context.giving;
            next = context.giving().map(|(context, ..)| context);
        }
        Context {
            outer,
            outer_tail,
            giving,
            root,
            run,
            level: thread.level() + 1,
            run_number,
            member,
        }
    }

    pub(crate) fn member(&self) -> &Member {
        // SAFETY: it lives as long as the context (contract of `enter`).
        unsafe { &*self.member }
    }

    pub(crate) fn root(&self) -> &Root {
        // SAFETY: as above.
        unsafe { &*self.root }
    }

    /// Returns the context around this one.
    pub(crate) fn outer(&self) -> Option<&Context> {
        // SAFETY: null, or left after this one.
        unsafe { self.outer.as_ref() }
    }

    /// Returns `giving`, if there is such a context.
    pub(crate) fn giving(&self) -> Option<(&Context, *const Scope<'static>, Moment)> {
        let (context, tail, moment) = self.giving;
        // SAFETY: null, or left after this one.
        unsafe { context.as_ref() }.map(|context| (context, tail, moment))
    }

    /// Makes `context` the current one until the result is dropped, also when unwinding.
    ///
    /// # Safety
    /// `context`, its root and its member outlive the result, it is used by nothing else, and its
    /// `outer` and `outer_tail` are the thread's current ones. Contexts are left in the reverse
    /// order.
    pub(crate) unsafe fn enter(
        thread: &Thread,
        context: *const Context,
        tail: *const Scope<'static>,
    ) -> Finally<impl FnMut()> {
        // SAFETY: it outlives the result, which ends with another one (contract).
        unsafe { thread.set_context(context) };
        // SAFETY: as above.
        unsafe { thread::set_tail(tail) };
        Finally(move || {
            // SAFETY: alive (contract).
            let context = unsafe { &*context };
            context.leave(thread);
        })
    }

    /// Not inlined, since each `install` contains two calls.
    #[inline(never)]
    fn leave(&self, thread: &Thread) {
        // SAFETY: null, or left after this one.
        unsafe { thread.set_context(self.outer) };
        // SAFETY: the tail of when it was the current one.
        unsafe { thread::set_tail(self.outer_tail) };
        thread.renew_attention();
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

/// Runs a job that the caller took for `me`, and sets its latch.
///
/// # Safety
/// `job` was taken out of a slot of `me`'s pool, by the thread that sits on `me`, and no thread
/// runs it a second time.
pub(crate) unsafe fn execute(thread: &Thread, me: &Member, job: &Job, outside: Outside) {
    // SAFETY: taken by us (contract).
    let run = JobRun::of_job(&raw const job.lineage, unsafe { job.run() });
    // Two chains start here, that of the scope and that of the plain joins; each has its own root.
    let run_number = thread.next_run_number();
    // SAFETY: the thread sits on the member for as long as the run.
    let plain = unsafe { Root::new(me, run_number) };
    let plain_scope = Scope::of_root(&plain);
    let run_ptr = &raw const run;
    // SAFETY: as above; the root is on our stack, as the context is.
    let context = unsafe { Context::running(thread, &plain, me, run_ptr, run_number, outside) };
    job.lineage.taker.set(me, context.level);
    // SAFETY: everything is on our stack and outlives `leave`; dropped before it returns.
    let leave = unsafe { Context::enter(thread, &raw const context, &raw const plain_scope) };
    let result = panic::catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: taken by us (contract), not finished.
        let carried = unsafe { job.take_carried() };
        carried.around(|| {
            // SAFETY: as above.
            let scoped = unsafe { Root::new(me, run_number) };
            let mut scope = Scope::of_root(&scoped);
            // SAFETY: taken by us (contract), executed once.
            unsafe { job.execute(&mut scope) };
        });
    }));
    drop(leave);
    // SAFETY: taken by us, the latch is not set yet.
    unsafe { job.record.set_panic(result.err()) };
    job.finish(Ended::Done);
}

/// Calls `f` with its level, as a run of the task of this lineage. `f` waits for all that it forks.
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
    f: impl FnOnce(u32) -> R,
) -> R {
    let run = JobRun::of_task(lineage, awaited_by);
    let run_number = thread.next_run_number();
    // SAFETY: the thread sits on the member for as long as the run.
    let plain = unsafe { Root::new(me, run_number) };
    let scope = Scope::of_root(&plain);
    let run_ptr = &raw const run;
    // SAFETY: as above; the root is on our stack, as the context is.
    let context = unsafe { Context::running(thread, &plain, me, run_ptr, run_number, outside) };
    // SAFETY: everything is on our stack and outlives the guard, which is dropped first.
    let _leave = unsafe { Context::enter(thread, &raw const context, &raw const scope) };
    f(context.level)
}

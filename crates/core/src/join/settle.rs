//! The end of a join that left the hot path. Its second half is
//!
//! * not promoted: this was only a poll;
//! * promoted and still in its slot: the owner takes it back (*reclaim*) and runs it as a plain
//!   call;
//! * taken: the owner waits, helping (wait.rs), and gets the result, or the panic, or the closure
//!   back from a taker that declined.

use super::{
    frame::{FrameKind, FrameRef, Left},
    job::Job,
    member::Member,
    promote,
    scope::Scope,
    thread::{self, Thread},
    wait,
    word::Local,
};
use crate::{carry::Carried, hooks, protocol::record::Ended};
use std::panic;

/// Ends the join of a plain frame, whose first half has ended and whose parent is the tail. True:
/// the result is in the frame. False: run the closure now.
#[cold]
#[inline(never)]
pub(crate) fn finish_plain(frame: FrameRef<'_>) -> bool {
    // H4: no other thread touches the frame after this, but the one that has its job.
    Local::current().remote.pass();
    if matches!(frame.kind(), FrameKind::Nothing) || finish(frame) {
        return true;
    }
    promote::tick_plain();
    false
}

/// Ends the join of a scope's frame, whose first half has ended, see [`finish_plain`].
#[cold]
#[inline(never)]
pub(crate) fn finish_scoped(frame: FrameRef<'_>) -> bool {
    // SAFETY: that was the last to use it; the join asks no more whether it has to leave.
    unsafe { frame.end_scope() };
    if finish(frame) {
        return true;
    }
    // SAFETY: with its child gone the parent is the innermost scope.
    unsafe { promote::tick_scoped(frame.above(), frame.parent().and_then(Scope::root)) };
    false
}

fn finish(frame: FrameRef<'_>) -> bool {
    let Some(job) = frame.job() else {
        return false;
    };
    match settle(frame, job, true) {
        Left::Closure => false,
        Left::Result => true,
        Left::Panicked(payload) => panic::resume_unwind(payload),
    }
}

/// Takes back or waits for the second half of a scope's join whose first half has unwound.
#[cold]
#[inline(never)]
pub(crate) fn abandon(frame: FrameRef<'_>) -> Left {
    // SAFETY: that was the last to use it.
    unsafe { frame.end_scope() };
    let Some(job) = frame.job() else {
        return Left::Closure;
    };
    // A thread that is unwinding runs no jobs, unless its pool is stuck: they would see
    // `thread::panicking()`.
    settle(frame, job, false)
}

/// Gets the second half of a frame that was promoted to this job back, and forgets the promotion.
fn settle(frame: FrameRef<'_>, job: &Job, help: bool) -> Left {
    let Some(thread) = Thread::current() else {
        unreachable!("the record of a thread outlives its joins");
    };
    let is_outermost = frame.above().is_none();
    if is_outermost {
        job.owner().demand.count_computation();
    }
    // The frame leaves its chain before anything else runs: jobs we help with tick on the chains
    // outside.
    frame.leave();
    let back = if reclaim(job) {
        Left::Closure
    } else {
        wait_for(&thread, job, is_outermost, help)
    };
    thread.remove_promoted(frame.address());
    // SAFETY: ours; reclaimed or finished.
    let carried = unsafe { release(job) };
    // Users' code, which may tick: the promotion is undone.
    drop(carried);
    back
}

/// Frees the record of an own job, and returns what was carried with it.
///
/// # Safety
/// It has been reclaimed, or has ended, and is not used any more.
pub(crate) unsafe fn release(job: &Job) -> Carried {
    let _cold = Local::current().remote.begin_cold();
    // SAFETY: the caller's.
    let carried = unsafe { job.take_carried() };
    // SAFETY: the caller's; the thread sits on the owner of its own jobs.
    unsafe { job.owner().records.free(job) };
    carried
}

/// Takes back an own job. Returns false if another thread has taken it.
pub(crate) fn reclaim(job: &Job) -> bool {
    let member = job.owner();
    let cold = Local::current().remote.begin_cold();
    let reclaimed = member.offers.reclaim(job.slot.get(), job);
    drop(cold);
    if reclaimed {
        member.counters.reclaims.add_one();
        member.note(hooks::Event::Reclaim);
        if member.demand.renew() || cut_nap(member, job.offered_at.get()) {
            thread::raise_attention();
        }
    }
    reclaimed
}

/// Called when the seated thread takes back an offer that it made at this time (0: the leader did
/// not nap). If the offer waited for long, cuts the leader's nap short. Returns whether to make
/// another offer for the same demand.
fn cut_nap(member: &Member, offered_at: u64) -> bool {
    if offered_at == 0 {
        return false;
    }
    let shared = member.shared();
    let waited = shared.now().saturating_sub(offered_at);
    let Some(leader) = shared.idle.nap.cut(waited) else {
        return false;
    };
    // Its computations are not tiny, contrary to earlier experience.
    member
        .demand
        .set_interval(shared.policy.shorter(member.demand.interval()));
    member.demand.leave(1);
    shared.unpark_worker(member, leader);
    true
}

/// Waits for an own job that another thread has taken. `outermost`: nothing of ours is above it.
pub(crate) fn wait_for(thread: &Thread, job: &Job, outermost: bool, help: bool) -> Left {
    let member = job.owner();
    wait::until(thread, member, job, help);
    if outermost {
        // An idle worker was there for this computation; offer it the next one.
        member.demand.leave(member.shared().demand());
        thread::raise_attention();
    }
    match job.record.outcome() {
        Some(Ended::Declined) => Left::Closure,
        // SAFETY: ours, and the latch is set.
        _ => unsafe { job.record.take_panic() }.map_or(Left::Result, Left::Panicked),
    }
}

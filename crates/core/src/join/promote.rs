//! Ticks and promotion: how the oldest frames of a busy thread become jobs for idle workers.
//!
//! A *tick* happens when a join leaves the hot path because its thread's attention is raised. It
//! lowers the attention, and for each context of the thread, from the outermost on, gives as many
//! of the oldest frames as are asked for and as there are empty slots. The rest of the demand
//! stays; if the next join could meet it, attention is raised again at once, so that the next fork
//! offers itself.
//!
//! The tick reads no clock and makes no choice: idle workers decide when to ask, whom, and for how
//! much, and pay for it (decisions.rs).

#[cfg(test)]
mod tests;

use super::{
    chain::{self, Root},
    frame::{FrameKind, FrameRef},
    member::Member,
    run::{Context, JobRun},
    scope::Scope,
    thread::{self, Thread},
};
use crate::{
    carry::{Carried, Moment},
    hooks,
    protocol::demand::Gift,
    unwind,
};
use std::ptr;

/// Ticks for a plain join that has just built its frame. Returns true if the join must be handed
/// over, since the caller is at a base that takes no part.
#[cold]
#[inline(never)]
pub(crate) fn tick_at_plain() -> bool {
    // No panic leaves a join while its frame is in use; panics of users' code that runs here are
    // kept.
    unwind::abort_on_panic(|| {
        tick_plain();
        Thread::current().is_some_and(|thread| thread.context_ptr().is_null())
    })
}

/// Does as [`tick_at_plain`], for a join that does not use the global pool. Returns true, and does
/// nothing else, if the thread is outside of all pools.
#[cold]
#[inline(never)]
pub(crate) fn tick_inside() -> bool {
    unwind::abort_on_panic(|| {
        let outside = Thread::current().is_some_and(|thread| !thread.has_context());
        if !outside {
            tick_plain();
        }
        outside
    })
}

/// Ticks for a plain join: the tail is the innermost scope.
#[cold]
#[inline(never)]
pub(crate) fn tick_plain() {
    let Some(thread) = Thread::current() else {
        return;
    };
    let Some(_ticking) = thread.begin_tick() else {
        return;
    };
    thread.ensure_base();
    // SAFETY: a tick leaves no context.
    let Some(context) = (unsafe { thread.context() }) else {
        return;
    };
    thread.lower_attention();
    // SAFETY: the tail is the innermost scope of the current context.
    unsafe { give_in_contexts(&thread, context, (thread::tail(), Moment::now()), true) };
}

/// Ticks for a scope's join that has just built its frame.
#[cold]
#[inline(never)]
pub(crate) fn tick_at(frame: FrameRef) {
    // SAFETY: the innermost frame of its chain, whose scope lies at its head.
    unsafe { tick_scoped(frame.as_ptr().cast()) };
}

/// Ticks for a scope's join.
///
/// # Safety
/// `tip` is the innermost live scope of a chain of the current thread that begins at a root.
pub(crate) unsafe fn tick_scoped(tip: *const Scope<'static>) {
    let Some(thread) = Thread::current() else {
        return;
    };
    let Some(_ticking) = thread.begin_tick() else {
        return;
    };
    thread.lower_attention();
    // SAFETY: a tick leaves no context.
    if let Some(context) = unsafe { thread.context() } {
        // SAFETY: the tail is the innermost scope of the current context.
        unsafe { give_in_contexts(&thread, context, (thread::tail(), Moment::now()), false) };
    }
    // SAFETY: the caller's; a scope's chain does not end in null, so there is no base.
    let root = unsafe { chain::link(tip, None) };
    // A scope that has been carried into another run (by a wrapper that is `Send` and gives
    // access on its own thread only) does not say in which run the frames of its chain lie: it
    // offers nothing there.
    if let Some(root) = root.filter(|root| root.is_of(thread.run_number())) {
        // SAFETY: just linked; the chain lies in the current run, since its root does.
        unsafe { give(&thread, root, (tip, None), thread.run(), true) };
    }
}

/// Gives work of all contexts, the outermost first. `current` says whether the next join will be in
/// the innermost one.
///
/// # Safety
/// A context of this thread, `tail` its innermost scope and `last` its last moment (carry/mod.rs).
unsafe fn give_in_contexts(
    thread: &Thread,
    context: &Context,
    (tail, last): (*const Scope<'static>, Moment),
    current: bool,
) {
    if let Some((outer, outer_tail, outer_last)) = context.giving() {
        // SAFETY: that context and its tail were current when one inside it, around this one, was
        // entered.
        unsafe { give_in_contexts(thread, outer, (outer_tail, outer_last), false) };
    }
    if context.member().demand.asked() == 0 {
        return;
    }
    // SAFETY: by the contract.
    if let Some(root) = unsafe { chain::link(tail, Some(context.root())) } {
        let run = (context.run, context.level);
        // SAFETY: just linked.
        unsafe { give(thread, root, (tail, Some(last)), run, current) };
    }
}

/// Meets the demand on one chain, of a context's plain joins or of a scope, as far as possible. The
/// plain ones without a stamp are of the moment `unstamped`.
///
/// # Safety
/// `link(tip)` has just returned `root`; the chain is in the given run.
unsafe fn give(
    thread: &Thread,
    root: &Root,
    (tip, unstamped): (*const Scope<'static>, Option<Moment>),
    run: (*const JobRun, u32),
    current: bool,
) {
    let Some(member) = root.member() else {
        return;
    };
    // SAFETY: alive (contract).
    let tip = unsafe { chain::frame_of(tip) };
    // SAFETY: just linked (contract).
    let mut next = unsafe { chain::oldest(root, tip) };
    let give_next = || {
        while let Some(frame) = next {
            let mut given = false;
            // A loop that got a part back is above frames that have been promoted.
            if !frame.is_promoted() {
                let Some(slot) = member.offers.free_slot() else {
                    return Gift::Full;
                };
                // Users' code, before any change. It may fork, but not tick. Where nothing is known
                // the frame stays the oldest: a join that is not promoted does not leave its chain.
                let Some(carried) = Carried::from_fork(frame, root, unstamped) else {
                    return Gift::Nothing;
                };
                // SAFETY: we sit on the member, and the slot is free.
                given = unsafe { offer(thread, frame, (member, slot), run, carried) };
                if given && !frame.is_promoted() {
                    // It may have more parts.
                    return Gift::Given;
                }
            }
            // SAFETY: as for `oldest`, between the root and the tip.
            next = unsafe { chain::pass(root, frame, tip) };
            if given {
                return Gift::Given;
            }
        }
        Gift::Nothing
    };
    let raise = || {
        if current {
            thread::raise_attention();
        }
    };
    let Some(answers) = member.demand.meet(give_next, raise) else {
        return;
    };
    // Not if the next join here belongs to another pool and there is nothing to give: that does not
    // meet the demand.
    if answers || current {
        member.counters.ticks.add_one();
        member.cpu.note();
    }
    if answers {
        member.shared().wake_dormant(member);
    }
}

/// Offers up to `count` parts of a loop, `plain` or a scope's, that perhaps no worker has asked
/// for.
pub(crate) fn offer_parts(frame: FrameRef, count: usize, plain: bool) {
    let Some(thread) = Thread::current() else {
        return;
    };
    let Some(_ticking) = thread.begin_tick() else {
        return;
    };
    let root = frame.root().filter(|root| root.is_of(thread.run_number()));
    let Some((root, member)) = root.and_then(|root| Some((root, root.member()?))) else {
        return;
    };
    // SAFETY: as in `tick_plain`.
    let context = unsafe { thread.context() };
    let is_current = context.is_some_and(|context| ptr::eq(context.root(), root));
    // In another context, a plain one without a stamp may be older than this moment.
    if frame.is_promoted() || (plain && !is_current) {
        return;
    }
    let mut given = 0;
    while given < count {
        let Some(slot) = member.offers.free_slot() else {
            break;
        };
        // As in `give`.
        let Some(carried) = Carried::from_fork(frame, root, plain.then(Moment::now)) else {
            break;
        };
        // SAFETY: we sit on the member, and the slot is free; a loop, which never is promoted.
        if !unsafe { offer(&thread, frame, (member, slot), thread.run(), carried) } {
            break;
        }
        given += 1;
    }
    if given > 0 {
        member.shared().wake_dormant(member);
    }
}

/// Splits a part off the innermost frame of a chain, a loop's, and offers it. Returns false if
/// there is none.
///
/// # Safety
/// The frame is a loop's, and the innermost of its chain, which is that of the plain joins if
/// `plain`.
#[cfg(feature = "testing")]
pub(crate) unsafe fn give_innermost(frame: FrameRef, plain: bool) -> bool {
    let Some(thread) = Thread::current() else {
        return false;
    };
    thread.ensure_base();
    // SAFETY: as in `tick_plain`.
    let (Some(context), Some(_ticking)) = (unsafe { thread.context() }, thread.begin_tick()) else {
        return false;
    };
    // SAFETY: the innermost frame of its chain, whose scope lies at its head.
    let root = unsafe { chain::link(frame.as_ptr().cast(), plain.then(|| context.root())) };
    let root = root.filter(|root| root.is_of(thread.run_number()));
    let Some((root, member)) = root.and_then(|root| Some((root, root.member()?))) else {
        return false;
    };
    let unstamped = plain.then(Moment::now);
    let place = member.offers.free_slot().map(|slot| (member, slot));
    let carried = place.and_then(|_| Carried::from_fork(frame, root, unstamped));
    let (Some(place), Some(carried)) = (place, carried) else {
        return false;
    };
    // SAFETY: we sit on the member, and the slot is free; a loop, which never is promoted.
    unsafe { offer(&thread, frame, place, thread.run(), carried) }
}

/// Offers a join's half, which it promotes, or a part of a loop. Returns false if the loop has
/// none.
///
/// # Safety
/// We sit on the member, and the slot is empty; the frame is not promoted, and its work may be
/// taken by others.
unsafe fn offer(
    thread: &Thread,
    frame: FrameRef,
    (member, slot): (&Member, usize),
    (run, level): (*const JobRun, u32),
    carried: Carried,
) -> bool {
    // SAFETY: we sit on the member.
    let job = unsafe { member.records.alloc(member) };
    let work = match frame.kind() {
        FrameKind::Half(execute) => {
            // SAFETY: we sit on the member, and keep the seat while there is a frame of its pool.
            unsafe { frame.mark_promoted(job) };
            thread.add_promoted(frame.address());
            Some((frame.as_ptr().cast(), *execute))
        }
        // SAFETY: a frame of this kind; the job is offered.
        FrameKind::Loop(split) => unsafe { split(frame, job) },
    };
    let Some((work, execute)) = work else {
        // SAFETY: ours, and not offered.
        unsafe { member.records.free(job) };
        return false;
    };
    // SAFETY: ours and free; nothing else refers to it.
    unsafe { job.fill(work, execute, run, carried) };
    job.slot.set(slot);
    let shared = member.shared();
    let naps = shared.idle.nap.is_on();
    job.offered_at.set(if naps { shared.now() } else { 0 });
    member.offers.publish(slot, job, level);
    member.counters.promotions.add_one();
    member.note(hooks::Event::Promotion);
    true
}

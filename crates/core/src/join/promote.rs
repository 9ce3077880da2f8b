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
    chain::{Chain, Root},
    frame::{FrameKind, FrameRef},
    job::Job,
    member::Member,
    run::{Context, JobRun},
    thread::{self, Thread},
    word::Local,
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
        Thread::current().is_some_and(|thread| thread.is_outside())
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
    if !thread.is_outside() {
        thread.lower_attention();
        give_in_current(&thread, true);
    }
}

/// Ticks for a scope's join that has just built its frame.
#[cold]
#[inline(never)]
pub(crate) fn tick_at(frame: FrameRef<'_>) {
    // SAFETY: the innermost frame of its chain.
    unsafe { tick_scoped(Some(frame), None) };
}

/// Ticks for a scope's join.
///
/// # Safety
/// `tip` is the innermost live frame of its chain; none if that is empty, under `base`.
pub(crate) unsafe fn tick_scoped(tip: Option<FrameRef<'_>>, base: Option<&Root<'_>>) {
    let Some(thread) = Thread::current() else {
        return;
    };
    let Some(_ticking) = thread.begin_tick() else {
        return;
    };
    thread.lower_attention();
    give_in_current(&thread, false);
    // SAFETY: the innermost (contract), and we are the only tick (`begin_tick`).
    let chain = unsafe { Chain::link(tip, base, thread.run()) };
    // A scope that has been carried into another run (by a wrapper that is `Send` and gives
    // access on its own thread only) does not say in which run the frames of its chain lie: it
    // offers nothing there. Else the chain lies in the current run, since its root does.
    if let Some(chain) = chain.filter(|chain| chain.root.is_of(thread.run_number())) {
        give(&thread, &chain, None, true);
    }
    // The next join may be a plain one, beside the scope.
    thread.with_member(thread::renew_attention_of);
}

/// Gives work of all contexts, in a tick. `plain` says whether the next join will be in the
/// innermost one.
fn give_in_current(thread: &Thread, plain: bool) {
    thread.with_context(|context, innermost| {
        if let Some(context) = context {
            give_in_contexts(thread, (context, innermost, Moment::now()), plain);
        }
    });
}

/// Does so for this context and those outside of it, the outermost first.
fn give_in_contexts(
    thread: &Thread,
    (context, tip, last): (&Context<'_>, Option<FrameRef<'_>>, Moment),
    current: bool,
) {
    if let Some(outer) = context.giving {
        give_in_contexts(thread, outer, false);
    }
    if context.member.demand.asked() == 0 {
        return;
    }
    let run = (context.run, context.level);
    // SAFETY: the innermost of that context's plain joins, which are in its run; the only tick.
    if let Some(chain) = unsafe { Chain::link(tip, Some(context.root), run) } {
        give(thread, &chain, Some(last), current);
    }
}

/// Meets the demand on one chain, of a context's plain joins or of a scope, as far as possible. The
/// plain ones without a stamp are of the moment `unstamped`.
fn give(thread: &Thread, chain: &Chain<'_>, unstamped: Option<Moment>, current: bool) {
    let Some(member) = chain.root.member() else {
        return;
    };
    let mut next = chain.oldest();
    let give_next = || {
        while let Some(frame) = next {
            let mut given = false;
            // A loop that got a part back is above frames that have been promoted.
            if !frame.is_promoted() {
                // SAFETY: of this chain, which lies in this run (`Chain::link`).
                given = match unsafe { offer(thread, frame, chain.run, unstamped) } {
                    Ok(given) => given,
                    // It stays the oldest: what is not promoted does not leave its chain.
                    Err(why) => return why,
                };
                if given && !frame.is_promoted() {
                    // It may have more parts.
                    return Gift::Given;
                }
            }
            next = chain.pass(frame);
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
pub(crate) fn offer_parts(frame: FrameRef<'_>, count: usize, plain: bool) {
    let Some(thread) = Thread::current() else {
        return;
    };
    let Some(_ticking) = thread.begin_tick() else {
        return;
    };
    let Some((root, member)) = frame.root().and_then(|root| Some((root, root.member()?))) else {
        return;
    };
    let is_current = || thread.with_context(|at, _| at.is_some_and(|at| ptr::eq(at.root, root)));
    // In another context, a plain one without a stamp may be older than this moment.
    let unknown = plain && !is_current();
    if unknown || frame.is_promoted() || !root.is_of(thread.run_number()) {
        return;
    }
    // SAFETY: linked, since it has a root, and in the current run, since that is.
    let offer = || unsafe { offer(&thread, frame, thread.run(), plain.then(Moment::now)) };
    let given = (0..count).take_while(|_| offer() == Ok(true)).count();
    if given > 0 {
        member.shared().wake_dormant(member);
    }
}

/// Splits a part off a loop and offers it. Returns false if there is none.
///
/// # Safety
/// The scope, that of the loop's frame or what users have put there, stands for the innermost live
/// frame of its chain, that of the plain joins if `plain`.
#[cfg(feature = "testing")]
pub(crate) unsafe fn give_innermost(
    frame: FrameRef<'_>,
    scope: &crate::join::scope::Scope<'_>,
    plain: bool,
) -> bool {
    let Some(thread) = Thread::current() else {
        return false;
    };
    thread.ensure_base();
    let Some(_ticking) = thread.begin_tick() else {
        return false;
    };
    thread.with_context(|context, _| {
        let base = context.filter(|_| plain).map(|context| context.root);
        let base = base.or_else(|| scope.root());
        // SAFETY: as in `tick_scoped`.
        let chain = unsafe { Chain::link(scope.frame(), base, thread.run()) };
        let is_its = |root| frame.root().is_some_and(|its| ptr::eq(its, root));
        let chain =
            chain.filter(|chain| is_its(chain.root) && chain.root.is_of(thread.run_number()));
        let unstamped = plain.then(Moment::now);
        // SAFETY: of this chain.
        chain
            .is_some_and(|chain| unsafe { offer(&thread, frame, chain.run, unstamped) } == Ok(true))
    })
}

/// Offers a join's half, which it promotes, or a part of a loop. Returns false if the loop has
/// none, and what else is in the way.
///
/// # Safety
/// The frame's chain has been linked, and lies in this run.
unsafe fn offer(
    thread: &Thread,
    frame: FrameRef<'_>,
    (run, level): (*const JobRun, u32),
    unstamped: Option<Moment>,
) -> Result<bool, Gift> {
    let Some((root, member)) = frame.root().and_then(|root| Some((root, root.member()?))) else {
        return Err(Gift::Nothing);
    };
    let Some(slot) = member.offers.free_slot() else {
        return Err(Gift::Full);
    };
    // Users' code, before any change. It may fork, but not tick. What was current may not be known.
    let Some(carried) = Carried::from_fork(frame, root, unstamped) else {
        return Err(Gift::Nothing);
    };
    // SAFETY: the caller's; on the thread of the frame.
    let given = unsafe {
        publish(
            thread,
            Local::current(),
            (frame, member),
            slot,
            (run, level),
            carried,
        )
    };
    if given {
        member.note(hooks::Event::Promotion);
    }
    Ok(given)
}

/// Offers a join's half, which it promotes, or a part of a loop, in a free slot. Returns false if
/// the loop has none.
///
/// # Safety
/// The frame's chain has been linked, and lies in this run. The calling thread is that of these
/// parts, or stands in for it, and then the frame is a join's.
pub(super) unsafe fn publish(
    thread: &Thread,
    local: &Local,
    (frame, member): (FrameRef<'_>, &Member),
    slot: usize,
    (run, level): (*const JobRun, u32),
    carried: Carried,
) -> bool {
    // SAFETY: we sit on the member (`Root`).
    let job = unsafe { member.records.alloc(member) };
    let work = match frame.kind() {
        FrameKind::Half(execute) => {
            // SAFETY: we sit on the member, and keep the seat while there is a frame of its pool.
            unsafe { frame.mark_promoted(job) };
            thread.add_promoted(frame.address(), local.word());
            Some((frame.as_ptr().as_ptr().cast(), *execute))
        }
        // SAFETY: a frame of this kind; the job is offered.
        FrameKind::Loop(split) => unsafe { split(frame, job) },
        FrameKind::Nothing => None,
    };
    let Some((work, execute)) = work else {
        // SAFETY: ours, and not offered.
        unsafe { member.records.free(job) };
        return false;
    };
    // SAFETY: ours and free; nothing else refers to it.
    unsafe { job.fill(work, execute, run, carried) };
    // SAFETY: filled in, and not offered.
    unsafe { put_up(job, member, slot, level) };
    true
}

/// Offers a job in a free slot of its owner.
///
/// # Safety
/// The calling thread is that of the owner, or stands in for it. The job is filled in, and is
/// neither offered nor taken.
pub(super) unsafe fn put_up(job: &Job, member: &Member, slot: usize, level: u32) {
    job.slot.set(slot);
    let shared = member.shared();
    let naps = shared.idle.nap.is_on();
    job.offered_at.set(if naps { shared.now() } else { 0 });
    member.offers.publish(slot, job, level);
    member.counters.promotions.add_one();
}

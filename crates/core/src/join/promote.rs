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
    frame::{Execute, Frame, FrameKind, FrameRef, Split},
    job::Job,
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
        Thread::current().is_some_and(|thread| thread.context().is_null())
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
    if thread.context().is_null() {
        return;
    }
    thread.lower_attention();
    // SAFETY: the tail is the innermost scope of the current context.
    unsafe {
        give_in_contexts(
            &thread,
            thread.context(),
            (thread::tail(), Moment::now()),
            true,
        )
    };
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
    let context = thread.context();
    if !context.is_null() {
        // SAFETY: the tail is the innermost scope of the current context.
        unsafe { give_in_contexts(&thread, context, (thread::tail(), Moment::now()), false) };
    }
    // SAFETY: the caller's; a scope's chain does not end in null, so the base is not used.
    let root = unsafe { chain::link(tip, ptr::null_mut()) };
    // A scope that has been carried into another run (by a wrapper that is `Send` and gives
    // access on its own thread only) does not say in which run the frames of its chain lie: it
    // offers nothing there. SAFETY: the root of a live chain is alive.
    if unsafe { (*root).is_of(thread.run_number()) } {
        // SAFETY: just linked; the chain lies in the current run, since its root does.
        unsafe { give(&thread, root, (tip, None), thread.run(), true) };
    }
}

/// Gives work of all contexts, the outermost first. `current` says whether the next join will be in
/// the innermost one.
///
/// # Safety
/// `context` is null or a context of this thread, `tail` its innermost scope and `last` its last
/// moment (carry/mod.rs).
unsafe fn give_in_contexts(
    thread: &Thread,
    context: *const Context,
    (tail, last): (*const Scope<'static>, Moment),
    current: bool,
) {
    if context.is_null() {
        return;
    }
    // SAFETY: contexts live until they have been left.
    let context = unsafe { &*context };
    let (outer, outer_tail, outer_last) = context.giving;
    // SAFETY: that context and its tail were current when one inside it, around this one, was
    // entered.
    unsafe { give_in_contexts(thread, outer, (outer_tail, outer_last), false) };
    // SAFETY: the member of a context lives as long as the context.
    if unsafe { (*context.member).demand.asked() } == 0 {
        return;
    }
    // SAFETY: by the contract.
    let root = unsafe { chain::link(tail, context.root) };
    // SAFETY: just linked.
    unsafe {
        give(
            thread,
            root,
            (tail, Some(last)),
            (context.run, context.level),
            current,
        )
    };
}

/// Meets the demand on one chain, of a context's plain joins or of a scope, as far as possible. The
/// plain ones without a stamp are of the moment `unstamped`.
///
/// # Safety
/// `link(tip)` has just returned `root`; the chain is in the given run.
unsafe fn give(
    thread: &Thread,
    root: *mut Root,
    (tip, unstamped): (*const Scope<'static>, Option<Moment>),
    (run, level): (*const JobRun, u32),
    current: bool,
) {
    // SAFETY: alive (contract).
    let member = unsafe { (*root).member };
    // SAFETY: the member of a live root is alive.
    let member: &Member = unsafe { &*member };
    // SAFETY: alive (contract).
    let tip_frame = unsafe { chain::frame_of(tip) };
    // SAFETY: just linked (contract).
    let mut frame = unsafe { chain::oldest(root, tip_frame) };
    let give_next = || {
        while !frame.is_null() {
            // SAFETY: the frames from `oldest` down to the tip are alive, and ours.
            let frame_ref = unsafe { FrameRef::new(frame) };
            // A loop that got a part back is above frames that have been promoted.
            if !frame_ref.is_promoted() {
                let Some(slot) = member.offers.free_slot() else {
                    return Gift::Full;
                };
                // Users' code, before any change. It may fork, but not tick. Where nothing is known
                // the frame stays the oldest: a join that is not promoted does not leave its chain.
                let Some(carried) = Carried::from_fork(frame_ref, root, unstamped) else {
                    return Gift::Nothing;
                };
                match frame_ref.kind() {
                    FrameKind::Half(execute) => {
                        // SAFETY: we sit on the member.
                        let job = unsafe { member.records.alloc(member) };
                        frame_ref.mark_promoted(job);
                        thread.add_promoted(frame_ref.address());
                        // SAFETY: a free record of `member`, which we sit on; nothing else refers
                        // to it.
                        unsafe {
                            let work = (frame.cast(), *execute);
                            offer(member, slot, job, work, (run, level), carried);
                        };
                        // SAFETY: alive (contract), as for `oldest`.
                        frame = unsafe { pass(root, frame, tip_frame) };
                        return Gift::Given;
                    }
                    FrameKind::Loop(split) => {
                        // SAFETY: a live frame of this kind, ours; we sit on the member and the
                        // slot is free.
                        if unsafe {
                            offer_part(frame, *split, (member, slot), (run, level), carried)
                        } {
                            // It may have more parts.
                            return Gift::Given;
                        }
                    }
                }
            }
            // SAFETY: alive (contract), as for `oldest`.
            frame = unsafe { pass(root, frame, tip_frame) };
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

/// Returns the frame below a frame with nothing more to give, which becomes the newest such.
///
/// # Safety
/// The root is alive, the chain linked from it to `tip`, and `frame` lies between.
unsafe fn pass(root: *mut Root, frame: *mut Frame, tip: *mut Frame) -> *mut Frame {
    // SAFETY: alive (contract).
    unsafe { (*root).newest = frame };
    // SAFETY: by the contract.
    unsafe { chain::below(frame, tip) }
}

/// Offers up to `count` parts of a loop, `plain` or a scope's, that perhaps no worker has asked
/// for.
///
/// # Safety
/// The frame is a visited one of a live loop of the current thread.
pub(crate) unsafe fn offer_parts(frame: FrameRef, count: usize, plain: bool) {
    let FrameKind::Loop(split) = frame.kind() else {
        return;
    };
    let Some(thread) = Thread::current() else {
        return;
    };
    let Some(_ticking) = thread.begin_tick() else {
        return;
    };
    let root = frame.root();
    // SAFETY: a context stays until it has been left.
    let context = unsafe { thread.context().as_ref() };
    // SAFETY: the root of a live frame is alive.
    let is_of_run = unsafe { (*root).is_of(thread.run_number()) };
    // In another context, a plain one without a stamp may be older than this moment.
    if !is_of_run || (plain && context.is_none_or(|context| context.root != root)) {
        return;
    }
    // SAFETY: as above.
    let member = unsafe { (*root).member };
    // SAFETY: the member of a live root is alive.
    let member: &Member = unsafe { &*member };
    let mut given = 0;
    while given < count {
        let Some(slot) = member.offers.free_slot() else {
            break;
        };
        // As in `give`.
        let Some(carried) = Carried::from_fork(frame, root, plain.then(Moment::now)) else {
            break;
        };
        let place = (member, slot);
        // SAFETY: a live frame of this kind, ours; we sit on the member and the slot is free.
        if !unsafe { offer_part(frame.as_ptr(), *split, place, thread.run(), carried) } {
            break;
        }
        given += 1;
    }
    if given > 0 {
        member.shared().wake_dormant(member);
    }
}

/// Splits a part off the innermost frame of a chain, a loop's, and offers it in the slots of the
/// returned member.
///
/// # Safety
/// The frame is that of a live loop of the current thread, and the innermost of its chain, which is
/// that of the plain joins if `plain`.
#[cfg(feature = "testing")]
pub(crate) unsafe fn give_innermost<'p>(frame: *mut Frame, plain: bool) -> Option<&'p Member> {
    let thread = Thread::current()?;
    thread.ensure_base();
    // SAFETY: a context stays until it has been left.
    let context = unsafe { thread.context().as_ref() }?;
    let _ticking = thread.begin_tick()?;
    let end = if plain { context.root } else { ptr::null_mut() };
    // SAFETY: the innermost frame of its chain, whose scope lies at its head.
    let root = unsafe { chain::link(frame.cast(), end) };
    // SAFETY: the root of a live chain is alive.
    if root.is_null() || !unsafe { (*root).is_of(thread.run_number()) } {
        return None;
    }
    // SAFETY: as above.
    let member = unsafe { (*root).member };
    // SAFETY: the member of a live root is alive, and stays as long as its pool.
    let member = unsafe { &*member };
    // SAFETY: alive (contract).
    let frame_ref = unsafe { FrameRef::new(frame) };
    let FrameKind::Loop(split) = frame_ref.kind() else {
        return None;
    };
    let slot = member.offers.free_slot()?;
    let carried = Carried::from_fork(frame_ref, root, plain.then(Moment::now))?;
    // SAFETY: a live frame of this kind, ours; we sit on the member and the slot is free.
    let given = unsafe { offer_part(frame, *split, (member, slot), thread.run(), carried) };
    given.then_some(member)
}

/// Splits a part off a loop and offers it. Returns false if there is none.
///
/// # Safety
/// The frame is that of a live loop of the current thread, with this `split`; we sit on the member,
/// and the slot is free.
unsafe fn offer_part(
    frame: *mut Frame,
    split: Split,
    (member, slot): (&Member, usize),
    run: (*const JobRun, u32),
    carried: Carried,
) -> bool {
    // SAFETY: the caller's.
    let Some((part, execute)) = (unsafe { split(frame) }) else {
        return false;
    };
    // SAFETY: we sit on the member.
    let job = unsafe { member.records.alloc(member) };
    // SAFETY: just made by the split, and ours until it is offered.
    unsafe { *part.job = job };
    // SAFETY: a free record of `member`, which we sit on; nothing else refers to it.
    unsafe { offer(member, slot, job, (part.work, execute), run, carried) };
    true
}

/// Fills in a job and publishes it.
///
/// # Safety
/// We sit on the member; the record is one of its free ones, the slot is empty, and the work may be
/// taken by others.
unsafe fn offer(
    member: &Member,
    slot: usize,
    job_ptr: *mut Job,
    (work, execute): (*mut (), Execute),
    (run, level): (*const JobRun, u32),
    carried: Carried,
) {
    // SAFETY: records live as long as the pool.
    let job = unsafe { &*job_ptr };
    // SAFETY: ours and free.
    unsafe { job.fill(work, execute, run, carried) };
    job.slot.set(slot);
    let shared = member.shared();
    let naps = shared.idle.nap.is_on();
    job.offered_at.set(if naps { shared.now() } else { 0 });
    member.offers.publish(slot, job_ptr, level);
    member.counters.promotions.add_one();
    member.note(hooks::Event::Promotion);
}

//! Promoting a frame of another thread, which does not answer, in its place: protocol/remote.rs has
//! the protocol.

use super::{
    chain::Chain,
    frame::{FrameKind, FrameRef},
    member::Member,
    promote::publish,
    run::Context,
    scope::Scope,
    thread::Thread,
    word::Local,
};
use crate::{
    carry::Carried,
    protocol::primitive::{has_heavy_barrier, heavy_barrier},
    unwind::abort_on_panic,
};
use std::{iter, ptr};

/// What comes of an attempt to promote a frame of another thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Attempt {
    /// One is offered.
    Given,
    /// The thread is not silent yet, or is on its cold path, or all slots are full: try again.
    Again,
    /// There is none. The thread's next fork offers itself.
    Nothing,
}

/// Promotes a frame of the thread that sits on `silent` if it has been asked for long and does not
/// answer.
pub(crate) fn promote_if_silent(silent: &Member, now: u64) -> Attempt {
    if silent.demand.asked() == 0 || !has_heavy_barrier() || !may_have_frames(silent) {
        return Attempt::Nothing;
    }
    let since = now.saturating_sub(silent.demand.asked_at());
    if since < silent.shared().policy.nap {
        return Attempt::Again;
    }
    promote(silent)
}

/// Returns whether the thread that sits on `member` may be inside of a join; after a heavy barrier,
/// also of one that it has begun before it was asked.
pub(crate) fn may_have_frames(member: &Member) -> bool {
    let has_tail = member.demand.flag.while_attached(|word| {
        // SAFETY: of a seat, which is attached meanwhile.
        let (local, _) = unsafe { Local::of_word(word) };
        !local.tail().is_null()
    });
    has_tail == Some(true)
}

#[cold]
#[inline(never)]
fn promote(silent: &Member) -> Attempt {
    let attempt = silent.demand.flag.while_attached(|word| {
        // SAFETY: of a seat, which is attached meanwhile: its thread has its record.
        let (local, record) = unsafe { Local::of_word(word) };
        let thread = record?;
        // SAFETY: in place of the owner, so it is alone (remote.rs).
        let promote = || abort_on_panic(|| unsafe { promote_for(thread, local, silent) });
        Some(local.remote.stand_in(local.word(), promote))
    });
    match attempt.flatten() {
        Some(attempt) => attempt.unwrap_or(Attempt::Again),
        None => Attempt::Nothing,
    }
}

/// # Safety
/// The calling thread stands in for the one of these.
unsafe fn promote_for(thread: &Thread, local: &Local, member: &Member) -> Attempt {
    let (context, tail) = (thread.context.get(), local.tail());
    // R5: what they lead to is visible.
    heavy_barrier();
    // SAFETY: null or alive (contract of `set_current`); none is left meanwhile.
    let context: Option<&Context<'_>> = unsafe { context.as_ref() };
    // What is carried is known to its own thread only.
    let Some(context) = context.filter(|_| !Carried::may_be_anything()) else {
        return Attempt::Nothing;
    };
    // SAFETY: null or alive (contract of `set_tail`); inside of a context the join of a frame that
    // is seen does not end meanwhile.
    let tail: Option<&Scope<'_>> = unsafe { tail.as_ref() };
    let innermost = (context, tail.and_then(Scope::frame));
    // Not by recursion: our stack may be smaller than the owner's.
    let outer = |&(context, _): &(&_, _)| {
        let context: &Context<'_> = context;
        context.giving.map(|(outer, tip, _)| (outer, tip))
    };
    let contexts = iter::successors(Some(innermost), outer);
    let contexts = contexts.filter(|(context, _)| ptr::eq(context.member, member));
    // The outermost first.
    for at in contexts.collect::<Vec<_>>().into_iter().rev() {
        // SAFETY: the caller's.
        let attempt = unsafe { promote_in(thread, local, member, at) };
        if attempt != Attempt::Nothing {
            return attempt;
        }
    }
    Attempt::Nothing
}

/// Does so in a context of this member.
///
/// # Safety
/// As for [`promote_for`]; the tip is the innermost frame of the context's plain joins.
unsafe fn promote_in(
    thread: &Thread,
    local: &Local,
    member: &Member,
    (context, tip): (&Context<'_>, Option<FrameRef<'_>>),
) -> Attempt {
    let run = (context.run, context.level);
    // SAFETY: as in a tick, of which there is none.
    let Some(chain) = (unsafe { Chain::link(tip, Some(context.root), run) }) else {
        return Attempt::Nothing;
    };
    let mut next = chain.oldest();
    while let Some(frame) = next {
        if !frame.is_promoted() && matches!(frame.kind(), FrameKind::Half(_)) {
            let Some(slot) = member.offers.free_slot() else {
                return Attempt::Again;
            };
            let carried = Carried::NOTHING;
            // SAFETY: linked; the caller's; a join's.
            unsafe { publish(thread, local, (frame, member), slot, run, carried) };
            return Attempt::Given;
        }
        // A loop may have something to give, which only its thread can split off.
        next = chain.below(frame);
    }
    Attempt::Nothing
}

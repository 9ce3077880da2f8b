//! Promoting a frame of another thread, which does not answer, in its place: protocol/remote.rs has
//! the protocol.

use super::{
    chain::Chain,
    frame::{FrameKind, FrameRef},
    member::Member,
    promote::{publish, put_up},
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

/// The frames that a thread is after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Frames {
    /// Those that are not promoted.
    Private,
    /// Also those whose job a thread has taken and declined.
    All,
}

/// Offers the half of such a frame of the thread that sits on `silent` if it has been asked for
/// long and does not answer.
pub(crate) fn promote_if_silent(silent: &Member, now: u64, frames: Frames) -> Attempt {
    let demand = &silent.demand;
    if demand.asked() == 0 || demand.is_vain() || !has_heavy_barrier() {
        return Attempt::Nothing;
    }
    let asked_at = demand.asked_at();
    let since = now.saturating_sub(asked_at);
    let is_due = since >= silent.shared().policy.nap;
    let notes = is_due && frames == Frames::All;
    if notes {
        demand.set_vain_at(asked_at);
    }
    if !may_have_frames(silent) {
        return Attempt::Nothing;
    }
    if !is_due {
        return Attempt::Again;
    }
    let attempt = promote(silent, frames);
    if notes && attempt != Attempt::Nothing {
        demand.end_vain();
    }
    attempt
}

/// Returns whether the thread that sits on `member` may be inside of a join. This may be out of
/// date.
pub(crate) fn may_have_frames(member: &Member) -> bool {
    let have = member.demand.flag.while_attached(|word| {
        // SAFETY: of a seat, which is attached meanwhile.
        unsafe { Local::of_word(word) }.may_have_frames()
    });
    have == Some(true)
}

/// Offers such a frame of the calling thread, which sits on `me`, if there is one.
pub(crate) fn offer_own(me: &Member) {
    let Some(thread) = Thread::current() else {
        return;
    };
    let Some(_ticking) = thread.begin_tick() else {
        return;
    };
    let local = Local::current();
    let at = (thread.context.get(), local.tail());
    // SAFETY: of the calling thread, in a tick.
    let offer = || unsafe { promote_for((&thread, local), at, me, Frames::All) };
    abort_on_panic(offer);
}

#[cold]
#[inline(never)]
fn promote(silent: &Member, frames: Frames) -> Attempt {
    let attempt = silent.demand.flag.while_attached(|word| {
        // SAFETY: of a seat, which is attached meanwhile.
        let local = unsafe { Local::of_word(word) };
        let promote = || {
            let tail = local.tail();
            if tail.is_null() {
                // It may be ending.
                return Attempt::Nothing;
            }
            // SAFETY: inside of a context, which it does not leave meanwhile, it has its record.
            let thread = unsafe { &*local.record() };
            let at = (thread.context.get(), tail);
            // R5: what they lead to is visible.
            heavy_barrier();
            // SAFETY: in place of the owner, so it is alone (remote.rs).
            unsafe { promote_for((thread, local), at, silent, frames) }
        };
        let promote = || abort_on_panic(promote);
        let attempt = local.remote.stand_in(local.word(), promote);
        attempt.unwrap_or(Attempt::Again)
    });
    attempt.unwrap_or(Attempt::Nothing)
}

/// # Safety
/// The calling thread is that of these, in a tick, or stands in for it. These are its context and
/// its tail, and what they lead to is visible.
unsafe fn promote_for(
    (thread, local): (&Thread, &Local),
    (context, tail): (*const Context<'static>, *const Scope<'static>),
    member: &Member,
    frames: Frames,
) -> Attempt {
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
    // Not by recursion: our stack may be smaller than the owner's. Also those that have nothing to
    // give: a promoted frame may be declined.
    let outer = |&(context, _): &(&_, _)| {
        let context: &Context<'_> = context;
        // SAFETY: null or alive, as what is outside.
        let tail: Option<&Scope<'_>> = unsafe { context.outer_tail.as_ref() };
        Some((context.outer?, tail.and_then(Scope::frame)))
    };
    let contexts = iter::successors(Some(innermost), outer);
    let contexts = contexts.filter(|(context, _)| ptr::eq(context.member, member));
    // The outermost first.
    for at in contexts.collect::<Vec<_>>().into_iter().rev() {
        // SAFETY: the caller's.
        let attempt = unsafe { promote_in(thread, local, member, at, frames) };
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
    frames: Frames,
) -> Attempt {
    let run = (context.run, context.level);
    // SAFETY: as in a tick, of which there is none.
    let Some(chain) = (unsafe { Chain::link(tip, Some(context.root), run) }) else {
        return Attempt::Nothing;
    };
    let mut next = match frames {
        Frames::Private => chain.oldest(),
        Frames::All => chain.outermost(),
    };
    while let Some(frame) = next {
        // A loop may have something to give, which only its thread can split off.
        let is_private = !frame.is_promoted() && matches!(frame.kind(), FrameKind::Half(_));
        let declined = frame.job().filter(|job| job.is_declined());
        if is_private || declined.is_some() {
            let Some(slot) = member.offers.free_slot() else {
                return Attempt::Again;
            };
            if let Some(job) = declined {
                // SAFETY: in place of the owner, whose join does not end meanwhile; declined.
                unsafe { job.reopen() };
                // SAFETY: in place of the owner; back, and filled in as before.
                unsafe { put_up(job, member, slot, context.level) };
            } else {
                let carried = Carried::NOTHING;
                // SAFETY: linked; the caller's; a join's.
                unsafe { publish(thread, local, (frame, member), slot, run, carried) };
            }
            return Attempt::Given;
        }
        next = chain.below(frame);
    }
    Attempt::Nothing
}

//! The placement of idle workers: not on the processor of a thread that they want to help (os.rs
//! says why that happens).
//!
//! A thread that wakes a worker and goes on computing removes its own processor from the set that
//! the worker may use, before it wakes the worker. After the wake-up, during which the system
//! chooses a processor, it allows the worker all processors again; the worker does so before it
//! runs anything, if it is first. A caller that will wait for the worker does none of this: the
//! worker may best take over its processor. The reserve (reserve.rs) is woken and moves as a worker
//! does.
//!
//! A worker that is on the processor of an active member moves in the same way: it removes that
//! processor from its set, and at once allows itself all again. It sleeps with the set that it
//! started with.
//!
//! **No trace.** Workers move only where nothing restricts them: where their set is that of all
//! processors of the system. Then allowing all processors widens nothing. The set is "all possible
//! processors", not the current ones, so that a limit of the process's group (a cpuset) that comes
//! and goes later applies to these threads as to all others.
//!
//! **Others' decisions stay.** A set that another program has chosen, for the process or for one
//! thread, is not that of all processors, so its thread no longer moves. A set that is chosen
//! during a move is seen before the end of the move, and stays (unless it is chosen between that
//! check and the following call: the system has no call for both). A set that equals the set of the
//! move, as "the other one" of two processors may, cannot be distinguished from it. So moves are
//! short: they do not last until a woken worker runs, which may take long on a busy machine.

use super::threads::GUEST;
use crate::{
    join::member::{Member, cpu::online},
    os::{self, CALLING, Processors},
};
use std::ptr;

/// Moves the calling worker, or the reserve, to another processor if it shares its own with another
/// active member, and if there is one that no member uses. Returns false if it may not move, so
/// that the caller need not try again soon.
pub(crate) fn step_aside(me: &Member) -> bool {
    let Some(mine) = os::current_cpu() else {
        return false;
    };
    let shared_with_another = active_others(me).any(|cpu| cpu == mine);
    if !shared_with_another {
        return true;
    }
    let all = os::processors(CALLING);
    if all.is_none() || all != *online() {
        return false;
    }
    let free = active_others(me).fold(all, |free, cpu| free.map(|free| free.without(cpu)));
    let Some(free) = free.filter(|free| !free.is_empty()) else {
        return false;
    };
    os::set_processors(CALLING, &free);
    if os::processors(CALLING) == Some(free) {
        os::set_processors(CALLING, &Processors::ALL);
    }
    true
}

fn active_others(me: &Member) -> impl Iterator<Item = u32> {
    let pool = me.shared();
    // Those that hand their work over wait. The reserve, which sits as a guest, runs tasks while the
    // other guests do something else.
    let guests_work = me.index != GUEST && !pool.hands_over();
    let others = pool.members.iter().filter(|m| !ptr::eq(*m, me));
    others
        .filter(move |m| m.index != GUEST || guests_work)
        .filter_map(|m| m.cpu.get())
}

/// Returns whether an outside thread that hands its work over was last active on the processor of
/// the calling worker.
pub(crate) fn is_beside_a_caller(me: &Member) -> bool {
    let Some(mine) = os::current_cpu() else {
        return false;
    };
    let mut callers = me.shared().members.iter().filter(|m| m.index == GUEST);
    callers.any(|m| m.cpu.get() == Some(mine))
}

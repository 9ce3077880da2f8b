//! Where idle workers run: not on the processor of a thread they want to help (os.rs says why that happens).
//!
//! A worker that finds itself on the processor of an active member moves: it leaves that processor out of the set it may
//! use, and at once allows itself everything again. It sleeps with the set that it started with.
//!
//! **No trace.** Workers move only where nothing restricts them: where their set is that of all processors the system
//! has. Then to allow everything widens nothing. It is said as "all there may ever be", not as the set of today, so that
//! a limit of the process's group (a cpuset) which comes and goes later counts for these threads as for all others.
//!
//! **Others' decisions stay.** A set that another program has chosen, for the process or for one thread, is none of all
//! processors, so its thread moves no more. One that is chosen in the middle of a move is seen before the end of it, and
//! stays (unless it is chosen between that look and the call that follows it: the system has no call for both).

use crate::{
    os::{self, Processors},
    pool::member::Member,
};
use std::{ptr, sync::OnceLock};

/// Moves the calling worker to another processor if it shares its own with another active member, and
/// if there is one that no member uses. False if it may not move, so that it need not be tried again soon.
pub(crate) fn step_aside(me: &Member) -> bool {
    let Some(mine) = os::current_cpu() else {
        return false;
    };
    let shared_with_another = active_others(me).any(|cpu| cpu == mine);
    if !shared_with_another {
        return true;
    }
    let all = os::processors();
    if all.is_none() || all != *online() {
        return false;
    }
    let free = active_others(me).fold(all, |free, cpu| free.map(|free| free.without(cpu)));
    let Some(free) = free.filter(|free| !free.is_empty()) else {
        return false;
    };
    os::set_processors(&free);
    if os::processors() == Some(free) {
        os::set_processors(&Processors::ALL);
    }
    true
}

/// All processors of the system, as they were when this was first asked.
fn online() -> &'static Option<Processors> {
    static ONLINE: OnceLock<Option<Processors>> = OnceLock::new();
    ONLINE.get_or_init(os::online_processors)
}

fn active_others(me: &Member) -> impl Iterator<Item = u32> {
    me.shared()
        .members()
        .filter(move |m| !ptr::eq(*m, me))
        .filter_map(Member::cpu)
}

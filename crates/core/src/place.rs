//! Where idle workers run: not on the processor of a thread they want to help (os.rs says why that happens).
//!
//! Only workers move, only while they are idle, and their set of processors is theirs again afterwards.

use crate::{member::Member, os};
use std::ptr;

/// Moves the calling worker to another processor if it shares its own with another active member, and
/// if there is one that no member uses.
pub(crate) fn step_aside(me: &Member) {
    let Some(mine) = os::current_cpu() else {
        return;
    };
    let shared_with_another = active_others(me).any(|cpu| cpu == mine);
    if !shared_with_another {
        return;
    }
    if let Some((free, all)) = free_processors(me) {
        os::set_processors(&free);
        os::set_processors(&all);
    }
}

/// Sleeps by calling `park`, so that whoever wakes the worker does so on another processor than those the
/// active members run on.
pub(crate) fn asleep_elsewhere(me: &Member, park: impl FnOnce()) {
    let masks = free_processors(me);
    if let Some((free, _)) = &masks {
        os::set_processors(free);
    }
    park();
    if let Some((_, all)) = &masks {
        os::set_processors(all);
    }
}

/// The processors this thread may use and that no active member uses, and all it may use. `None` if none is free.
fn free_processors(me: &Member) -> Option<(os::Processors, os::Processors)> {
    let all = os::processors()?;
    let free = active_others(me).fold(all, os::Processors::without);
    (!free.is_empty()).then_some((free, all))
}

fn active_others(me: &Member) -> impl Iterator<Item = u32> {
    me.shared()
        .members()
        .filter(move |m| !ptr::eq(*m, me))
        .filter_map(Member::cpu)
}

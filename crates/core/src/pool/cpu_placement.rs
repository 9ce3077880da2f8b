//! Where idle workers run: not on the processor of a thread they want to help (os.rs says why that
//! happens).
//!
//! A thread that wakes a worker and goes on computing leaves its own processor out of the set that
//! the worker may use, before it wakes it. As soon as it has woken it, which is when the system
//! chooses a processor, it allows the worker everything again; so does the worker before it runs
//! anything, if it is the first. A caller that will wait for the worker does none of this: there
//! the worker had best take over its processor.
//!
//! A worker that finds itself on the processor of an active member moves in the same way: it leaves
//! that processor out, and at once allows itself everything again. It sleeps with the set that it
//! started with.
//!
//! **No trace.** Workers move only where nothing restricts them: where their set is that of all
//! processors the system has. Then to allow everything widens nothing. It is said as "all there may
//! ever be", not as the set of today, so that a limit of the process's group (a cpuset) which comes
//! and goes later counts for these threads as for all others.
//!
//! **Others' decisions stay.** A set that another program has chosen, for the process or for one
//! thread, is none of all processors, so its thread moves no more. One that is chosen in the middle
//! of a move is seen before the end of it, and stays (unless it is chosen between that look and the
//! call that follows it: the system has no call for both). One that equals the set of the move, as
//! "the other one" of two processors may, cannot be told from it. So moves are short: they do not
//! last until a worker that has been woken gets to run, which may be long on a busy machine.

use crate::{
    join::member::{GUEST, Member, cpu::NO_CPU},
    os::{self, Processors, ThreadId},
};
use std::{
    ptr,
    sync::{
        OnceLock,
        atomic::{AtomicI32, AtomicU32, Ordering},
    },
};

/// Moves the calling worker to another processor if it shares its own with another active member,
/// and if there is one that no member uses. False if it may not move, so that it need not be tried
/// again soon.
pub(crate) fn step_aside(me: &Member) -> bool {
    let Some(mine) = os::current_cpu() else {
        return false;
    };
    let shared_with_another = active_others(me).any(|cpu| cpu == mine);
    if !shared_with_another {
        return true;
    }
    let all = os::processors(ThreadId::CALLING);
    if all.is_none() || all != *online() {
        return false;
    }
    let free = active_others(me).fold(all, |free, cpu| free.map(|free| free.without(cpu)));
    let Some(free) = free.filter(|free| !free.is_empty()) else {
        return false;
    };
    os::set_processors(ThreadId::CALLING, &free);
    if os::processors(ThreadId::CALLING) == Some(free) {
        os::set_processors(ThreadId::CALLING, &Processors::ALL);
    }
    true
}

/// Where a worker may wake up: written by the thread that wakes it.
#[derive(Debug)]
pub(crate) struct CpuPlacement {
    /// The worker's thread, 0 before it has come.
    thread: AtomicI32,
    /// The processor that it was kept off, `NO_CPU` if none. Written under the parker's lock while
    /// the worker is parked; forgotten once it may use all again.
    kept_off: AtomicU32,
}

impl CpuPlacement {
    pub(crate) fn new() -> Self {
        CpuPlacement {
            thread: AtomicI32::new(0),
            kept_off: AtomicU32::new(NO_CPU),
        }
    }

    /// Says which thread sits here, the calling one.
    pub(crate) fn settle(&self) {
        self.thread.store(os::this_thread().0, Ordering::Relaxed);
    }

    /// For a thread that goes on computing: keeps the parked worker off its processor.
    fn keep_off(&self) {
        let thread = ThreadId(self.thread.load(Ordering::Relaxed));
        let (Some(cpu), Some(all)) = (os::current_cpu(), *online()) else {
            return;
        };
        let free = all.without(cpu);
        if thread == ThreadId::CALLING || free.is_empty() || os::processors(thread) != Some(all) {
            return;
        }
        self.kept_off.store(cpu, Ordering::Relaxed);
        os::set_processors(thread, &free);
    }

    /// For the worker, which has been parked: it may use all processors again.
    pub(crate) fn spread(&self) {
        self.give_back(ThreadId::CALLING);
    }

    /// Allows the worker, which is `thread`, all processors again. The second that does finds nothing
    /// to do, or does it again.
    fn give_back(&self, thread: ThreadId) {
        let cpu = self.kept_off.load(Ordering::Relaxed);
        if cpu == NO_CPU {
            return;
        }
        let given = online().map(|all| all.without(cpu));
        if given.is_some() && os::processors(thread) == given {
            os::set_processors(thread, &Processors::ALL);
        }
        self.kept_off.store(NO_CPU, Ordering::Relaxed);
    }
}

/// Wakes the worker that sits on `member`, if it is parked, on another processor than that of the
/// calling thread.
pub(crate) fn wake_elsewhere(member: &Member) {
    let placement = &member.cpu_placement;
    member.parker.unpark_after(|| placement.keep_off());
    // It has a processor now, and keeps it.
    placement.give_back(ThreadId(placement.thread.load(Ordering::Relaxed)));
}

/// All processors of the system, as they were when this was first asked.
fn online() -> &'static Option<Processors> {
    static ONLINE: OnceLock<Option<Processors>> = OnceLock::new();
    ONLINE.get_or_init(os::online_processors)
}

fn active_others(me: &Member) -> impl Iterator<Item = u32> {
    let waits = me.shared().hands_over();
    me.shared()
        .members
        .iter()
        .filter(move |m| !(ptr::eq(*m, me) || waits && m.index == GUEST))
        .filter_map(|m| m.cpu.get())
}

/// Whether a thread from outside that hands its work over was last seen on the processor of the
/// calling worker.
pub(crate) fn is_beside_a_caller(me: &Member) -> bool {
    let Some(mine) = os::current_cpu() else {
        return false;
    };
    let mut callers = me.shared().members.iter().filter(|m| m.index == GUEST);
    callers.any(|m| m.cpu.get() == Some(mine))
}

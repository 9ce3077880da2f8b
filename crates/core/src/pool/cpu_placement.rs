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

use crate::{
    join::member::{GUEST, Member},
    os::{self, CALLING, Processors},
};
use std::{
    ptr,
    sync::{
        OnceLock,
        atomic::{AtomicI32, AtomicU32, Ordering},
    },
};

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

const NO_CPU: u32 = u32::MAX;

/// The processor on which a member's thread was last active, and those on which it may wake up.
pub(crate) struct Cpu {
    /// `NO_CPU` if it is not active. Only the seated thread writes it; for all others it is a hint.
    active: AtomicU32,
    /// The thread of the worker or the reserve that sits here, else 0.
    thread: AtomicI32,
    /// The processor that it was kept off, `NO_CPU` if none. Written under the parker's lock while
    /// the worker is parked; reset once it may use all again.
    kept_off: AtomicU32,
}

impl Cpu {
    pub(crate) fn new() -> Self {
        Cpu {
            active: AtomicU32::new(NO_CPU),
            thread: AtomicI32::new(0),
            kept_off: AtomicU32::new(NO_CPU),
        }
    }

    /// Records that the calling thread, which sits here, is active.
    pub(crate) fn note(&self) {
        let cpu = os::current_cpu().unwrap_or(NO_CPU);
        self.active.store(cpu, Ordering::Relaxed);
    }

    /// Records that it is not.
    pub(crate) fn forget(&self) {
        self.active.store(NO_CPU, Ordering::Relaxed);
    }

    pub(crate) fn get(&self) -> Option<u32> {
        let cpu = self.active.load(Ordering::Relaxed);
        (cpu != NO_CPU).then_some(cpu)
    }

    /// Records the calling thread as the one that sits here.
    pub(crate) fn settle(&self) {
        self.thread.store(os::this_thread(), Ordering::Relaxed);
    }

    /// Records that it leaves.
    pub(crate) fn leave(&self) {
        self.thread.store(CALLING, Ordering::Relaxed);
    }

    /// For a thread that goes on computing: keeps the parked worker off its processor.
    fn keep_off(&self) {
        let thread = self.thread.load(Ordering::Relaxed);
        let (Some(cpu), Some(all)) = (os::current_cpu(), *online()) else {
            return;
        };
        let free = all.without(cpu);
        if thread == CALLING || free.is_empty() || os::processors(thread) != Some(all) {
            return;
        }
        self.kept_off.store(cpu, Ordering::Relaxed);
        os::set_processors(thread, &free);
    }

    /// For the worker, which has been parked: allows it all processors again.
    pub(crate) fn spread(&self) {
        self.give_back(CALLING);
    }

    /// Allows the worker, which is `thread`, all processors again. A second call does nothing, or
    /// the same again.
    fn give_back(&self, thread: i32) {
        let cpu = self.kept_off.load(Ordering::Relaxed);
        if cpu != NO_CPU {
            self.end_of_keeping_off(thread, cpu);
        }
    }

    #[cold]
    #[inline(never)]
    fn end_of_keeping_off(&self, thread: i32, cpu: u32) {
        let given = online().map(|all| all.without(cpu));
        if given.is_some() && os::processors(thread) == given {
            os::set_processors(thread, &Processors::ALL);
        }
        self.kept_off.store(NO_CPU, Ordering::Relaxed);
    }
}

/// Wakes the worker that sits on `member`, if it is parked, on another processor than that of the
/// calling thread.
#[inline(never)]
pub(crate) fn wake_elsewhere(member: &Member) {
    let cpu = &member.cpu;
    member.parker.unpark_after(|| cpu.keep_off());
    // It has a processor now, which it keeps.
    let thread = cpu.thread.load(Ordering::Relaxed);
    if thread != CALLING {
        cpu.give_back(thread);
    }
}

/// Returns all processors of the system, as they were at the first call.
fn online() -> &'static Option<Processors> {
    static ONLINE: OnceLock<Option<Processors>> = OnceLock::new();
    // They are read before the lock is taken: a child of fork would wait for a thread that has it.
    ONLINE.get().unwrap_or_else(|| {
        let online = os::online_processors();
        ONLINE.get_or_init(|| online)
    })
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

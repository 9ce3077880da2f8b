//! Calls to the operating system beyond the standard library: exact timers, and the processor of a
//! thread. All of them are optional: where a call is missing or fails, naps are longer and threads
//! stay where the system put them.
//!
//! Why processors matter: in a virtual machine Linux takes halted processors for busy ones (as if
//! their host had preempted them), so it wakes a thread on its waker's processor, and both stay
//! there while another is idle. So a thread that wakes a worker wakes it on another processor, and
//! a worker on the processor of a thread that it wants to help moves away (cpu_placement.rs).

/// The processors that a thread may use, one bit each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Processors([usize; Processors::WORDS]);

impl Processors {
    const BITS: usize = usize::BITS as usize;
    const WORDS: usize = 1024 / Processors::BITS;
    /// All possible processors.
    pub(crate) const ALL: Processors = Processors([usize::MAX; Processors::WORDS]);

    pub(crate) fn without(mut self, cpu: u32) -> Self {
        let cpu = cpu as usize;
        if let Some(word) = self.0.get_mut(cpu / Processors::BITS) {
            *word &= !(1 << (cpu % Processors::BITS));
        }
        self
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }
}

/// The number that the system takes for the calling thread.
pub(crate) const CALLING: i32 = 0;

/// Returns the calling process; always the same where there is only one.
pub(crate) fn process() -> u32 {
    if cfg!(target_family = "wasm") {
        // The standard library panics.
        return 1;
    }
    std::process::id()
}

#[cfg(all(target_os = "linux", not(miri)))]
mod imp {
    use super::Processors;
    use std::{
        ffi::{c_int, c_long, c_ulong},
        sync::LazyLock,
    };

    unsafe extern "C" {
        fn syscall(number: c_long, ...) -> c_long;
        fn prctl(option: c_int, ...) -> c_int;
        safe fn sched_getcpu() -> c_int;
        safe fn gettid() -> c_int;
        fn sched_getaffinity(pid: c_int, size: usize, mask: *mut usize) -> c_int;
        fn sched_setaffinity(pid: c_int, size: usize, mask: *const usize) -> c_int;
    }

    impl Processors {
        pub(super) const NONE: Processors = Processors([0; Processors::WORDS]);

        /// Parses a list of processors such as `0-3,8`. `None` if it is invalid, or has too large a
        /// number.
        pub(super) fn of_list(list: &str) -> Option<Processors> {
            let mut processors = Processors::NONE;
            for range in list.trim_ascii().split(',') {
                let (first, last) = range.split_once('-').unwrap_or((range, range));
                let (first, last): (usize, usize) = (first.parse().ok()?, last.parse().ok()?);
                for cpu in first..=last {
                    let word = processors.0.get_mut(cpu / Processors::BITS)?;
                    *word |= 1 << (cpu % Processors::BITS);
                }
            }
            Some(processors)
        }
    }

    pub(crate) fn precise_timers() {
        const PR_SET_TIMERSLACK: c_int = 29;
        let nanoseconds: c_ulong = 1;
        // SAFETY: this option takes one unsigned long and touches no memory of ours.
        unsafe { prctl(PR_SET_TIMERSLACK, nanoseconds) };
    }

    /// The system's number of `membarrier`, where that is known.
    const MEMBARRIER: Option<c_long> = match () {
        () if cfg!(target_arch = "x86_64") => Some(324),
        () if cfg!(any(target_arch = "aarch64", target_arch = "riscv64")) => Some(283),
        () => None,
    };

    fn membarrier(command: c_int) -> bool {
        let no_flags: c_int = 0;
        // SAFETY: these commands touch no memory.
        MEMBARRIER.is_some_and(|number| unsafe { syscall(number, command, no_flags) == 0 })
    }

    pub(crate) fn has_heavy_barrier() -> bool {
        const REGISTER_PRIVATE_EXPEDITED: c_int = 1 << 4;
        static IS_REGISTERED: LazyLock<bool> =
            LazyLock::new(|| membarrier(REGISTER_PRIVATE_EXPEDITED));
        *IS_REGISTERED
    }

    pub(crate) fn heavy_barrier() -> bool {
        const PRIVATE_EXPEDITED: c_int = 1 << 3;
        membarrier(PRIVATE_EXPEDITED)
    }

    pub(crate) fn current_cpu() -> Option<u32> {
        if cfg!(explore) {
            // It would not be part of the schedule.
            return None;
        }
        u32::try_from(sched_getcpu()).ok()
    }

    pub(crate) fn this_thread() -> i32 {
        gettid()
    }

    #[inline(never)]
    pub(crate) fn processors(thread: i32) -> Option<Processors> {
        let mut mask = Processors::NONE;
        let size = size_of_val(&mask.0);
        // SAFETY: the mask has the size we say.
        let result = unsafe { sched_getaffinity(thread, size, mask.0.as_mut_ptr()) };
        (result >= 0).then_some(mask)
    }

    pub(crate) fn online_processors() -> Option<Processors> {
        let list = std::fs::read("/sys/devices/system/cpu/online").ok()?;
        Processors::of_list(std::str::from_utf8(&list).ok()?)
    }

    pub(crate) fn set_processors(thread: i32, mask: &Processors) {
        let size = size_of_val(&mask.0);
        // SAFETY: the mask has the size we say.
        unsafe { sched_setaffinity(thread, size, mask.0.as_ptr()) };
    }
}

#[cfg(not(all(target_os = "linux", not(miri))))]
mod imp {
    use super::{CALLING, Processors};

    pub(crate) fn precise_timers() {}

    pub(crate) fn has_heavy_barrier() -> bool {
        false
    }

    pub(crate) fn heavy_barrier() -> bool {
        false
    }

    pub(crate) fn current_cpu() -> Option<u32> {
        None
    }

    pub(crate) fn this_thread() -> i32 {
        CALLING
    }

    pub(crate) fn processors(_: i32) -> Option<Processors> {
        None
    }

    pub(crate) fn online_processors() -> Option<Processors> {
        None
    }

    pub(crate) fn set_processors(_: i32, _: &Processors) {}
}

/// Returns the processor of the calling thread, if the system reports it.
///
/// # Cost
/// About 2 ns.
pub(crate) use imp::current_cpu;
/// Returns whether the system has a `heavy_barrier`.
pub(crate) use imp::has_heavy_barrier;
/// Has all threads of the process pass a barrier: what each has written before is visible to the
/// calling thread then, and what that has written before to them. Returns false if the system has
/// no such call, or `has_heavy_barrier` was not called before.
///
/// # Cost
/// A microsecond, or some on many processors, which each thread that runs pays for, too.
pub(crate) use imp::heavy_barrier;
/// Returns the processors of the system, if it reports them.
///
/// # Cost
/// Reads a file.
pub(crate) use imp::online_processors;
/// Makes the naps of the calling thread accurate to about a microsecond: by default Linux adds up
/// to 50 µs to each.
pub(crate) use imp::precise_timers;
/// Returns the processors that a thread may use.
pub(crate) use imp::processors;
/// Restricts a thread to some processors; moves it if it runs on another.
///
/// # Cost
/// 1 to 3 µs; 30 to 50 µs if the thread has to move.
pub(crate) use imp::set_processors;
/// Returns the calling thread, for use by others.
pub(crate) use imp::this_thread;

#[cfg(all(test, target_os = "linux", not(any(loom, miri))))]
mod tests {
    use super::*;

    #[test]
    fn lists_of_processors() {
        let without = |cpus: &[u32]| cpus.iter().fold(Processors::ALL, |all, &c| all.without(c));
        let of_list = Processors::of_list;
        let from_1 = of_list("1-1023\n").expect("a list");
        assert_eq!(from_1, without(&[0]));
        assert_eq!(of_list("0-2,4,7-1023"), Some(without(&[3, 5, 6])));
        for bad in ["", "1-", "a", "0-1024", "0-3,8,"] {
            assert_eq!(of_list(bad), None, "{bad}");
        }
    }

    #[test]
    fn this_thread_may_use_some_of_the_processors_there_are() {
        let (Some(mine), Some(all)) = (processors(CALLING), online_processors()) else {
            return;
        };
        assert!(!mine.is_empty() && !all.is_empty());
        assert!((0..1024).all(|cpu| mine.without(cpu) == mine || all.without(cpu) != all));
    }
}

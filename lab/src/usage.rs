//! What the kernel counts for processes and threads: CPU time, context switches, memory. Linux
//! only; nothing is known elsewhere.

use crate::results::CellTimes;

/// Whose.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Whose {
    /// This process's, all threads together.
    Own,
    /// This thread's.
    Thread,
    /// That of its children which have ended.
    Children,
}

/// What was used so far, and the most memory at once, in KiB.
#[cfg(target_os = "linux")]
pub(crate) fn of(whose: Whose) -> (CellTimes, u64) {
    use nix::sys::resource::{UsageWho, getrusage};
    use nix::sys::time::TimeVal;

    let who = match whose {
        Whose::Own => UsageWho::RUSAGE_SELF,
        Whose::Thread => UsageWho::RUSAGE_THREAD,
        Whose::Children => UsageWho::RUSAGE_CHILDREN,
    };
    let Ok(usage) = getrusage(who) else {
        return (CellTimes::default(), 0);
    };
    // Its width is the system's.
    fn count(number: impl TryInto<u64>) -> u64 {
        number.try_into().unwrap_or(0)
    }
    let time =
        |time: TimeVal| count(time.tv_sec()) as f64 * 1e9 + count(time.tv_usec()) as f64 * 1e3;
    let times = CellTimes {
        wall: 0.0,
        user: time(usage.user_time()),
        system: time(usage.system_time()),
        voluntary: count(usage.voluntary_context_switches()),
        involuntary: count(usage.involuntary_context_switches()),
    };
    (times, count(usage.max_rss()))
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn of(_: Whose) -> (CellTimes, u64) {
    (CellTimes::default(), 0)
}

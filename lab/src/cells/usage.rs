//! What this process has used so far, all of its threads together, where the system says so. The
//! kernel counts a running thread's time at its clock ticks, some milliseconds apart; short visits
//! show it.

use std::time::Duration;

/// CPU time and context switches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Usage {
    pub(super) user: Duration,
    pub(super) system: Duration,
    pub(super) voluntary: u64,
    pub(super) involuntary: u64,
}

impl Usage {
    /// Until now.
    #[cfg(target_os = "linux")]
    pub(super) fn now() -> Usage {
        use nix::sys::resource::{UsageWho, getrusage};
        use nix::sys::time::TimeVal;

        let Ok(usage) = getrusage(UsageWho::RUSAGE_SELF) else {
            return Usage::default();
        };
        // Its width is the system's.
        fn count(number: impl TryInto<u64>) -> u64 {
            number.try_into().unwrap_or(0)
        }
        let time = |time: TimeVal| {
            Duration::from_secs(count(time.tv_sec())) + Duration::from_micros(count(time.tv_usec()))
        };
        Usage {
            user: time(usage.user_time()),
            system: time(usage.system_time()),
            voluntary: count(usage.voluntary_context_switches()),
            involuntary: count(usage.involuntary_context_switches()),
        }
    }

    /// Until now; not known here.
    #[cfg(not(target_os = "linux"))]
    pub(super) fn now() -> Usage {
        Usage::default()
    }
}

#[cfg(target_os = "linux")]
#[cfg(test)]
#[test]
fn a_busy_thread_uses_time() {
    let before = Usage::now();
    let start = std::time::Instant::now();
    while Usage::now().user + Usage::now().system == before.user + before.system {
        assert!(
            start.elapsed() < Duration::from_secs(60),
            "the time stands still"
        );
    }
    std::thread::sleep(Duration::from_millis(1));
    assert!(Usage::now().voluntary > before.voluntary);
}

//! The one thing asked of the operating system that the standard library has no function for.

/// Makes the naps of the calling thread end within a microsecond or so of their time, where the system lets us:
/// by default Linux adds up to 50 µs to each.
#[cfg(target_os = "linux")]
pub(crate) fn precise_timers() {
    const PR_SET_TIMERSLACK: i32 = 29;
    unsafe extern "C" {
        fn prctl(option: i32, ...) -> i32;
    }
    let nanoseconds: std::ffi::c_ulong = 1;
    // SAFETY: this option takes one unsigned long and touches no memory of ours; should it fail, the naps
    // are merely longer.
    unsafe { prctl(PR_SET_TIMERSLACK, nanoseconds) };
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn precise_timers() {}

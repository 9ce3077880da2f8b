//! The time that a runnable thread waited for a processor, which is not the program's.
//!
//! Linux reports it (the second number of `schedstat`); elsewhere it is unknown, and nothing is
//! subtracted. Reading it takes a microsecond, so it is read only after strands that were long
//! enough to be interrupted. Sleep and I/O belong to the program, and count.

use super::recorder::Picos;

/// Shorter strands are not checked.
pub(super) const LONG: Picos = 50_000_000;

/// Returns how long the calling thread has waited for a processor since its start, if known.
#[cfg(target_os = "linux")]
pub(super) fn in_all() -> Picos {
    use std::{cell::OnceCell, fs::File, os::unix::fs::FileExt};
    thread_local! {
        static FILE: OnceCell<Option<File>> = const { OnceCell::new() };
    }
    let read = |file: &OnceCell<Option<File>>| {
        let file = file.get_or_init(|| File::open("/proc/thread-self/schedstat").ok());
        let mut text = [0; 128];
        let length = file.as_ref()?.read_at(&mut text, 0).ok()?;
        let text = std::str::from_utf8(&text[..length]).ok()?;
        let nanos: Picos = text.split_whitespace().nth(1)?.parse().ok()?;
        nanos.checked_mul(1000)
    };
    FILE.try_with(read).ok().flatten().unwrap_or(0)
}

/// Returns zero, since it is unknown how long the calling thread has waited for a processor.
#[cfg(not(target_os = "linux"))]
pub(super) fn in_all() -> Picos {
    0
}

//! How long a thread had no processor although it could have run: time that is not the program's.
//!
//! Linux tells (the second number of `schedstat`); elsewhere nothing is known, and nothing taken
//! off. Asking takes a microsecond, so it is done after strands that were long enough for the
//! system to have meddled. Sleeping and waiting for devices are the program's own affair, and
//! count.

use super::recorder::Picos;

/// Strands shorter than this are believed.
pub(super) const LONG: Picos = 50_000_000;

/// How long the calling thread has waited for a processor in all its life, if that is known.
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

/// How long the calling thread has waited for a processor in all its life: not known.
#[cfg(not(target_os = "linux"))]
pub(super) fn in_all() -> Picos {
    0
}

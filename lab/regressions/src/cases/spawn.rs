//! A task that does nothing, every millisecond.
//!
//! <https://github.com/rayon-rs/rayon/issues/642>

use std::thread;
use std::time::Duration;

use super::library;
use crate::{Call, Case, Form};

pub(super) const CASE: Case = Case {
    name: "spawn",
    source: "rayon-rs/rayon#642",
    threads: None,
    is_about_cpu: true,
    prepare,
};

fn prepare(form: Form) -> Call {
    form.call(
        (),
        |()| pause(),
        |()| {
            library::spawn(|| {});
            pause()
        },
    )
}

fn pause() -> u64 {
    thread::sleep(Duration::from_millis(1));
    0
}

//! A task that does nothing: what do starting it and waiting for it cost? A task of sumac's has a
//! promise, one of rayon's a scope; the baseline calls.

use std::hint::black_box;

use super::library::Loop;

/// So many tasks, one after the other.
pub(super) fn spawn(count: usize) -> Loop<usize> {
    let texts: [fn(&usize) -> u64; 3] = [
        |count| each(*count, || ()),
        |count| each(*count, || rayon::scope(|s| s.spawn(|_| ()))),
        |count| each(*count, || sumac::spawn(|| ()).join()),
    ];
    Loop::new(count, texts, count as u64)
}

fn each(count: usize, task: fn()) -> u64 {
    (0..count).for_each(|_| black_box(task)());
    count as u64
}

//! The threads that work on a scan: what a loop gives away here is not a part of its work, but the leave to take part.

use super::chunks::{Chunks, next_len};
use std::cell::Cell;
use sumac_core::{coarse_nanos, splitting};

/// What is done to chunks.
pub(super) trait Work<'v, T>: Sync {
    /// Works on a chunk. `None` if that has become pointless, since another one has panicked.
    fn run(&self, index: usize, chunk: &'v mut [T]) -> Option<()>;

    /// Something has panicked.
    fn halt(&self);
}

/// Works on all chunks, together with whoever is idle.
pub(super) fn with_team<'v, T: Send, W: Work<'v, T>>(chunks: &Chunks<'v, T>, work: &W) {
    let places = Cell::new(chunks.threads() - 1);
    splitting(
        &|| {
            places.set(places.get().checked_sub(1)?);
            Some(())
        },
        &|(), _: &mut _| take_part(chunks, work, || ()),
        |parts| {
            take_part(chunks, work, || parts.poll());
            while parts.take_back().is_some() {}
        },
    );
}

fn take_part<'v, T, W: Work<'v, T>>(chunks: &Chunks<'v, T>, work: &W, mut poll: impl FnMut()) {
    let halt = HaltOnUnwind(|| work.halt());
    let mut len = 1;
    let mut since = coarse_nanos();
    while let Some((index, chunk)) = chunks.next(len) {
        let asked = chunk.len();
        if work.run(index, chunk).is_none() {
            break;
        }
        poll();
        let now = coarse_nanos();
        len = next_len(asked, now.saturating_sub(since));
        since = now;
    }
    std::mem::forget(halt);
}

/// Calls its function if it is dropped: by a panic.
struct HaltOnUnwind<F: Fn()>(F);

impl<F: Fn()> Drop for HaltOnUnwind<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

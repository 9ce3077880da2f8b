//! The threads that work on a scan: this loop gives away places in the team, not parts of its work.
//!
//! The length of chunks follows the clock, as for blocks (block.rs), but they are several times
//! longer: with two threads, handing out a chunk and passing the sum on take some hundred
//! nanoseconds. A thread that has to wait takes short chunks, so that it soon sees that its wait is
//! over.

use super::{Scan, chunks::Chunks, relay::Relay};
use crate::{block, unwind::OnUnwind};
use std::cell::Cell;
use sumac_core::{coarse_nanos, current_num_threads, handed_over, splitting};

/// The duration of a chunk, in blocks,
const BLOCKS: u64 = 16;
/// and the number of chunks into which a thread that waits divides one.
const SHORTER: usize = 8;
/// The number of bytes that fit into the cache of a core, so that they can be read twice.
const BYTES: usize = 1 << 18;

/// Scans the slice, together with idle threads; returns the total.
pub(super) fn scan<'v, T, S>(v: &'v mut [T], scan: &S, init: S::Before) -> S::Before
where
    T: Send + Sync,
    S: Scan<'v, T>,
{
    let threads = current_num_threads();
    let team = Team {
        scan,
        chunks: Chunks::new(v, threads),
        relay: Relay::new(init),
    };
    handed_over(|| {
        let places = Cell::new(threads - 1);
        let give_place = || {
            places.set(places.get().checked_sub(1)?);
            Some(())
        };
        splitting(
            &give_place,
            &|(), _: &mut _| team.take_part(|| ()),
            |given| {
                team.take_part(|| given.poll());
                while given.take_back().is_some() {}
            },
        );
    });
    team.relay.into_inner()
}

struct Team<'s, 'v, T, S: Scan<'v, T>> {
    scan: &'s S,
    chunks: Chunks<'v, T>,
    relay: Relay<S::Before>,
}

impl<'v, T: Send + Sync, S: Scan<'v, T>> Team<'_, 'v, T, S> {
    fn take_part(&self, mut poll: impl FnMut()) {
        let halt = OnUnwind(|| self.relay.halt());
        // Reduced chunks that are still to be scanned.
        let mut ahead = Vec::new();
        let most = (BYTES / size_of::<T>().max(1)).max(1);
        let mut len = 1;
        while let Some(step) = self.step(len, &mut ahead) {
            poll();
            let Step { scanned, took } = step;
            len = block::next(scanned.max(1), took / BLOCKS).min(most);
        }
        std::mem::forget(halt);
    }

    /// Takes one chunk or more and scans them. Returns `None` if there is none, or after a panic.
    fn step(&self, len: usize, ahead: &mut Vec<&'v mut [T]>) -> Option<Step> {
        let Team {
            scan,
            chunks,
            relay,
        } = self;
        let short = len.div_ceil(SHORTER);
        let (index, chunk) =
            chunks.next(
                short,
                |index| {
                    if relay.is_turn_of(index) { len } else { short }
                },
            )?;
        let mut scanned = chunk.len();
        let sum = if relay.is_turn_of(index) {
            None
        } else {
            scan.reduce(chunk)
        };
        let Some(mut sum) = sum else {
            let before = relay.wait(index)?;
            let since = coarse_nanos();
            relay.pass(index..index + 1, scan.scan(before, chunk));
            return Some(Step::new(scanned, since));
        };
        ahead.push(chunk);
        let mut next = index + 1;
        // Normally this is short; but the thread before may have lost its processor.
        while !relay.is_turn_of(index) {
            let Some(more) = chunks.more(next, short) else {
                break;
            };
            sum = scan.fold(sum, more);
            scanned += more.len();
            ahead.push(more);
            next += 1;
        }
        let mut before = relay.wait(index)?;
        let since = coarse_nanos();
        relay.pass(index..next, scan.after(&before, sum));
        for chunk in ahead.drain(..) {
            before = scan.scan(before, chunk);
        }
        Some(Step::new(scanned, since))
    }
}

/// The number of elements scanned, and the nanoseconds it took.
struct Step {
    scanned: usize,
    took: u64,
}

impl Step {
    fn new(scanned: usize, since: u64) -> Self {
        let took = coarse_nanos().saturating_sub(since);
        Step { scanned, took }
    }
}

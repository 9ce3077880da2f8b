//! Whether a thread yields while it waits.
//!
//! A yield lets the worker go on that needs the processor. Where other programs want it, too, they
//! may keep it for all of their turn, some milliseconds, although the worker has long been ready. A
//! thread that has slept gets the processor back at once. So a thread whose yield took long yields
//! no more for a while, and sleeps. (Yields to other threads of ours are shorter: they sleep, too,
//! when they have nothing to do.)

use std::cell::Cell;

/// A yield of so many nanoseconds has given the processor to another program.
const LONG: u64 = 1_000_000;
/// In so many waits the thread does not yield then.
const WAITS: u32 = 1_000;

thread_local! {
    /// In how many waits the calling thread does not yield.
    static WITHOUT: Cell<u32> = const { Cell::new(0) };
}

/// Returns whether the calling thread may yield, and counts a wait in which it does not.
pub(super) fn may_yield() -> bool {
    let waits = WITHOUT.get();
    WITHOUT.set(waits.saturating_sub(1));
    waits == 0
}

/// Learns from a yield that has taken so many nanoseconds.
pub(super) fn learn(taken: u64) {
    if taken >= LONG {
        WITHOUT.set(WAITS);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn after_a_long_yield_there_are_none_for_a_while() {
        learn(LONG - 1);
        assert!(may_yield());
        learn(LONG);
        for _ in 0..WAITS {
            assert!(!may_yield());
        }
        assert!(may_yield());
    }
}

//! What needs no lock: operations that find the structure free, and reads side by side.
//!
//! The word counts the reads that are at the structure, above its bits: each is one `READER`. A
//! read comes in where there is no leader, looks at the structure, and goes: two atomic operations,
//! as for an operation that meets no other. A leader sets `BUSY` whatever the count is, and then
//! waits until the reads have gone (`drain`). None comes in meanwhile: so it waits for what is
//! under way, and a stream of reads keeps no leader out.
//!
//! Invariants:
//! * **Reads or leader.** A read is counted by an atomic operation that finds `BUSY` unset. While
//!   `BUSY` is set the count only falls, and the leader touches the structure once it has seen it
//!   zero. So reads and the leader are never at the structure together. Each read goes with
//!   `Release` and the leader sees the count with `Acquire`; leaders go with `Release`, and reads
//!   come with `Acquire`.
//! * **Counted once.** Who has come in goes out, once: users' code that panics is caught before.
//! * **No word of it.** A read that goes touches the word once and nothing afterwards. Nothing is
//!   woken: a leader looks, less and less often, since reads are short.
//! * **Not inside of one.** No thread waits for reads of a structure while it is in one. There,
//!   operations panic (lead.rs, `assert_outside`); a task that would lead is queued again; and if
//!   it is abandoned, since the read drops its pool, the thread leads when it has gone
//!   (`Turns::end_reading`). Until then `SCHEDULED` stays set, and others may lead before.
//! * **Zero is free.** Where the word says that there is no leader, nothing waits and no task is
//!   queued, an operation begins by itself, also among reads.

use super::{BUSY, Gate, PENDING, SCHEDULED};
use crate::primitive::{Ordering, nap, pause};

/// One read at the structure. There is place for 2^29 of them: more than there are threads.
const READER: u32 = 8;

/// How often a leader looks whether the reads have gone before it sleeps between looks.
const LOOKS: u32 = 1 << 12;

impl<O, A, T> Gate<O, A, T> {
    /// Makes the caller the leader if there is none, nothing waits and no read is there.
    #[inline]
    pub(crate) fn try_begin(&self) -> bool {
        self.word
            .compare_exchange(0, BUSY, Ordering::Acquire, Ordering::Relaxed)
            .is_ok()
    }

    /// The same where there may be reads. Not inside of one.
    pub(crate) fn begin_among_reads(&self) -> bool {
        let mut seen = self.word.load(Ordering::Relaxed);
        while seen & (BUSY | PENDING | SCHEDULED) == 0 {
            let begun =
                self.word
                    .compare_exchange(seen, seen | BUSY, Ordering::Acquire, Ordering::Relaxed);
            match begun {
                Ok(_) => {
                    self.drain();
                    return true;
                }
                Err(now) => seen = now,
            }
        }
        false
    }

    /// Whether operations wait for their batch. A hint.
    pub(crate) fn has_waiters(&self) -> bool {
        self.word.load(Ordering::Relaxed) & (PENDING | SCHEDULED) != 0
    }

    /// Leader: gives the structure back if nothing waits.
    #[inline]
    pub(crate) fn try_end(&self) -> bool {
        self.word
            .compare_exchange(BUSY, 0, Ordering::Release, Ordering::Relaxed)
            .is_ok()
    }

    /// Comes in to read, unless there is a leader. Then the caller may look at the structure, until
    /// it calls `end_read`.
    #[inline]
    pub(crate) fn try_read(&self) -> bool {
        // Where others read, a guess would be wrong, and take the line from them for nothing.
        let mut seen = self.word.load(Ordering::Relaxed);
        while seen & BUSY == 0 {
            let counted = seen + READER;
            let read =
                self.word
                    .compare_exchange(seen, counted, Ordering::Acquire, Ordering::Relaxed);
            match read {
                Ok(_) => return true,
                Err(now) => seen = now,
            }
        }
        false
    }

    /// Whether `try_read` may succeed.
    #[inline]
    pub(crate) fn looks_readable(&self) -> bool {
        self.word.load(Ordering::Relaxed) & BUSY == 0
    }

    /// Goes. Only after `try_read`, once.
    #[inline]
    pub(crate) fn end_read(&self) {
        let before = self.word.fetch_sub(READER, Ordering::Release);
        debug_assert!(before >= READER, "a read goes once");
    }

    /// Leader, before it touches the structure: waits for the reads that are there. Not under the
    /// lock, which callers need to enter operations.
    #[inline]
    pub(super) fn drain(&self) {
        let mut turn = 0;
        while self.word.load(Ordering::Acquire) >= READER {
            if turn < LOOKS {
                pause(&mut turn);
            } else {
                nap();
            }
        }
    }
}

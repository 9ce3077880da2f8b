//! Windows of MPI-3: memory of one rank that the others on its node can read, and words that all
//! ranks change.
//!
//! Invariants, for each window:
//!
//! 1. **Own part first.** From when it is allocated until `agree` is called, each rank accesses its
//!    own part only. The caller of [`Windows::words`] agrees before it uses what that returns.
//! 2. **Then for reading only.** `agree` returns when all ranks have called it, and from then on
//!    no rank writes. Words are neither read nor written but by `MPI_Compare_and_swap`, which is
//!    atomic towards itself, also by the rank that has them.
//! 3. **Freed last.** All slices of it that this rank creates borrow its [`Parts`], and
//!    [`Windows::share`] borrows the [`Windows`], as [`Windows::words`] does. Only
//!    [`Windows::reclaim`], when all ranks of the communicator have dropped their `Parts` or
//!    `Swapped`, and [`Windows::free`], which takes the `Windows`, free it. If neither is called,
//!    MPI frees the memory when it is finalised, which is after the `Windows` is dropped.
//! 4. **All alike.** All ranks of the communicator create and free windows, in the same order, so
//!    all ranks have the same ones open.

use super::{
    Comm,
    bindings::{MPI_Aint, MPI_Comm, MPI_Info, MPI_Win},
    constant, done,
};
use crate::{
    Error,
    transport::{Agree, Fill, Window, Words, watch::watched},
};
use std::{
    cell::{Cell, RefCell},
    ffi::{c_int, c_void},
    mem::MaybeUninit,
    ptr,
    rc::Rc,
    slice,
    time::Duration,
};

/// The function of MPI that allocates a window.
type Allocate =
    unsafe extern "C" fn(MPI_Aint, c_int, MPI_Info, MPI_Comm, *mut c_void, *mut MPI_Win) -> c_int;

/// Each rank's part is preceded by its length, and aligned to this many bytes.
const HEAD: usize = 64;

/// Some ranks, and their common windows.
pub(crate) struct Windows {
    ranks: Comm,
    open: RefCell<Vec<Open>>,
}

struct Open {
    window: MPI_Win,
    /// Whether this rank has dropped its `Parts` or `Swapped`.
    dropped: Rc<Cell<bool>>,
}

impl Windows {
    pub(crate) fn new(ranks: Comm) -> Self {
        Self {
            ranks,
            open: RefCell::new(Vec::new()),
        }
    }

    pub(crate) fn share<'a>(
        &'a self,
        len: usize,
        fill: Fill<'_>,
        agree: Agree<'_>,
        limit: Option<Duration>,
    ) -> Result<Box<dyn Window + 'a>, Error> {
        let size = (HEAD + len).next_multiple_of(HEAD);
        let what = "the ranks of this node to share memory";
        let (window, base) = watched(limit, what, || {
            self.reclaim();
            self.allocate(self.ranks.functions().MPI_Win_allocate_shared, size)
        });
        let mut parts = Parts {
            slices: Vec::new(),
            _open: self.opened(window),
        };
        // SAFETY: these bytes have just been initialised; by 1 no other rank accesses them before
        // `agree` is called, and `fill` cannot keep the slice until then. By 3 they are there:
        // `parts` is.
        let own = unsafe { slice::from_raw_parts_mut(base, size) };
        let (head, rest) = own.split_at_mut(HEAD);
        head[..8].copy_from_slice(&(len as u64).to_le_bytes());
        fill(&mut rest[..len]);
        // SAFETY: a window that is open, in the epoch that `allocate` began.
        done(unsafe { (self.ranks.functions().MPI_Win_sync)(window) });
        agree()?;
        // SAFETY: as before.
        done(unsafe { (self.ranks.functions().MPI_Win_sync)(window) });
        parts.slices = (0..self.ranks.size())
            .map(|rank| self.part(window, rank))
            .collect();
        Ok(Box::new(parts))
    }

    /// Creates `len` words of each rank, which are zero.
    pub(crate) fn words(&self, len: usize, limit: Option<Duration>) -> Box<dyn Words + '_> {
        // No window is empty.
        let size = len.max(1) * size_of::<u64>();
        let (window, _) = watched(limit, "all ranks to create words", || {
            self.reclaim();
            self.allocate(self.ranks.functions().MPI_Win_allocate, size)
        });
        // SAFETY: a window that is open, in the epoch that `allocate` began.
        done(unsafe { (self.ranks.functions().MPI_Win_sync)(window) });
        Box::new(Swapped {
            ranks: &self.ranks,
            window,
            len,
            _open: self.opened(window),
        })
    }

    /// Remembers a window, until all ranks have dropped what is returned.
    fn opened(&self, window: MPI_Win) -> InUse {
        let dropped = Rc::new(Cell::new(false));
        let used = InUse(Rc::clone(&dropped));
        self.open.borrow_mut().push(Open { window, dropped });
        used
    }

    /// Allocates a window of `size` bytes for this rank by a function of MPI, one of the two for
    /// that. Returns their address; they are zero.
    fn allocate(&self, by: Allocate, size: usize) -> (MPI_Win, *mut u8) {
        let mut window = MaybeUninit::<MPI_Win>::uninit();
        let mut base: *mut u8 = ptr::null_mut();
        let (info, functions) = (constant!(MPI_INFO_NULL), self.ranks.functions());
        let (raw, len) = (self.ranks.raw, size as MPI_Aint);
        let (place, opened) = ((&raw mut base).cast(), window.as_mut_ptr());
        // SAFETY: a communicator, all ranks of which call this, and which share memory where the
        // window is to be shared; the two places are valid for writes of the types that MPI writes
        // there.
        done(unsafe { by(len, 1, info, raw, place, opened) });
        // SAFETY: written by the call above.
        let window = unsafe { window.assume_init() };
        // SAFETY: a window that was just opened, with no epoch begun.
        done(unsafe { (functions.MPI_Win_lock_all)(0, window) });
        // SAFETY: the window has `size` bytes for this rank from `base` on, and by 1 no other rank
        // accesses them yet.
        unsafe { ptr::write_bytes(base, 0, size) };
        (window, base)
    }

    /// Returns the bytes that a rank has filled in, after all have agreed.
    fn part(&self, window: MPI_Win, rank: usize) -> &[u8] {
        let (mut size, mut unit, mut base) = (0, 0, ptr::null_mut::<u8>());
        let (query, place) = (
            self.ranks.functions().MPI_Win_shared_query,
            (&raw mut base).cast(),
        );
        let rank = rank as c_int;
        // SAFETY: an open window and a rank of its communicator; the three places are valid for
        // writes of the types that MPI writes there.
        done(unsafe { query(window, rank, &raw mut size, &raw mut unit, place) });
        // SAFETY: MPI says that the part has `size` bytes from `base` on, and no part is empty. Its
        // rank initialised them before it called `agree`; that, and the two calls of MPI_Win_sync
        // around it, order its writes before our reads. By 2 no rank writes any more. The slice
        // goes into the window's `Parts`, so by 3 they are there as long as it is.
        let all = unsafe { slice::from_raw_parts(base, size as usize) };
        let (head, rest) = all.split_at(HEAD);
        let len = head[..8]
            .iter()
            .rev()
            .fold(0, |len, byte| len << 8 | usize::from(*byte));
        &rest[..len]
    }

    /// Frees the windows that all ranks have dropped.
    fn reclaim(&self) {
        let mut open = self.open.borrow_mut();
        if open.is_empty() {
            return;
        }
        let own: Vec<u64> = open.iter().map(|open| open.dropped.get().into()).collect();
        let all = self.ranks.all_gather(&own);
        let mut index = 0;
        open.retain(|open| {
            let dropped = all
                .iter()
                .skip(index)
                .step_by(own.len())
                .all(|one| *one == 1);
            index += 1;
            if dropped {
                self.close(open.window);
            }
            !dropped
        });
    }

    /// Frees all windows, as all ranks must do together.
    pub(crate) fn free(self) {
        // In the order in which all ranks opened them.
        for open in self.open.take() {
            self.close(open.window);
        }
    }

    /// Frees a window that was removed from the list of open ones; no slice of it is left.
    fn close(&self, mut window: MPI_Win) {
        let functions = self.ranks.functions();
        // SAFETY: a window that is open, in the epoch that `allocate` began.
        done(unsafe { (functions.MPI_Win_unlock_all)(window) });
        // SAFETY: a window that is open and in no epoch. By 3 no slice of it is left.
        done(unsafe { (functions.MPI_Win_free)(&raw mut window) });
    }
}

/// The parts that the ranks of a node read. No slice of them outlives this.
struct Parts<'a> {
    slices: Vec<&'a [u8]>,
    /// Dropped last.
    _open: InUse,
}

/// A window that this rank uses.
struct InUse(Rc<Cell<bool>>);

impl Drop for InUse {
    fn drop(&mut self) {
        self.0.set(true);
    }
}

impl Window for Parts<'_> {
    fn part(&self, index: usize) -> &[u8] {
        self.slices[index]
    }
}

/// Words that all ranks change.
struct Swapped<'a> {
    ranks: &'a Comm,
    window: MPI_Win,
    /// The number of words of each rank.
    len: usize,
    _open: InUse,
}

impl Words for Swapped<'_> {
    fn compare_and_swap(
        &self,
        rank: usize,
        index: usize,
        current: u64,
        new: u64,
    ) -> Result<u64, Error> {
        assert!(rank < self.ranks.size() && index < self.len, "no such word");
        let (functions, mut found) = (self.ranks.functions(), 0_u64);
        let (compare, from) = ((&raw const current).cast(), (&raw const new).cast());
        let (to, place) = (
            (&raw mut found).cast(),
            (index * size_of::<u64>()) as MPI_Aint,
        );
        let (swap, rank) = (functions.MPI_Compare_and_swap, rank as c_int);
        let (word, window) = (constant!(MPI_UINT64_T), self.window);
        // SAFETY: a window that is open, in the epoch that `allocate` began; a rank of it, and one
        // of that rank's words, as asserted; the three numbers outlive the call below.
        done(unsafe { swap(from, compare, to, word, rank, place, window) });
        // SAFETY: the same window and rank. When it returns the call above is complete.
        done(unsafe { (functions.MPI_Win_flush)(rank, window) });
        // For MPI to make progress: no rank sends in this communicator. A rank that looks at a word
        // until it changes may have to let go what another waits for.
        let arrived = self.ranks.probe(rank as usize);
        debug_assert!(arrived.is_none(), "a message among windows");
        Ok(found)
    }
}

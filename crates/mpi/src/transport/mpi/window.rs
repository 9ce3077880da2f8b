//! Windows of MPI-3: memory of one rank that the others on its node can read.
//!
//! Invariants, for each window:
//!
//! 1. **Own part first.** From when it is allocated until `agree` is called, each rank accesses its
//!    own part only.
//! 2. **Then for reading only.** `agree` returns when all ranks have called it, and from then on
//!    no rank writes.
//! 3. **Freed last.** All slices of it that this rank creates borrow its [`Parts`], and
//!    [`Windows::share`] borrows the [`Windows`]. Only [`Windows::reclaim`], when all ranks of the
//!    node have dropped their `Parts`, and [`Windows::free`], which takes the `Windows`, free it.
//!    If neither is called, MPI frees the memory when it is finalised, which is after the `Windows`
//!    is dropped.
//! 4. **All alike.** All ranks of the node create and free windows, in the same order, so all ranks
//!    have the same ones open.

use super::{
    Comm,
    bindings::{MPI_Aint, MPI_Win},
    constant,
};
use crate::{
    Error,
    transport::{Agree, Fill, Window, watch::watched},
};
use std::{
    cell::{Cell, RefCell},
    ffi::c_int,
    mem::MaybeUninit,
    ptr,
    rc::Rc,
    slice,
    time::Duration,
};

/// Each rank's part is preceded by its length, and aligned to this many bytes.
const HEAD: usize = 64;

/// The ranks of this node, and their common windows.
pub(crate) struct Windows {
    node: Comm,
    open: RefCell<Vec<Open>>,
}

struct Open {
    window: MPI_Win,
    /// Whether this rank has dropped its `Parts`.
    dropped: Rc<Cell<bool>>,
}

impl Windows {
    pub(crate) fn new(node: Comm) -> Self {
        Self {
            node,
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
            self.allocate(size)
        });
        let dropped = Rc::new(Cell::new(false));
        let mut parts = Parts {
            slices: Vec::new(),
            dropped: Rc::clone(&dropped),
        };
        self.open.borrow_mut().push(Open { window, dropped });
        // SAFETY: the window has `size` bytes for this rank from `base` on, and by 1 no other rank
        // accesses them yet.
        unsafe { ptr::write_bytes(base, 0, size) };
        // SAFETY: these bytes have just been initialised; by 1 no other rank accesses them before
        // `agree` is called, and `fill` cannot keep the slice until then. By 3 they are there:
        // `parts` is.
        let own = unsafe { slice::from_raw_parts_mut(base, size) };
        let (head, rest) = own.split_at_mut(HEAD);
        head[..8].copy_from_slice(&(len as u64).to_le_bytes());
        fill(&mut rest[..len]);
        // SAFETY: a window that is open, in the epoch that `allocate` began.
        unsafe { (self.node.functions().MPI_Win_sync)(window) };
        agree()?;
        // SAFETY: as before.
        unsafe { (self.node.functions().MPI_Win_sync)(window) };
        parts.slices = (0..self.node.size())
            .map(|rank| self.part(window, rank))
            .collect();
        Ok(Box::new(parts))
    }

    /// Allocates a window of `size` bytes for this rank, and returns their address.
    fn allocate(&self, size: usize) -> (MPI_Win, *mut u8) {
        let mut window = MaybeUninit::<MPI_Win>::uninit();
        let mut base: *mut u8 = ptr::null_mut();
        let (info, functions) = (constant!(MPI_INFO_NULL), self.node.functions());
        let (raw, size) = (self.node.raw, size as MPI_Aint);
        let (place, opened) = ((&raw mut base).cast(), window.as_mut_ptr());
        // SAFETY: a communicator whose ranks share memory, all of which call this; the two places
        // are valid for writes of the types that MPI writes there.
        unsafe { (functions.MPI_Win_allocate_shared)(size, 1, info, raw, place, opened) };
        // SAFETY: written by the call above.
        let window = unsafe { window.assume_init() };
        // SAFETY: a window that was just opened, with no epoch begun.
        unsafe { (functions.MPI_Win_lock_all)(0, window) };
        (window, base)
    }

    /// Returns the bytes that a rank has filled in, after all have agreed.
    fn part(&self, window: MPI_Win, rank: usize) -> &[u8] {
        let (mut size, mut unit, mut base) = (0, 0, ptr::null_mut::<u8>());
        let (query, place) = (
            self.node.functions().MPI_Win_shared_query,
            (&raw mut base).cast(),
        );
        let rank = rank as c_int;
        // SAFETY: an open window and a rank of its communicator; the three places are valid for
        // writes of the types that MPI writes there.
        unsafe { query(window, rank, &raw mut size, &raw mut unit, place) };
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

    /// Frees the windows that all ranks of the node have dropped.
    fn reclaim(&self) {
        let mut open = self.open.borrow_mut();
        if open.is_empty() {
            return;
        }
        let own: Vec<u64> = open.iter().map(|open| open.dropped.get().into()).collect();
        let all = self.node.all_gather(&own);
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

    /// Frees all windows, as all ranks of the node must do together.
    pub(crate) fn free(self) {
        // In the order in which all ranks opened them.
        for open in self.open.take() {
            self.close(open.window);
        }
    }

    /// Frees a window that was removed from the list of open ones; no slice of it is left.
    fn close(&self, mut window: MPI_Win) {
        let functions = self.node.functions();
        // SAFETY: a window that is open, in the epoch that `allocate` began.
        unsafe { (functions.MPI_Win_unlock_all)(window) };
        // SAFETY: a window that is open and in no epoch. By 3 no slice of it is left.
        unsafe { (functions.MPI_Win_free)(&raw mut window) };
    }
}

/// The parts that the ranks of a node read. No slice of them outlives this.
struct Parts<'a> {
    slices: Vec<&'a [u8]>,
    dropped: Rc<Cell<bool>>,
}

impl Drop for Parts<'_> {
    fn drop(&mut self) {
        self.slices.clear();
        self.dropped.set(true);
    }
}

impl Window for Parts<'_> {
    fn part(&self, index: usize) -> &[u8] {
        self.slices[index]
    }
}

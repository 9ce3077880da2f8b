//! `Scope`: the handle that closures pass down to join, as in chili.
//!
//! A scope names a frame or the root of a chain, and has the address of its thread's attention
//! word. The scope that a closure gets is at the head of its join's frame. Because a scope *names*
//! its frame rather than being it, safe code that moves a scope, or overwrites it with another
//! pool's, breaks nothing: the chain stays correct or ends early.
//!
//! Invariants, whatever safe code does:
//! * **Thread.** A scope is neither `Send` nor `Sync`: it stays on the thread that created it, even
//!   if it is moved or swapped. So all scopes of a thread carry the same word, and swapping them
//!   does not change it. A thief gets a scope of its own, not the one that the closure would have
//!   got from its owner.
//! * **Brand.** Each closure gets its scope with a lifetime of its own
//!   (`for<'s> FnOnce(&mut Scope<'s>)`), and scopes are invariant. So no two frames' scopes have
//!   the same type, and safe code cannot replace the name of one frame by another's. It can insert
//!   a root's, which `ThreadPool::scope` returns with any lifetime that the pool outlives. Hence
//!   the scope at the head of a frame names that frame or a root, never another frame. A name does
//!   not outlive its frame's join unless it is leaked, and then it is unreachable.

use super::{
    chain::Root,
    frame::{Frame, FrameRef},
    thread,
    word::{self, Local},
};
use crate::protocol::attention::NO_FRAME;
use std::{
    fmt,
    marker::PhantomData,
    mem::MaybeUninit,
    ptr::{self, NonNull},
    rc::Rc,
};

/// A handle for joins, see [`Scope::join`]. The scope that tasks are spawned in is
/// [`TaskScope`](crate::TaskScope).
///
/// Get the first one from [`Scope::global`] or [`ThreadPool::scope`](crate::ThreadPool::scope) and
/// pass `&mut Scope<'_>` down through your functions; every join passes a scope to each of its
/// closures. This is the fastest way to fork: the scope is in a register, where the free function
/// [`join`](crate::join) has to look it up.
///
/// A scope belongs to its thread (`!Send`, `!Sync`) and to its closure (its lifetime is invariant).
///
/// # Examples
///
/// ```
/// use sumac::Scope;
///
/// struct Node { val: u64, left: Option<Box<Node>>, right: Option<Box<Node>> }
///
/// fn sum(node: &Node, scope: &mut Scope<'_>) -> u64 {
///     let (left, right) = scope.join(
///         |s| node.left.as_deref().map(|n| sum(n, s)).unwrap_or_default(),
///         |s| node.right.as_deref().map(|n| sum(n, s)).unwrap_or_default(),
///     );
///     node.val + left + right
/// }
///
/// let leaf = |val| Some(Box::new(Node { val, left: None, right: None }));
/// let tree = Node { val: 1, left: leaf(2), right: leaf(3) };
/// assert_eq!(sum(&tree, &mut Scope::global()), 6);
/// ```
#[repr(C)]
pub struct Scope<'s> {
    /// The frame this scope stands for, or `ROOT` or `OWNED`.
    frame: NonNull<Frame>,
    /// The thread's word and tail. No reference: a wrapper that is `Send` may move the scope, and
    /// forget it, after its thread has ended.
    local: NonNull<Local>,
    /// The root this scope stands for, if it does. Otherwise never written, since that would cost
    /// every join a store.
    root: MaybeUninit<*const Root<'static>>,
    /// Invariant, `!Send`, `!Sync`.
    lifetime: PhantomData<*mut &'s ()>,
}

/// What the compiler says of a scope that is captured where it must not be. Without it, it would
/// name each field that stays on its thread. No type implements this.
#[diagnostic::on_unimplemented(
    message = "a `Scope` cannot go into a closure that another thread may run",
    label = "captures a `Scope`",
    note = "pass the scope on: each closure of `Scope::join` gets one of its own, `|s| ..`"
)]
pub trait PassedOn {}

// SAFETY: no scope is either of them, since no type is `PassedOn` (*thread*).
unsafe impl<'s> Send for Scope<'s> where PhantomData<&'s ()>: PassedOn {}
// SAFETY: the same.
unsafe impl<'s> Sync for Scope<'s> where PhantomData<&'s ()>: PassedOn {}

/// The scope stands for a root. As an address it is higher than all frames', but not than
/// `NO_FRAME`: a join whose frame's scope was overwritten with a root's leaves the hot path
/// whenever any frame is promoted (`must_leave`).
const ROOT: NonNull<Frame> = at_address(NO_FRAME - 1);
/// The scope stands for a root and owns it: it is one of the thread's (thread.rs), to be returned.
/// Higher than every word: a join whose frame has it leaves the hot path, and returns it there.
const OWNED: NonNull<Frame> = at_address(NO_FRAME + 1);

/// The scope stands for nothing, since its join has ended elsewhere. Higher than every word.
const ENDED: NonNull<Frame> = at_address(NO_FRAME);

const fn at_address(address: usize) -> NonNull<Frame> {
    NonNull::new(ptr::without_provenance_mut(address)).unwrap()
}

impl Scope<'static> {
    /// Creates the scope of `frame`, on the thread of `local`.
    ///
    /// # Safety
    /// It is moved to the head of that frame, and is there, or where users move it (*brand*), while
    /// the frame is alive.
    #[inline(always)]
    pub(crate) unsafe fn of_frame(frame: NonNull<Frame>, local: &'static Local) -> Self {
        Scope {
            frame,
            local: NonNull::from(local),
            root: MaybeUninit::uninit(),
            lifetime: PhantomData,
        }
    }
}

impl<'s> Scope<'s> {
    /// Creates the scope of the root of a chain.
    #[inline]
    pub(crate) fn of_root(root: &'s Root<'s>) -> Self {
        Scope {
            frame: ROOT,
            local: NonNull::from(Local::current()),
            root: MaybeUninit::new(ptr::from_ref(root).cast()),
            lifetime: PhantomData,
        }
    }

    /// Creates the scope that owns `root`: one of the thread's, or the substitute of a thread
    /// without record.
    pub(crate) fn owning(root: Rc<Root<'static>>) -> Self {
        Scope {
            frame: OWNED,
            local: NonNull::from(Local::current()),
            root: MaybeUninit::new(Rc::into_raw(root)),
            lifetime: PhantomData,
        }
    }

    /// Returns this thread's word and tail.
    #[inline(always)]
    pub(crate) fn local(&self) -> &'static Local {
        if word::NATIVE {
            // SAFETY: this thread's (*thread*), which has no other (word.rs, *one*) and lives.
            unsafe { self.local.as_ref() }
        } else {
            Local::current()
        }
    }

    /// Returns whether the join whose frame contains this scope, of this thread's word, has to
    /// leave the hot path: it is asked for work, or may have been promoted.
    ///
    /// It reads the frame's own address here, where it is at hand. If a root's name is here
    /// instead, the answer is true whenever anything is promoted, or always; it cannot be the name
    /// of another frame (*brand*).
    #[inline(always)]
    pub(crate) fn must_leave(&self, local: &Local) -> bool {
        local.must_leave(self.frame.addr().get())
    }

    /// Records that the join whose frame contains this scope has its result. It then leaves the hot
    /// path with any word.
    pub(crate) fn end_elsewhere(&mut self) {
        self.frame = ENDED;
    }

    fn root_ptr(&self) -> Option<*const Root<'static>> {
        let is_of_root = self.frame == ROOT || self.frame == OWNED;
        // SAFETY: of a root: `of_root` and `owning` write both, and scopes are moved whole.
        is_of_root.then(|| unsafe { self.root.assume_init() })
    }

    /// Returns the frame that this scope stands for; none if it is a root.
    pub(crate) fn frame(&self) -> Option<FrameRef<'_>> {
        if self.root_ptr().is_some() || self.frame == ENDED {
            return None;
        }
        // SAFETY: the name of a frame does not outlive it where anyone could reach it (*brand*),
        // and stays on its thread (*thread*).
        Some(unsafe { FrameRef::new(self.frame) })
    }

    /// Returns the root that this scope stands for; none if it is a frame.
    pub(crate) fn root(&self) -> Option<&Root<'_>> {
        // SAFETY: borrowed by this scope (`of_root`) or owned by it.
        self.root_ptr().map(|root| unsafe { &*root })
    }
}

impl Drop for Scope<'_> {
    /// Returns an owned root. (Each join on this scope, which borrowed it, has returned, or is in
    /// its second half, whose frame is settled; so no frame refers to the root.) Scopes inside
    /// frames are dropped on the cold path alone: one that safe code moved out of its frame has
    /// nothing to return, and a root that safe code moved into a frame makes its join go there.
    fn drop(&mut self) {
        if let Some(root) = self.root_ptr().filter(|_| self.frame == OWNED) {
            // SAFETY: from `owning`; this scope owns it, and ends.
            thread::return_root(unsafe { Rc::from_raw(root) });
        }
    }
}

impl fmt::Debug for Scope<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scope").finish_non_exhaustive()
    }
}

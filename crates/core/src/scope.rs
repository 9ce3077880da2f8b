//! `Scope`: the handle that closures pass down, chili's way to join.
//!
//! A scope is one pointer: to the frame it stands for or, tagged, to the root of a chain. The scope that a closure gets
//! lies at the head of its join's frame. Because a scope *names* its frame rather than being it, safe code
//! that moves a scope to another place, or overwrites it with another pool's, breaks nothing: the chain
//! stays true or just ends early.

use crate::{
    chain::Root,
    frame::{Frame, FrameRef},
    global,
    member::Member,
};
use std::{fmt, marker::PhantomData, mem::ManuallyDrop};

/// A place in the tree of joins: what [`Scope::join`] is called on.
///
/// Get the first one from [`Scope::global`] or [`ThreadPool::scope`](crate::ThreadPool::scope) and pass
/// `&mut Scope<'_>` down through your functions; every join hands each of its closures the scope to go on with.
/// This is the fastest way to fork: passing the scope along keeps it in a register, where the free function
/// [`join`](crate::join) has to look it up.
///
/// A scope belongs to its thread (`!Send`, `!Sync`) and to its closure (its lifetime is invariant).
///
/// # Examples
///
/// ```
/// use sumac_core::Scope;
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
    /// The frame this scope stands for, or a root with the `ROOT` tag.
    frame: *mut Frame,
    /// Invariant, `!Send`, `!Sync`.
    lifetime: PhantomData<*mut &'s ()>,
}

const ROOT: usize = 1;

/// What a scope stands for.
pub(crate) enum Place {
    Frame(FrameRef),
    Root(*mut Root),
}

impl Scope<'static> {
    #[inline(always)]
    pub(crate) fn of_frame(frame: *mut Frame) -> Self {
        Scope {
            frame,
            lifetime: PhantomData,
        }
    }

    /// The scope of the root of a chain. The root outlives the scope's use (`Drop` frees only owned roots).
    pub(crate) fn of_root(root: *mut Root) -> Self {
        let tagged = root.cast::<Frame>().map_addr(|a| a | ROOT);
        Scope {
            frame: tagged,
            lifetime: PhantomData,
        }
    }
}

impl<'s> Scope<'s> {
    /// A scope on the global pool, which starts at the first use.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut scope = sumac_core::Scope::global();
    /// let (a, b) = scope.join(|_| 1, |_| 2);
    /// assert_eq!(a + b, 3);
    /// ```
    ///
    /// # Cost
    /// Some tens of nanoseconds; the first on a thread some microseconds.
    pub fn global() -> Scope<'static> {
        global::pool().scope()
    }

    /// An owned scope whose chain belongs to `member`.
    pub(crate) fn owned(member: *const Member, run_number: u64) -> Scope<'s> {
        let root = Box::into_raw(Box::new(Root::owned(member, run_number)));
        let frame = ManuallyDrop::new(Scope::of_root(root)).frame;
        Scope {
            frame,
            lifetime: PhantomData,
        }
    }

    /// # Safety
    /// The frame or root this scope stands for is alive and of the current thread, and stays so while the
    /// result is used.
    pub(crate) unsafe fn place(&self) -> Place {
        if self.frame.addr() & ROOT != 0 {
            Place::Root(self.frame.map_addr(|a| a & !ROOT).cast())
        } else {
            // SAFETY: `frame` is what `of_frame` was given: the caller vouches for it.
            Place::Frame(unsafe { FrameRef::new(self.frame) })
        }
    }
}

impl Drop for Scope<'_> {
    /// Frees an owned root. Scopes inside frames are never dropped; one that safe code moved out of its
    /// frame stands for a frame and has nothing to free.
    fn drop(&mut self) {
        if self.frame.addr() & ROOT == 0 {
            return;
        }
        let root: *mut Root = self.frame.map_addr(|a| a & !ROOT).cast();
        // SAFETY: a root lives as long as its scope or longer; a shared read of a plain field.
        if unsafe { (*root).is_owned() } {
            // SAFETY: an owned root was boxed by `owned`, its scope is its only owner and is being dropped; no
            // frame reads it any more: each join on this scope, which borrowed it, has returned, or is in its second
            // half, whose frame is settled.
            drop(unsafe { Box::from_raw(root) });
            crate::thread::renew_attention();
        }
    }
}

impl fmt::Debug for Scope<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scope").finish_non_exhaustive()
    }
}

//! `Scope`: the handle that closures pass down, chili's way to join.
//!
//! A scope is one pointer: to the frame it stands for or, tagged, to the root of a chain. The scope that a closure gets
//! lies at the head of its join's frame. Because a scope *names* its frame rather than being it, safe code
//! that moves a scope to another place, or overwrites it with another pool's, breaks nothing: the chain
//! stays true or just ends early.

use crate::{
    chain::Root,
    frame::{Frame, FrameRef},
    global, thread,
};
use std::{fmt, marker::PhantomData};

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

/// The scope stands for a root.
const ROOT: usize = 1;
/// And owns it: it is one of the thread's (thread.rs), to be given back.
const OWNED: usize = 2;

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

    /// The scope of the root of a chain. The root outlives the scope's use (`Drop` gives back only owned ones).
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

    /// The scope that owns `root`, which is one of the thread's, or null if the thread has no record any more.
    pub(crate) fn owning(root: *mut Root) -> Scope<'s> {
        Scope {
            frame: root.cast::<Frame>().map_addr(|a| a | ROOT | OWNED),
            lifetime: PhantomData,
        }
    }

    fn root(&self) -> *mut Root {
        self.frame.map_addr(|a| a & !(ROOT | OWNED)).cast()
    }

    /// # Safety
    /// The frame or root this scope stands for is alive and of the current thread, and stays so while the
    /// result is used.
    pub(crate) unsafe fn place(&self) -> Place {
        if self.frame.addr() & ROOT != 0 {
            Place::Root(self.root())
        } else {
            // SAFETY: `frame` is what `of_frame` was given: the caller vouches for it.
            Place::Frame(unsafe { FrameRef::new(self.frame) })
        }
    }
}

impl Drop for Scope<'_> {
    /// Gives an owned root back. (Each join on this scope, which borrowed it, has returned, or is in its second
    /// half, whose frame is settled; so no frame refers to the root.) Scopes inside frames are never dropped; one that
    /// safe code moved out of its frame has nothing to give back, and a root that it moved into a frame is lost until the
    /// thread ends.
    fn drop(&mut self) {
        if self.frame.addr() & OWNED != 0 {
            thread::return_root(self.root());
        }
    }
}

impl fmt::Debug for Scope<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scope").finish_non_exhaustive()
    }
}

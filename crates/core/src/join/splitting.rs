//! Work that can be split while it runs, the base of loops.
//!
//! A loop is a frame in the chain, like a join, but one that can give work many times. While its
//! *body* runs, a tick (the loop's own, or that of any join or loop inside it) may call its
//! `split`, which takes a *part* off the rest. Each part becomes a job. The parts given form a
//! list, the newest first; the loop gets them back in that order: unchanged if no worker took them,
//! or as the output of the threads that ran them.
//!
//! loop_frame.rs has the data of a loop and the invariants. Splitting happens inside a tick. It
//! cannot tick itself (`Thread::begin_tick` prevents it), and should be short.

use super::{
    clock::coarse_nanos,
    frame::Returned,
    loop_frame::{Leaving, LoopFrame},
    promote,
    scope::Scope,
    word::Local,
};
use crate::{hooks, protocol::primitive::light_barrier};
use std::{
    marker::PhantomData,
    mem::MaybeUninit,
    ops::{Deref, DerefMut},
    panic,
};

/// A loop that is running; see [`splitting`].
///
/// It belongs to its closure (its lifetime is invariant) and to its thread.
pub struct Splitting<'l, P, R> {
    frame: &'l LoopFrame<P, R>,
    local: &'static Local,
    plain: bool,
    /// Invariant, `!Send`, `!Sync`.
    lifetime: PhantomData<*mut &'l (P, R)>,
}

/// A loop that is running in a scope; see [`Scope::splitting`].
///
/// Only such a loop has a scope for its body. A plain one has none: its frame is in the chain of
/// the thread's plain joins, and a scope's join beside them would make that chain branch (chain.rs,
/// *linear*).
pub struct ScopedSplitting<'l, P, R>(Splitting<'l, P, R>);

/// Runs `body`, whose work `split` can divide meanwhile.
///
/// When an idle thread asks for work, `split` is called on this thread, between two steps of the
/// body or while a join or loop inside it is running. Another thread runs the part with `run`, or
/// the part comes back: the body must [take back](Splitting::take_back) all parts given. Parts that
/// it leaves are dropped. Once `split` has returned `None` it is called again only after a
/// [poll](Splitting::poll), or after a part was taken back.
///
/// # Examples
///
/// A loop over a range, summing up:
///
/// ```
/// use std::{cell::Cell, ops::Range};
/// use sumac_core::{Returned, splitting};
///
/// fn sum(range: Range<u64>) -> u64 {
///     let left = Cell::new(range);
///     let split = || {
///         let Range { start, end } = left.take();
///         let middle = start + (end - start) / 2;
///         left.set(start..middle);
///         (middle < end).then_some(middle..end)
///     };
///     splitting(&split, &|range, _| sum(range), |parts| {
///         let mut total = 0;
///         loop {
///             let Range { start, end } = left.take();
///             if start < end {
///                 left.set(start + 1..end);
///                 total += start;
///                 parts.poll();
///                 continue;
///             }
///             match parts.take_back() {
///                 Some(Returned::Part(range)) => left.set(range),
///                 Some(Returned::Output(sum)) => total += sum,
///                 None => return total,
///             }
///         }
///     })
/// }
/// assert_eq!(sum(0..1000), 499_500);
/// ```
///
/// # Cost
/// A few nanoseconds; about a hundred and an allocation per part that is given.
///
/// # Panics
/// If `body` panics, parts that no worker has taken are dropped, the others waited for. A panic in
/// `split` counts as `None`.
pub fn splitting<P, R, S, F, T>(
    split: &S,
    run: &F,
    body: impl for<'l> FnOnce(&mut Splitting<'l, P, R>) -> T,
) -> T
where
    P: Send,
    R: Send,
    S: Fn() -> Option<P>,
    F: Fn(P, &mut Scope<'_>) -> R + Sync,
{
    let local = Local::current();
    run_loop(local.tail(), local, true, split, run, |mut parts| {
        body(&mut parts)
    })
}

impl Scope<'_> {
    /// Does as [`splitting`] in this scope: joins inside the body should use
    /// [`ScopedSplitting::scope`].
    #[doc(hidden)]
    pub fn splitting<P, R, S, F, T>(
        &mut self,
        split: &S,
        run: &F,
        body: impl for<'l> FnOnce(&mut ScopedSplitting<'l, P, R>) -> T,
    ) -> T
    where
        P: Send,
        R: Send,
        S: Fn() -> Option<P>,
        F: Fn(P, &mut Scope<'_>) -> R + Sync,
    {
        let local = self.local();
        let parent: *mut Scope<'static> = (&raw mut *self).cast();
        run_loop(parent, local, false, split, run, |parts| {
            body(&mut ScopedSplitting(parts))
        })
    }
}

#[inline(always)]
fn run_loop<P, R, S, F, T>(
    parent: *const Scope<'static>,
    local: &'static Local,
    plain: bool,
    split: &S,
    run: &F,
    body: impl for<'l> FnOnce(Splitting<'l, P, R>) -> T,
) -> T
where
    P: Send,
    R: Send,
    S: Fn() -> Option<P>,
    F: Fn(P, &mut Scope<'_>) -> R + Sync,
{
    let mut place = MaybeUninit::<LoopFrame<P, R>>::uninit();
    // SAFETY: the scope that was borrowed, or the tail, whose join or context ends after this loop,
    // which `_leaving` ends.
    let frame = unsafe { LoopFrame::build(&mut place, parent, local, split, run) };
    // A thread that profiles runs its loops alone: no worker finds the loop, even if the thread
    // waits in it and helps others.
    let in_loop = hooks::enter_loop();
    let linked = plain && in_loop.is_none();
    if linked {
        // SAFETY: the loop's scope lies at its head, and it is the innermost until `Leaving` ends.
        unsafe { local.set_tail(frame.head().as_ptr().as_ptr().cast()) };
        light_barrier();
    }
    let _leaving = Leaving {
        frame,
        local,
        plain: linked,
    };
    let mut splitting = Splitting {
        frame,
        local,
        plain,
        lifetime: PhantomData,
    };
    if in_loop.is_some() {
        return body(splitting);
    }
    splitting.poll();
    body(splitting)
}

impl<P, R> Splitting<'_, P, R> {
    /// Gives parts away if a worker asks for work. Call it every microsecond or two.
    ///
    /// # Cost
    /// Three instructions, unless a worker asks.
    #[inline(always)]
    pub fn poll(&mut self) {
        if hooks::measured().is_some() {
            return hooks::end_block();
        }
        #[cfg(feature = "testing")]
        if crate::testing::active::is_active() {
            return self.split_in_session();
        }
        if self.local.is_asked() {
            self.tick();
        }
    }

    /// Gives a part away and lets it run, if the session says so.
    #[cfg(feature = "testing")]
    #[cold]
    fn split_in_session(&mut self) {
        use super::job::Taken;
        use crate::testing::{Between, between_blocks, run_part};
        loop {
            let between = between_blocks();
            if let Between::Nothing = between {
                return;
            }
            let (head, scope) = (self.frame.head(), self.own_scope());
            // SAFETY: as in `tick`.
            if !unsafe { promote::give_innermost(head, scope, self.plain) } {
                return;
            }
            let newest = self.frame.newest_job();
            if let Some(job) = newest.filter(|_| matches!(between, Between::GiveAndRun)) {
                let member = job.owner();
                let slot = member.offers.by_age().find(|slot| slot.holds(job));
                if let Some(job) = slot.and_then(Taken::from) {
                    run_part(member, job);
                }
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn tick(&mut self) {
        // Where there was nothing to give there may be something by now.
        let head = self.frame.head();
        head.leave();
        if self.plain {
            promote::tick_plain();
        } else {
            let scope = self.own_scope();
            // SAFETY: our scope stands for our frame, or safe code has put that of another root
            // there. What was below borrowed it and has ended, so it is the innermost of its chain.
            unsafe { promote::tick_scoped(scope.frame(), scope.root()) };
        }
    }

    /// Returns the scope of our frame.
    fn own_scope(&self) -> &Scope<'static> {
        // SAFETY: a frame begins with its scope, which only the owner touches (*owner only*): by
        // `ScopedSplitting::scope`, which borrows us.
        unsafe { self.frame.head().as_ptr().cast().as_ref() }
    }

    /// Returns the time, as [`coarse_nanos`], and remembers it.
    ///
    /// # Cost
    /// That of `coarse_nanos`.
    #[inline(always)]
    pub fn look_at_clock(&mut self) -> u64 {
        let now = coarse_nanos();
        self.local.looked.set(now);
        now
    }

    /// Returns when a loop of this thread last [looked at the clock](Self::look_at_clock), without
    /// a look; 0 if none has.
    ///
    /// # Cost
    /// An instruction.
    #[inline(always)]
    pub fn last_look(&self) -> u64 {
        crate::testing::clock().unwrap_or_else(|| self.local.looked.get())
    }

    /// Returns whether a worker has asked this loop for work.
    #[inline(always)]
    pub fn has_given(&self) -> bool {
        self.frame.has_given()
    }

    /// Keeps `count` parts on offer, or as many as there are, even if none is asked for, if the
    /// loop [has given](Splitting::has_given) parts before; otherwise does nothing. For a body
    /// whose next poll may be late.
    ///
    /// # Cost
    /// A few nanoseconds if nothing has been taken since the last time.
    #[cold]
    #[inline(never)]
    pub fn keep_offering(&mut self, count: usize) {
        if !self.has_given() {
            return;
        }
        let ready = self.frame.count_offered(count);
        if ready < count {
            promote::offer_parts(self.frame.head(), count - ready, self.plain);
        }
    }

    /// Takes back the part that was given last, unless a thief has taken it or none is out. For a
    /// body that goes on with it. The part may be given again.
    ///
    /// ```
    /// use std::cell::Cell;
    /// use sumac_core::splitting;
    ///
    /// let given = Cell::new(false);
    /// let split = || (!given.replace(true)).then_some(7);
    /// splitting(&split, &|seven, _| seven, |parts: &mut sumac_core::Splitting<'_, i32, i32>| {
    ///     parts.poll();
    ///     assert!(matches!(parts.reclaim(), None | Some(7)));
    ///     while parts.take_back().is_some() {}
    /// });
    /// ```
    ///
    /// # Cost
    /// That of taking it back.
    pub fn reclaim(&mut self) -> Option<P> {
        if self.frame.is_whole() {
            return None;
        }
        self.frame.reclaim()
    }

    /// Takes back the part that was given last, or waits for its output if another thread is
    /// running it. Returns `None` if none is out.
    ///
    /// Call it when nothing is left to split: a part that is given during the wait precedes the
    /// returned one, but is returned after it.
    ///
    /// # Panics
    /// With the panic of the part.
    pub fn take_back(&mut self) -> Option<Returned<P, R>> {
        if self.frame.is_whole() {
            return None;
        }
        // Its body is running, not unwinding.
        let returned = self.frame.take_back(true)?;
        Some(returned.unwrap_or_else(|payload| panic::resume_unwind(payload)))
    }
}

impl<'l, P, R> ScopedSplitting<'l, P, R> {
    /// Returns the scope for joins inside the body.
    ///
    /// It belongs to this loop for its whole lifetime, not only while it is borrowed: otherwise
    /// safe code could swap it with the scope of an inner loop, and keep the scope of a frame that
    /// has ended.
    ///
    /// ```compile_fail
    /// # use sumac_core::{Scope, ScopedSplitting};
    /// type Parts<'a> = ScopedSplitting<'a, (), ()>;
    /// fn exchange(outer: &mut Parts<'_>, inner: &mut Parts<'_>) {
    ///     std::mem::swap(outer.scope(), inner.scope());
    /// }
    /// ```
    #[inline(always)]
    pub fn scope(&mut self) -> &mut Scope<'l> {
        // SAFETY: a frame begins with its scope, which only the owner touches (*owner only*); the
        // only reference, since it borrows us.
        unsafe { self.0.frame.head().as_ptr().cast().as_mut() }
    }
}

impl<'l, P, R> Deref for ScopedSplitting<'l, P, R> {
    type Target = Splitting<'l, P, R>;

    #[inline(always)]
    fn deref(&self) -> &Splitting<'l, P, R> {
        &self.0
    }
}

impl<P, R> DerefMut for ScopedSplitting<'_, P, R> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

impl<P, R> std::fmt::Debug for Splitting<'_, P, R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Splitting").finish_non_exhaustive()
    }
}

impl<P, R> std::fmt::Debug for ScopedSplitting<'_, P, R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ScopedSplitting").finish_non_exhaustive()
    }
}

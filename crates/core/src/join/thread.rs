//! The state of each thread: its attention word and the tail of its plain joins (word.rs), and its
//! record.
//!
//! The word and the tail are a constant-initialised thread-local without destructor. The word
//! starts raised, so a thread's first join leaves the hot path and there makes the thread a member
//! of a pool: the hot path needs no test for registration. The record has a destructor, which gives
//! up the thread's seats; joins after that (in other thread-locals' destructors) run as plain
//! calls.
//!
//! **Base.** While no context is current, the word is raised: the next plain join leaves the hot
//! path and enters the base, whose pool is the global one unless `set_base` has named another. A
//! tick inside an `install`, or of a scope, may lower the word before there is a base; leaving the
//! install, or dropping the scope, raises it again. A plain join beside a scope that is still alive
//! may run without asking for its base.

use super::{
    chain::Root,
    frame::FrameRef,
    member::{Member, site::Line},
    run::{Context, JobRun, Place},
    scope::Scope,
    word::{Local, innermost, with_word},
};
use crate::{
    hooks,
    pool::seats::Seat,
    protocol::{
        attention::{self, NO_FRAME},
        primitive::AtomicUsize,
    },
    unwind::Finally,
};
use std::{
    cell::{Cell, OnceCell, RefCell},
    mem,
    ops::Deref,
    ptr,
    rc::Rc,
    sync::atomic::Ordering,
};

thread_local! {
    static THREAD: Thread = const { Thread::new() };
}

/// A handle of the calling thread's record.
///
/// Invariant *in a call*: a handle is a local of a call on its thread. It cannot be sent to another
/// thread, and nothing that outlives a call has one: no box, static or thread-local. The record's
/// destructor runs when the thread's calls have returned, between other destructors and not inside
/// them; and once it has started there are no new handles. (If a call ends the process, the
/// destructor may run while there are handles; but that call does not go on.)
pub(crate) struct Current(*const Thread);

impl Deref for Current {
    type Target = Thread;

    #[inline]
    fn deref(&self) -> &Thread {
        // SAFETY: the thread-local of the thread that we are on, whose destructor has not begun,
        // nor does before the call returns that has the handle (*in a call*).
        unsafe { &*self.0 }
    }
}

/// A thread's record: its contexts, its promoted frames, its seats.
pub(crate) struct Thread {
    pub(super) context: Cell<*const Context<'static>>,
    /// The outermost context and its root, since `set_base`.
    base: OnceCell<Context<'static>>,
    base_root: OnceCell<Root<'static>>,
    promoted: RefCell<Vec<Promoted>>,
    /// The number of stolen jobs that this thread has started.
    runs: Cell<u64>,
    /// Whether a tick is in progress: splitting a loop may run joins of its own, which must not
    /// tick.
    ticking: Cell<bool>,
    /// The number of yields in a row that have found nothing to run, and the microseconds that they
    /// took.
    pub(crate) vain_yields: Cell<u32>,
    /// Where on the stack the thread first ran a stolen job on top of a wait; 0 if it runs none.
    helps_from: Cell<usize>,
    /// How many bytes of the stack such jobs may use, those that are nested in each other together.
    pub(crate) room: Cell<usize>,
    pub(crate) seats: RefCell<Vec<Rc<Seat>>>,
    /// The roots of owned scopes: the unused ones, and those that scopes have.
    free_roots: RefCell<Vec<Rc<Root<'static>>>>,
    lent_roots: RefCell<Vec<Rc<Root<'static>>>>,
}

/// The room of a thread that no pool has started, whose stack may have two mebibytes.
const ROOM: usize = 1 << 19;

/// Returns how deep the stack is now, as an address. A local's address would do, too, where no
/// sanitizer keeps locals elsewhere.
fn here() -> usize {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        let pointer: u64;
        // SAFETY: this reads a register, and touches nothing else.
        unsafe {
            std::arch::asm!("mov {}, rsp", out(reg) pointer, options(nomem, nostack, preserves_flags));
        }
        pointer as usize
    }
    #[cfg(any(not(target_arch = "x86_64"), miri))]
    {
        let local = 0_u8;
        std::hint::black_box(ptr::from_ref(&local)).addr()
    }
}

/// The address of a promoted frame, and the lowest one up to here.
struct Promoted {
    address: usize,
    floor: usize,
}

impl Thread {
    /// Returns the calling thread's record; `None` after its end (a new one where thread-locals are
    /// not `NATIVE`).
    #[inline]
    pub(crate) fn current() -> Option<Current> {
        let record = THREAD.try_with(ptr::from_ref);
        if record.is_err() {
            with_word(|word| word.store(NO_FRAME, Ordering::Relaxed));
        }
        record.ok().map(Current)
    }

    const fn new() -> Self {
        Thread {
            context: Cell::new(ptr::null()),
            base: OnceCell::new(),
            base_root: OnceCell::new(),
            promoted: RefCell::new(Vec::new()),
            runs: Cell::new(0),
            ticking: Cell::new(false),
            vain_yields: Cell::new(0),
            helps_from: Cell::new(0),
            room: Cell::new(ROOM),
            seats: RefCell::new(Vec::new()),
            free_roots: RefCell::new(Vec::new()),
            lent_roots: RefCell::new(Vec::new()),
        }
    }

    /// Calls `f` with the current context, none before there is a base, and the innermost frame of
    /// its plain joins.
    pub(crate) fn with_context<R>(
        &self,
        f: impl FnOnce(Option<&Context<'_>>, Option<FrameRef<'_>>) -> R,
    ) -> R {
        // SAFETY: neither ends before `f` has returned (run.rs, *reverse order*).
        let (context, innermost) = unsafe { self.current_context() };
        f(context, innermost)
    }

    /// Returns the current context, and the innermost frame of its plain joins.
    ///
    /// # Safety
    /// The context is not left, nor does the join end, while the result is used.
    pub(super) unsafe fn current_context<'c>(
        &self,
    ) -> (Option<&'c Context<'c>>, Option<FrameRef<'c>>) {
        // SAFETY: null, or alive (contract of `set_current`); the caller's.
        let context = unsafe { self.context.get().as_ref() };
        // SAFETY: the caller's.
        (context, unsafe { innermost() })
    }

    /// # Safety
    /// The context and the tail are null, or alive until they are no longer the current ones.
    pub(super) unsafe fn set_current(
        &self,
        context: *const Context<'static>,
        tail: *const Scope<'static>,
    ) {
        let local = Local::current();
        let _cold = local.remote.begin_cold();
        self.context.set(context);
        // SAFETY: the caller's.
        unsafe { local.set_tail(tail) };
        let is_bare = self.with_context(|context, innermost| {
            innermost.is_none() && context.is_none_or(|context| !context.in_frames)
        });
        local.set_bare(is_bare);
    }

    /// Returns the innermost run and its level.
    pub(crate) fn run(&self) -> (*const JobRun, u32) {
        self.with_context(|at, _| at.map_or((ptr::null(), 0), |at| (at.run, at.level)))
    }

    /// Returns the number of the innermost run.
    pub(crate) fn run_number(&self) -> u64 {
        self.with_context(|at, _| at.map_or(0, |at| at.run_number))
    }

    /// Returns a number for a run that no run of this thread has had.
    pub(crate) fn next_run_number(&self) -> u64 {
        self.runs.set(self.runs.get() + 1);
        self.runs.get()
    }

    /// Starts a tick, which ends when the result is dropped; `None` inside another one.
    pub(crate) fn begin_tick(&self) -> Option<impl Sized> {
        // A thread that profiles runs its work alone.
        if hooks::measured().is_some() {
            return None;
        }
        // Not `then_some`, since dropping an unused `Finally` would end the tick in progress.
        (!self.ticking.replace(true)).then(|| {
            let cold = Local::current().remote.begin_cold();
            (Finally(|| self.ticking.set(false)), cold)
        })
    }

    /// Returns whether the stack has room for one more stolen job on top of a wait. Not on another
    /// stack than that of the first.
    pub(crate) fn has_room(&self) -> bool {
        let from = self.helps_from.get();
        let used = from.wrapping_sub(here());
        from == 0 || !(self.room.get()..usize::MAX / 2).contains(&used)
    }

    /// Calls `f`, which runs a stolen job on top of a wait.
    pub(crate) fn helping(&self, f: impl FnOnce()) {
        let from = self.helps_from.get();
        self.helps_from.set(if from == 0 { here() } else { from });
        let _end = Finally(|| self.helps_from.set(from));
        f();
    }

    pub(crate) fn level(&self) -> u32 {
        self.run().1
    }

    /// Calls `f` with the member of the current context. Returns `None` before there is a base.
    pub(crate) fn with_member<R>(&self, f: impl FnOnce(&Member) -> R) -> Option<R> {
        self.with_context(|at, _| at.map(|at| f(at.member)))
    }

    /// Returns whether there is no current context.
    pub(crate) fn is_outside(&self) -> bool {
        self.context.get().is_null()
    }

    /// Returns whether there is a current context. Enters the base if it was set inside an
    /// `install` that has ended.
    pub(crate) fn has_context(&self) -> bool {
        if self.is_outside() {
            self.enter_base();
        }
        !self.is_outside()
    }

    /// Makes plain joins at the base of this thread belong to `member`, at which it keeps a seat
    /// from when it joins until its record ends. Returns false if they have a member.
    pub(crate) fn set_base(&self, member: &'static Member) -> bool {
        if self.base.get().is_some() {
            return false;
        }
        let root = self.base_root.get_or_init(|| Root::new(member, 0));
        // SAFETY: written once, and a part of this record, like the context that gets it.
        let root = unsafe { &*ptr::from_ref(root) };
        self.base.get_or_init(|| Context::outermost(root, member));
        if self.is_outside() {
            self.enter_base();
        }
        true
    }

    fn enter_base(&self) {
        let _cold = Local::current().remote.begin_cold();
        // Null, or a part of this record, which is written once.
        self.context
            .set(self.base.get().map_or(ptr::null(), ptr::from_ref));
    }

    /// Calls `f`, in which plain joins belong to `member`, a seat of this thread.
    pub(crate) fn inside<R>(&self, member: &Member, f: impl FnOnce() -> R) -> R {
        Thread::inside_if(Some((self, member, None)), f)
    }

    /// Calls `f` as [`inside`](Self::inside) does, for a call on this line, or only calls it.
    pub(crate) fn inside_if<R>(
        seat: Option<(&Thread, &Member, Option<Line>)>,
        f: impl FnOnce() -> R,
    ) -> R {
        let mut place = Place::new();
        let _leave = seat.map(|(thread, member, line)| {
            // SAFETY: dropped before this returns.
            unsafe { thread.enter(member, line, &mut place) }
        });
        f()
    }

    /// What [`inside`](Self::inside) does before its call and, by the result, after it.
    ///
    /// # Safety
    /// As for [`Context::enter`].
    #[inline(never)]
    unsafe fn enter<'a>(
        &'a self,
        member: &'a Member,
        line: Option<Line>,
        place: &'a mut Place<'a>,
    ) -> impl Sized + use<'a> {
        let at = line.map(|line| member.enters(line));
        let part = member.site.take_part();
        // SAFETY: the caller's.
        let (_, leave) = unsafe { Context::enter(self, member, None, place) };
        renew_attention_of(member);
        // Dropped in this order.
        (leave, part, at)
    }

    /// Returns a root for an owned scope of `member`'s pool. It may be an orphan before that ends.
    pub(crate) fn lend_root(&self, member: &'static Member) -> Rc<Root<'static>> {
        let free = self.free_roots.borrow_mut().pop();
        let mut root = free.unwrap_or_else(|| Rc::new(Root::orphan()));
        let unused = Rc::get_mut(&mut root).expect("a free root is in no other list");
        *unused = Root::new(member, self.run_number());
        let mut lent = self.lent_roots.borrow_mut();
        root.lent_at.set(lent.len());
        lent.push(Rc::clone(&root));
        root
    }

    /// Records a promoted frame of this thread, whose word this is: its join must leave the hot
    /// path.
    pub(crate) fn add_promoted(&self, address: usize, word: &AtomicUsize) {
        let mut promoted = self.promoted.borrow_mut();
        let floor = promoted.last().map_or(NO_FRAME, |p| p.floor).min(address);
        promoted.push(Promoted { address, floor });
        attention::set_floor(word, floor);
    }

    /// Removes a promoted frame. Usually it is the last: frames end in reverse order.
    pub(crate) fn remove_promoted(&self, address: usize) {
        let _cold = Local::current().remote.begin_cold();
        let mut promoted = self.promoted.borrow_mut();
        let at = promoted.iter().rposition(|p| p.address == address);
        let at = at.expect("a promoted frame is remembered until it is settled");
        promoted.remove(at);
        let mut floor = at
            .checked_sub(1)
            .map_or(NO_FRAME, |before| promoted[before].floor);
        for p in &mut promoted[at..] {
            floor = floor.min(p.address);
            p.floor = floor;
        }
        with_word(|word| attention::set_floor(word, floor));
    }

    /// Lowers this thread's attention, and acquires the writes of threads that raised it.
    pub(crate) fn lower_attention(&self) {
        let floor = self.promoted.borrow().last().map_or(NO_FRAME, |p| p.floor);
        let local = Local::current();
        local.remote.lower(local.word(), floor);
    }

    /// Raises attention again if a pool that this thread sits in still asks for work: while the
    /// thread was inside a context or a scope of another pool, that demand had to wait.
    ///
    /// Also raises it if the thread is outside of all contexts (*base*, at the head of this file).
    pub(super) fn renew_attention(&self) {
        if self.is_outside() {
            return raise_attention();
        }
        for seat in self.seats.borrow().iter() {
            renew_attention_of(seat.member());
        }
    }
}

/// Raises this thread's own attention.
pub(crate) fn raise_attention() {
    with_word(attention::raise_own);
}

/// Raises attention if the pool of `member`, a seat of this thread, still asks for work.
pub(crate) fn renew_attention_of(member: &Member) {
    if member.demand.asked() > 0 {
        raise_attention();
    }
}

/// Takes back a root that its scope no longer needs.
pub(crate) fn return_root(root: Rc<Root<'static>>) {
    let Some(thread) = Thread::current() else {
        return;
    };
    let mut lent = thread.lent_roots.borrow_mut();
    let at = root.lent_at.get();
    // An orphan, which may be of a record before this one, is not there.
    if lent.get(at).is_some_and(|lent| Rc::ptr_eq(lent, &root)) {
        lent.swap_remove(at);
        lent.get(at).inspect(|moved| moved.lent_at.set(at));
        thread.free_roots.borrow_mut().push(root);
    }
    thread.renew_attention();
}

impl Drop for Thread {
    fn drop(&mut self) {
        // No other thread uses the record any more, also if this is the end of the process, in the
        // midst of joins.
        mem::forget(Local::current().remote.begin_cold());
        // Scopes that outlive this record may meet a new one, but nothing may be offered there,
        // since the seats are given up.
        for root in self.lent_roots.get_mut() {
            root.abandon();
        }
        // User code may run here (`sit`); this thread has no record any more.
        self.seats.get_mut().clear();
        with_word(|word| word.store(NO_FRAME, Ordering::Relaxed));
    }
}

#[cfg(test)]
mod tests;

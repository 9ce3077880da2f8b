//! The last seat of a pool whose callers take turns: who sits there, and what its stand-in is
//! needed for (turns.rs).
//!
//! A caller sits there for the length of its call, if it can; else it hands its work over. Where no
//! caller sits, the *stand-in* does, a thread of the pool that is started when it is needed for the
//! first time. It is needed
//! * for a call in the seat's inbox;
//! * for tasks, while no worker is idle;
//! * as a thief, while workers run tasks and none is idle: for the joins in those. Jobs of joins
//!   are not counted: their owner is in one of those tasks or sits here itself, and a caller that
//!   gets off after its own joins leaves workers behind that have not yet said that they are idle.
//!
//! Whether it is needed is looked at by a thread that queues a task or makes a call, by a worker
//! that becomes busy, by the thread that gets off the seat, and by the stand-in before it sleeps.
//!
//! The stand-in works as a worker does, but plays no role among the idle. When it has found nothing
//! for a while it gets off. A pool without workers leaves all of its queued tasks to it.
//!
//! **Refused.** If the system does not start the thread, the caller that gets off does what it was
//! needed for, and a thread that calls the seat answers there itself. It is tried again whenever it
//! is needed.

use super::{find, inbox};
use crate::{
    os,
    pool::{
        life::{Life, SeatPtr},
        member::{LAST, Member},
        shared::Shared,
        thread::{self, Thread},
    },
    protocol::{
        primitive::lock,
        turns::{Need, Turns},
    },
    worker,
};
use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread::{Builder, JoinHandle},
    time::Duration,
};

/// The last seat of a pool.
pub(crate) struct LastSeat {
    member: SeatPtr,
    turns: Turns,
    started: AtomicBool,
    handle: Mutex<Option<JoinHandle<()>>>,
}

impl LastSeat {
    pub(crate) fn new(member: SeatPtr) -> Self {
        LastSeat {
            member,
            turns: Turns::new(),
            started: AtomicBool::new(false),
            handle: Mutex::new(None),
        }
    }

    pub(crate) fn member(&self) -> &Member {
        self.member.get()
    }

    /// After a fence: sees to it that what the stand-in may be needed for is done. False if there
    /// is no thread for it.
    pub(crate) fn call(&self, pool: &Shared) -> bool {
        self.turns.call(|| self.need(pool), || self.start(pool))
    }

    /// After a call has been put into the seat's inbox, and a fence: the same, but where there is
    /// no thread, the calling one answers, on that seat. If another has it, that one does.
    pub(crate) fn call_or_answer(&self, pool: &Shared) {
        if self.call(pool) {
            return;
        }
        let answer_all = |pool: &Arc<Shared>| {
            in_turn(pool, |last| {
                thread::with(|thread| while inbox::answer(thread, last, None, || ()) {});
            })
        };
        pool.this.upgrade().as_ref().and_then(answer_all);
    }

    fn need(&self, pool: &Shared) -> Need {
        let is_ending = pool.is_terminating() && self.started.load(Ordering::Relaxed);
        if is_ending || !self.member().inbox.is_empty() {
            Need::Now
        } else if pool.idle.count() > 0 {
            Need::Nothing
        } else if pool.anything_queued() {
            Need::Now
        } else if pool.idle.tasks() > 0 {
            Need::Thief
        } else {
            Need::Nothing
        }
    }

    /// Starts the stand-in unless it has been. False if there is none.
    fn start(&self, pool: &Shared) -> bool {
        if self.started.load(Ordering::Relaxed) {
            return true;
        }
        // Under the lock, so that `take_handle` finds the handle of a thread that is started before
        // the pool ends.
        let mut handle = lock(&self.handle);
        if self.started.load(Ordering::Relaxed) {
            return true;
        }
        let Some(pool) = pool.this.upgrade().filter(|pool| !pool.is_terminating()) else {
            return false;
        };
        let life = Life::new(&pool);
        let builder = Builder::new().name("sumac-stand-in".into());
        *handle = builder.spawn(move || live(life.pool())).ok();
        self.started.store(handle.is_some(), Ordering::Relaxed);
        handle.is_some()
    }

    /// Before the pool says that it ends. Without workers, what a caller that sits here leaves
    /// queued is the stand-in's.
    pub(crate) fn prepare_end(&self, pool: &Shared) {
        if !pool.has_workers() && !self.turns.is_free() {
            self.start(pool);
        }
    }

    /// The pool ends: the stand-in is to look.
    pub(crate) fn wake(&self) {
        self.turns.unpark();
    }

    /// The thread, to be joined. The pool is terminating, so none is started after this.
    pub(crate) fn take_handle(&self) -> Option<JoinHandle<()>> {
        lock(&self.handle).take()
    }
}

/// The calling thread's turn on the last seat of a pool.
struct Turn<'t> {
    thread: &'t Thread,
    pool: &'t Arc<Shared>,
    last: &'t LastSeat,
}

impl<'t> Turn<'t> {
    /// Takes the seat if it is free.
    fn take(thread: &'t Thread, pool: &'t Arc<Shared>) -> Option<Self> {
        let last = pool.last()?;
        if !last.turns.take() {
            return None;
        }
        thread.sit_in_turn(pool, last.member());
        Some(Turn { thread, pool, last })
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let Turn { thread, pool, last } = *self;
        loop {
            thread.get_off(last.member());
            last.turns.free();
            if last.call(pool) || !last.turns.take() {
                return;
            }
            thread.sit_in_turn(pool, last.member());
            thread.inside(last.member(), || {
                while find::run_one(thread, last.member(), false) {}
            });
        }
    }
}

/// Calls `f` with the member of the pool's last seat, on that seat. `None` if there is none, or it
/// is not free.
pub(crate) fn in_turn<R>(pool: &Arc<Shared>, f: impl FnOnce(&Member) -> R) -> Option<R> {
    pool.last()?;
    thread::with(|thread| {
        let turn = Turn::take(thread, pool)?;
        let me = turn.last.member();
        Some(thread.inside(me, || f(me)))
    })
    .flatten()
}

/// The life of the stand-in.
fn live(pool: &Arc<Shared>) {
    os::precise_timers();
    thread::with(|thread| {
        let last = pool.last().expect("the stand-in is one for the last seat");
        let me = last.member();
        debug_assert_eq!(me.index, LAST);
        // The thread that has started this one may not have come to say so, and another may end the
        // pool. After this we look whether we are needed.
        last.started.store(true, Ordering::Relaxed);
        let policy = &pool.policy;
        let (mut nap, mut look) = (policy.nap, policy.spin);
        loop {
            let need = || last.need(pool);
            last.turns.wait(need, Duration::from_nanos(nap));
            thread.sit_in_turn(pool, me);
            let turned = thread.inside(me, || worker::work_in_turn(thread, me, look));
            thread.get_off(me);
            // The seat stays taken: nothing is to wait for a thread that has ended.
            if turned.is_over {
                return;
            }
            last.turns.free();
            (nap, look) = if turned.has_worked {
                (policy.nap, policy.spin)
            } else {
                (policy.leader_nap(nap), policy.spin_after_nap)
            };
        }
    });
}

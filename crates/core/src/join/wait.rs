//! Waiting for a job that another thread has taken, or for a task, and helping in the meantime.
//!
//! A waiter runs **only jobs that descend from the one it waits for** (leapfrogging: Wagner &
//! Calder, PPoPP 1993; Wool and Lace do the same). So its stack contains only frames that the
//! sequential program could have there, and no unrelated job runs while it holds a lock or a borrow
//! across a join.
//!
//! Where to look: in the taker's slots; if another thread has taken a part of the work from the
//! taker, in that thread's slots, and so on. (A list written as `join(leaf, rest)` is a chain of
//! such takers, each busy with its leaf.) The level of an offer says, before taking it, whether it
//! was made inside the job we wait for: a hint, since the taker may have moved on meanwhile. After
//! taking it, all jobs above it are *frozen*, and `Taken::descends_from` is exact; an unrelated job
//! is *declined*: its owner runs it, or if that is silent, the leader offers it again (remote.rs).
//! (Putting it back could lose a job that the owner has meanwhile offered in the same slot.)
//!
//! **The stack has an end.** Where two threads take turns at the rest of a list, each job that one
//! of them takes lies on top of all its earlier ones. So a thread runs no further jobs when those
//! that it runs on top of waits use more than a certain part of its stack
//! (`Thread::has_room`). Jobs that are not taken are run by their owners.
//!
//! A thread that has looked in vain for some time naps between looks, and after some milliseconds
//! sleeps until its wait ends; such threads take turns at looking (watch.rs). It yields before its
//! first nap. Where other programs keep the processor, a thread that has slept gets it back sooner
//! than one that has yielded, so there it naps at once (yields.rs).
//!
//! A worker that waits **answers all calls of broadcasts** (pool/inbox.rs): each needs this very
//! thread, and the awaited work may wait for it in turn. It is the one thing unrelated to the wait
//! that runs on top of it, so a broadcast's closure must not wait for what the thread below may
//! hold or has to provide. They may come for ever: after some in a row it looks for other work, and
//! sleeps for a moment. A thread that is no worker, but owns a scope, answers what that scope calls
//! it for (pool/enclosing.rs).
//!
//! A worker may wait for threads of another pool, as its guest or its caller, or for an
//! outside thread that helps its own pool. It may then be the only thread that can run tasks that
//! those hand over to its pool. So before each sleep it looks in the queues of its pool for tasks
//! that descend from the work it waits for (in long ones mostly at the newest: they are locked
//! meanwhile), and for those that the wait-for graph of sleeping threads shows to be in its way
//! (pool/wait_for.rs). A pool may also be stuck behind users' code that blocks (stuck.rs).
//!
//! **No circle closes** among joins, scopes and broadcasts. Their waits are for work that the
//! waiting frame has created itself, so that started later than the frame. On a stack, frames above
//! started later, too. So if thread after thread waits for work that is buried in the next one's
//! stack, the frames that wait start later and later, and the chain ends: at a thread that runs, at
//! a job in a slot, which its owner takes when it reaches it, or at a call, which its thread takes
//! when it waits or has nothing else to do. Promises may be older than the frame that waits;
//! `JobRun::await_task` finds circles of those.

pub(super) mod stuck;
mod yields;

use self::stuck::Stuck;
use super::{
    awaited::Awaited,
    job::{Lineage, Taken},
    member::{Member, site::WaitsFor},
    remote::{self, Attempt, Frames},
    run::Outside,
    steal,
    thread::Thread,
};
use crate::{
    hooks,
    policy::{self, Policy, Thief},
    pool::{enclosing, find, inbox, queue::Queued, wait_for},
    protocol::{
        parker::Parker,
        primitive::{Instant, spin_loop, yield_now},
        times::Phase,
        watch::Waits,
    },
    unwind::abort_on_panic,
};
use std::{iter, ptr::NonNull, sync::Arc, time::Duration};

/// How many times to go from a taker to the thread that has taken a part of its work.
const HOPS: usize = 64;
/// The number of looks after each nap, regardless of the time they take.
const LOOKS: u32 = 4;
/// The number of calls that a thread answers in a row before it looks for anything else.
const CALLS: u32 = 64;
/// How many of the newest entries of each queue a thread looks at before each nap.
const NEWEST: usize = 64;
/// How long it waits for each entry of the queues before it looks at all, in nanoseconds: some
/// times as long as that takes, but no longer than its longest nap.
const SEARCH: u64 = 64;

/// Waits; meanwhile runs descendants of the awaited work if `help`.
///
/// It does not unwind: other threads use the frames and the run of the waiter. Panics of user code
/// that runs inside (jobs, calls, the destructor of a waker that ours replaces) are caught.
pub(crate) fn until(thread: &Thread, me: &Member, awaited: &dyn Awaited, help: bool) {
    abort_on_panic(|| help_until(thread, me, awaited, help));
}

/// Waits where the calling thread is: on `me`, or in its current context, as [`until`] does, or
/// outside of all pools. There it polls for some microseconds, less than two wake-ups take, and
/// soon yields to the worker that may need its processor; then it sleeps; at once where a yield
/// takes long (yields.rs).
pub(crate) fn here(me: Option<&Member>, awaited: &dyn Awaited, help: bool) {
    let waited = Thread::current().is_some_and(|thread| {
        let wait = |me: &Member| until(&thread, me, awaited, help);
        match me {
            Some(me) => {
                wait(me);
                true
            }
            None => thread.with_member(wait).is_some(),
        }
    });
    if !waited {
        alone(awaited);
    }
}

fn alone(awaited: &dyn Awaited) {
    let policy = Policy::DEFAULT;
    let _paused = hooks::pause();
    let start = Instant::now();
    let elapsed = || u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
    let mut parker = None;
    while !awaited.is_over() {
        let looked = elapsed();
        let sleeps = looked >= policy.short || parker.is_some();
        if sleeps || (looked >= policy.tiny && !yields::may_yield()) {
            let parker = parker.get_or_insert_with(|| Arc::new(Parker::new()));
            awaited.sleep(parker, &mut || parker.park(None));
        } else if looked >= policy.tiny {
            yield_now();
            yields::learn(elapsed() - looked);
        } else {
            spin_loop();
        }
    }
}

/// The next action of a thread that waits.
enum Part<'t> {
    /// Answers a call to this member of its own.
    Call(&'t Member),
    /// Answers a call of a scope that it owns and is inside.
    ScopeCall,
    /// Advances the awaited work.
    Step,
    /// Runs a job of the second member, for the first, of its own.
    Job(&'t Member, &'t Member, Taken<'t>, Outside),
    /// Runs a task for this member of its own.
    Task(&'t Member, Arc<dyn Queued>),
}

fn help_until(thread: &Thread, me: &Member, awaited: &dyn Awaited, help: bool) {
    let _paused = hooks::pause();
    let mut waiting = me.waits(awaited.is());
    let shared = me.shared();
    let mut thief = Thief::new();
    let mut nap = shared.policy.nap;
    let mut idle_since = shared.now();
    let (mut again, mut looks_until, mut calls) = (0_u32, 0, 0_u32);
    let longest = shared.policy.wait_nap_max();
    let mut waits = Waits::new(&shared.watch, &me.parker, longest);
    let mut stuck = Stuck::default();
    let own = || (0..).map_while(|nth| thread.own(nth));
    let mut searched = idle_since;
    // Asked when it would.
    let mut yields = None;
    // A thread that waits in vain is not working.
    let mut phase = None;
    while !awaited.is_over() {
        phase.get_or_insert_with(|| me.enter(Phase::Searching, idle_since));
        let now = shared.now();
        let idle = now.saturating_sub(idle_since);
        // Calls may come for ever.
        let calls_last = calls == CALLS;
        let looks = calls_last || idle >= shared.policy.patience(me.demand.interval());
        let polls = idle < shared.policy.wait_spin()
            && (idle < shared.policy.short || *yields.get_or_insert_with(yields::may_yield));
        let rests = !polls && again == 0 && now >= looks_until;
        let called = || own().find(|own| own.is_called());
        let mut part = (!calls_last).then(called).flatten().map(Part::Call);
        if part.is_none() && !calls_last && thread.has_room() && enclosing::is_called(None) {
            part = Some(Part::ScopeCall);
        }
        if part.is_none() && awaited.step_is_due() == Some(true) {
            part = Some(Part::Step);
        }
        if part.is_none() && help && looks && thread.has_room() {
            part = find_descendant(me, awaited, &thief);
        }
        if part.is_none() && (calls_last || rests) {
            let own = || own().filter(|own| own.shared().hands_over());
            let queued: u64 = own().map(find::queued).sum();
            let patience = (SEARCH * queued).min(shared.policy.wait_nap_max());
            let mut newest = NEWEST;
            if now.saturating_sub(searched) >= patience {
                (newest, searched) = (usize::MAX, now);
            }
            let is_part = |task: &dyn Queued| task.is_part_of(awaited.lineage());
            let task = |own| Some(Part::Task(own, find::take(own, newest, &is_part)?));
            part = own().find_map(task);
        }
        if part.is_none() && calls_last {
            part = pause(thread, me, awaited);
        }
        if part.is_none() && rests && help && thread.has_room() && promote_silent(me, awaited) {
            continue;
        }
        if part.is_none() && rests && !calls_last && waits.is_on_watch() {
            part = stuck.look(thread, me, now);
        }
        if part.is_none() && rests && !calls_last {
            me.enter(Phase::Parked, now);
            // Other threads that may not help have nothing to look for. A worker has: a call or a
            // task in its pool may become a descendant of the awaited work, without a wake-up.
            let looks = help || awaited.step_is_due().is_some() || own().next().is_some();
            let must_look = waits.sleep(looks.then_some(nap), |time| {
                if thread.has_room() && enclosing::is_called(Some(&me.parker)) {
                    return;
                }
                part = sleep_by(thread, me, awaited, &mut || {
                    me.counters.parks.add_one();
                    me.park(time.map(Duration::from_nanos));
                });
            });
            let now = shared.now();
            me.enter(Phase::Searching, now);
            if part.is_none() {
                if must_look {
                    // A member that is asked offers a job at its next fork, and takes it back when
                    // it reaches it: a waiter that only asks before each nap finds nothing. If both
                    // share a processor, yielding after the first look may take longer than all
                    // looks should.
                    again = LOOKS;
                    looks_until = now.saturating_add(policy::look(nap));
                }
                nap = shared.policy.longer_nap(nap);
                me.cpu.note();
                continue;
            }
        }
        let is_call = matches!(part, Some(Part::Call(_) | Part::ScopeCall));
        calls = if is_call { calls + 1 } else { 0 };
        let Some(part) = part else {
            again = again.saturating_sub(1);
            if idle >= shared.policy.short && *yields.get_or_insert_with(yields::may_yield) {
                // The taker may need our processor.
                let start = shared.now();
                yield_now();
                yields::learn(shared.now().saturating_sub(start));
            } else {
                spin_loop();
            }
            continue;
        };
        waits.leave();
        drop(waiting);
        stuck.end();
        me.counters.looks.add_one();
        me.enter(Phase::Working, shared.now());
        match part {
            Part::Call(own) => {
                inbox::answer(thread, own);
            }
            Part::ScopeCall => {
                enclosing::answer();
            }
            Part::Step => awaited.advance(),
            Part::Job(own, victim, job, outside) => {
                steal::help(thread, own, victim, job, &mut thief, outside);
            }
            Part::Task(own, task) => task.run(thread, own, Outside::MayGive),
        }
        waiting = me.waits(awaited.is());
        nap = shared.policy.nap;
        idle_since = shared.now();
        me.enter(Phase::Searching, idle_since);
    }
    if let Some(phase) = phase {
        me.enter(phase, shared.now());
    }
}

/// Sleeps for the shortest nap, or until the wait is over, whether or not there are calls. While
/// they come for ever, this is when threads see that they wait for each other.
fn pause<'t>(thread: &'t Thread, me: &Member, awaited: &dyn Awaited) -> Option<Part<'t>> {
    let shared = me.shared();
    sleep_by(thread, me, awaited, &mut || {
        let end = shared.now().saturating_add(shared.policy.nap);
        while !awaited.is_over() && shared.now() < end {
            let left = end.saturating_sub(shared.now());
            me.park(Some(Duration::from_nanos(left)));
        }
    })
}

/// Calls `park` unless there is an outcome, or a task that the thread must run instead.
fn sleep_by<'t>(
    thread: &'t Thread,
    me: &Member,
    awaited: &dyn Awaited,
    park: &mut dyn FnMut(),
) -> Option<Part<'t>> {
    let mut part = None;
    awaited.sleep(&me.parker, &mut || {
        let task = wait_for::sleep(thread, awaited, park);
        part = task.map(|(own, task)| Part::Task(own, task));
    });
    part
}

/// Takes a job that descends from the awaited work, or asks for one.
fn find_descendant<'p>(me: &'p Member, awaited: &dyn Awaited, thief: &Thief) -> Option<Part<'p>> {
    // When a join waits, all older frames of its member are promoted. Other waits may be inside a
    // join's half.
    let outside = match awaited.is() {
        WaitsFor::Join => Outside::Promoted,
        _ => Outside::MayGive,
    };
    let (victim, job) = (0..)
        .map_while(|nth| awaited.taker(nth))
        .find_map(|taker| follow(me, awaited.lineage(), taker, thief))?;
    Some(Part::Job(me, victim, job, outside))
}

/// Promotes a frame of a thread that runs a part of the awaited work and does not answer. Returns
/// false if there is none.
fn promote_silent(me: &Member, awaited: &dyn Awaited) -> bool {
    let now = me.shared().now();
    let takers = (0..).map_while(|nth| awaited.taker(nth));
    let mut takers = takers.flat_map(|taker| takers_from(me, taker));
    let is_given =
        takers.any(|(m, _)| remote::promote_if_silent(m, now, Frames::Private) == Attempt::Given);
    if is_given {
        // It may not be for us.
        me.shared().wake_dormant(me);
    }
    is_given
}

/// Iterates over a taker and threads that have taken parts of its work, with how deep each runs it.
fn takers_from(me: &Member, taker: (NonNull<Member>, u32)) -> impl Iterator<Item = (&Member, u32)> {
    let mut last: Option<&Member> = None;
    let takers = iter::from_fn(move || {
        let is_other = |&(next, _): &(NonNull<Member>, u32)| next != NonNull::from(me);
        let next = last.map_or(Some(taker), |last| last.taken_by.get().filter(is_other));
        let (next, level) = next?;
        let member = other(me, next);
        last = Some(member);
        Some((member, level))
    });
    takers.take(HOPS)
}

/// Looks at one taker, and at threads that have taken parts of its work.
fn follow<'p>(
    me: &'p Member,
    lineage: &Lineage,
    taker: (NonNull<Member>, u32),
    thief: &Thief,
) -> Option<(&'p Member, Taken<'p>)> {
    for (member, level) in takers_from(me, taker) {
        for slot in member.offers.by_age() {
            if slot.is_empty() || slot.level() < level {
                continue;
            }
            let Some(found) = Taken::from(slot) else {
                continue;
            };
            if found.descends_from(lineage) {
                return Some((member, found));
            }
            me.counters.declines.add_one();
            found.decline();
            // The member's thread may be silent.
            member.demand.end_vain();
            me.shared().wake_dormant(me);
        }
        steal::maybe_ask(member, member.shared().now(), thief.want);
    }
    None
}

/// Another member of our pool.
fn other(me: &Member, member: NonNull<Member>) -> &Member {
    debug_assert!(me.shared().members.contains(member.as_ptr()));
    // SAFETY: takers, also of parts of a job, are members of the pool of the job, and live as long
    // as it.
    unsafe { member.as_ref() }
}

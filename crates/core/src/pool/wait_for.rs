//! The wait-for graph of the threads that sleep: which calls between pools a waiting thread must
//! run itself, since every thread that could run them waits, too.
//!
//! A worker that calls another pool whose callers wait, or joins a task or ends a scope there,
//! waits for a thread of that pool. If all of these wait for calls to the worker's own pool, and so
//! on, none of the calls starts. A thread could run any call that is queued in its pool instead, as
//! in rayon; but such a call may want a lock that is held below on the same stack, although another
//! thread was about to run it. So a thread does that only if nothing else can go on.
//!
//! **The graph.** A thread enters its wait for as long as it sleeps. Edges lead from a wait
//! * to all workers of a pool, and its reserve, if the awaited work has not started there
//!   (*unstarted*): each of them may start it;
//! * else to the threads that run parts of it, its takers; of an activity, to the thread that runs
//!   a step. Between two steps it has none: any thread may wake it.
//!
//! If every thread that can be reached from a wait sleeps, none of these waits can end by itself.
//! Then the thread takes an unstarted call that one of them waits for out of its own pool's queue,
//! and runs it: that wait can end.
//!
//! A thread that has yielded in vain many times in a row, or for long, and now yields again, counts
//! as asleep. (On a busy machine each yield gives a time slice away.)
//! It may wait for a task that it, or a thread that waits for it, has spawned in one of its pools.
//! So edges lead to the threads there that are not idle; and if there is no call to run, the thread
//! runs a task that one of those reached has spawned.
//!
//! So does a thread that waits and has done nothing for long but answer calls of broadcasts, in the
//! naps that it takes between them (wait.rs). They may come for ever, so that no other thread would
//! ever see it asleep. (A call that it answers next could yield, and run what a found circle waits
//! for: as in rayon, a thread of that circle runs it instead.)
//!
//! * **Exact, or nothing.** A thread that runs, spins, is idle, or waits outside of all pools has
//!   not entered, so nothing is taken where it is reached; neither where a wait has takers that are
//!   unknown. All waits are looked at under one lock of the process, under which they are entered
//!   and left; one that is over, though its thread still sleeps, counts as awake.
//! * **Found.** Of the threads that close such a circle, the one that enters last sees all others,
//!   and looks before it sleeps. After changes that it cannot see (a taker that goes idle), the
//!   next thread on watch sees them (watch.rs).
//! * **Valid.** A wait lies on the stack of a thread that leaves the graph before it returns. The
//!   members that a wait leads to live, since its thread keeps their pool: by its seat, or since it
//!   borrows the pool that it has called. Waits are told apart by their addresses: none has the
//!   size zero.
//! * No user code runs under the lock: waits look at latches, stages and counters.
//!
//! A thread that is blocked in user code (a lock, a channel) counts as running, so a circle through
//! it is not found. Neither is one through a pool's workers while its reserve runs a task.

use super::{find, queue::Queued, shared::Shared};
use crate::{
    hooks,
    join::{
        awaited::Awaited,
        member::{
            Member,
            sleeping::{Graph, Sleep},
        },
        run::Outside,
        thread::Thread,
    },
    protocol::primitive::{Instant, yield_now},
};
use std::{mem, ptr, sync::Arc, time::Duration};

/// After so many yields in vain, or microseconds that they took, a thread enters the graph, and
/// runs jobs.
pub(super) const VAIN_YIELDS: u32 = 1000;

/// Returns what a yield in vain counts for: the more the longer it took, but so that no few of them
/// are enough. On a busy machine, a worker that has been woken for a task comes only after some.
fn weight(took: Duration) -> u32 {
    let took = took.as_micros().try_into().unwrap_or(u32::MAX);
    1 + took.min(VAIN_YIELDS / 20)
}

/// Calls `park` with the wait of the calling thread in the graph, unless nothing else can go on:
/// then returns a queued call that the thread must run, and its member of that pool.
#[must_use]
pub(crate) fn sleep<'t>(
    thread: &'t Thread,
    wait: &dyn Awaited,
    park: &mut dyn FnMut(),
) -> Option<(&'t Member, Arc<dyn Queued>)> {
    sleep_in(thread, Sleep::Wait(wait), park)
}

fn sleep_in<'t>(
    thread: &'t Thread,
    sleep: Sleep<'_>,
    park: &mut dyn FnMut(),
) -> Option<(&'t Member, Arc<dyn Queued>)> {
    // SAFETY: only the lifetime changes; it leaves the graph before we return. Nothing unwinds from
    // here: a panic in a wait aborts (`wait::until`), and a yield runs no user code.
    let sleep = unsafe { mem::transmute::<Sleep<'_>, Sleep<'static>>(sleep) };
    let found = Graph::locked(|graph| {
        set_all(graph, thread, Some(sleep));
        let found = in_the_way(graph, thread);
        if found.is_some() {
            set_all(graph, thread, None);
        }
        found
    });
    if found.is_none() {
        park();
        // The seats are the same as before: no user code ran in between.
        Graph::locked(|graph| set_all(graph, thread, None));
    }
    found
}

/// Yields to other threads of the system, since the calling thread has found nothing to run in its
/// current pool. Returns true if instead it has run work that may wait for just this thread.
pub(crate) fn yield_in_vain(thread: &Thread) -> bool {
    let before = thread.vain_yields.get();
    if before < VAIN_YIELDS {
        let start = Instant::now();
        yield_now();
        thread.vain_yields.set(before + weight(start.elapsed()));
        return false;
    }
    let seats = thread.seats.borrow();
    let pools = seats.iter().map(|seat| seat.member().shared);
    let pools: Vec<_> = pools.collect();
    drop(seats);
    let Some((own, task)) = sleep_in(thread, Sleep::Yield(&pools), &mut yield_now) else {
        return false;
    };
    let _paused = hooks::pause();
    task.run(thread, own, Outside::MayGive);
    true
}

/// Sets the sleep of the calling thread at all of its seats.
#[inline(never)]
fn set_all(graph: &Graph, thread: &Thread, sleep: Option<Sleep<'static>>) {
    for seat in thread.seats.borrow().iter() {
        seat.member().sleeping.set(graph, sleep);
    }
}

/// Takes a call out of a queue of the calling thread's pools, if every thread that can be reached
/// from its wait, which it has entered, sleeps, and one of them waits for that call; or a task that
/// one has spawned, if one of them yields.
fn in_the_way<'t>(graph: &Graph, thread: &'t Thread) -> Option<(&'t Member, Arc<dyn Queued>)> {
    let first = thread.own(0)?;
    // Each with whether it may be idle.
    let mut reached: Vec<(*const Member, bool)> = vec![(first, false)];
    let (mut calls, mut sleeps, mut yields) = (Vec::new(), Vec::new(), false);
    let mut next = 0;
    while let Some(&(member, may_be_idle)) = reached.get(next) {
        next += 1;
        // SAFETY: reached from a wait in the graph (*valid*).
        let member = unsafe { &*member };
        let sleep = member.sleeping.get(graph);
        if may_be_idle && sleep.is_none() && !member.times.is_working() {
            continue;
        }
        let sleep = sleep?;
        // All seats of its thread have the same sleep.
        sleeps.push(sleep.address());
        let mut reach = |member: *const Member, may_be_idle| {
            let is_known = |&(earlier, idle): &(*const Member, bool)| {
                ptr::eq(earlier, member) && (may_be_idle || !idle)
            };
            if !reached.iter().any(is_known) {
                reached.push((member, may_be_idle));
            }
        };
        let mut reach_workers = |pool: &Shared, may_be_idle| {
            let (first, end) = pool.threads.running_workers();
            let there = (first..end).filter(|&index| !pool.is_absent(index));
            let workers = there.map(|index| pool.members.worker(index));
            workers.for_each(|worker| reach(worker, may_be_idle));
            // A child of fork must not lock what a thread of its parent may have locked.
            let spares = pool.members.workers_from(pool.threads.workers);
            let is_on = |spare: usize| !pool.is_forked() && pool.spares.is_on(spare);
            let is_on = |member: &&Member| pool.threads.spare(member.index).is_some_and(is_on);
            spares.filter(is_on).for_each(|me| reach(me, may_be_idle));
            let reserve = pool.reserve.member();
            reserve.into_iter().for_each(|me| reach(me, may_be_idle));
        };
        match sleep {
            Sleep::Wait(wait) if wait.is_over() => return None,
            Sleep::Wait(wait) => {
                if let Some(unstarted) = wait.unstarted() {
                    reach_workers(unstarted.0, false);
                    calls.push(unstarted);
                    continue;
                }
                let mut takers = (0..).map_while(|nth| wait.taker(nth)).peekable();
                takers.peek()?;
                takers.for_each(|(taker, _)| reach(taker.as_ptr(), false));
            }
            Sleep::Yield(pools) => {
                for &pool in pools {
                    // SAFETY: the thread that waits keeps the pool (*valid*).
                    reach_workers(unsafe { &*pool }, true);
                }
                yields = true;
            }
        }
    }
    let own = || (0..).map_while(|nth| thread.own(nth));
    let call = calls.iter().find_map(|&(pool, entry)| {
        let own = own().find(|own| ptr::eq(own.shared, pool))?;
        let is_it = |task: &dyn Queued| ptr::from_ref(task).addr() == entry;
        Some((own, find::take(own, usize::MAX, &is_it)?))
    });
    let is_reached = |member: &&Member| {
        let sleep = member.sleeping.get(graph);
        sleep.is_some_and(|sleep| sleeps.contains(&sleep.address()))
    };
    let spawned = |own: &'t Member| {
        let mut members = own.shared().members.iter().filter(is_reached);
        Some((own, members.find_map(|member| member.queues.tasks.pop())?))
    };
    call.or_else(|| own().filter(|_| yields).find_map(spawned))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_few_yields_are_vain() {
        assert_eq!(weight(Duration::from_nanos(500)), 1);
        let longest = weight(Duration::MAX);
        assert!((10 * longest..100 * longest).contains(&VAIN_YIELDS));
    }
}

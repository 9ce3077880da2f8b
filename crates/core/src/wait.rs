//! Waiting for a job that somebody has taken, or for a task, and helping in the meantime.
//!
//! A waiter runs **only jobs that descend from the one it waits for** (leapfrogging: Wagner & Calder, PPoPP 1993;
//! Wool and Lace do the same). So its stack holds nothing that the sequential program would not have had
//! there, and a lock or a borrow held across a join is never met again from inside.
//!
//! Where to look: the taker's slots; if somebody else has taken a part of the work from the taker, or the taker waits for
//! another, that one's slots, and so on. (A list written as `join(leaf, rest)` is a chain of such takers, each busy
//! with its leaf.) The
//! level of an offer tells, before taking it, whether it was made inside the job we wait for: a hint, since the taker
//! may meanwhile have moved on. After taking it, what is above it stands still (*frozen*), and
//! `Run::descends` tells for certain; a stranger is *declined*: its owner runs it. (Putting it back could
//! lose a job that the owner has meanwhile offered in the same slot.)
//!
//! Progress: whoever is waited for runs on some thread, or sits in a slot, from where its owner takes it when it gets
//! there. Along the chain of waits there is always one that runs.

use crate::{
    job::Job,
    latch::LatchState,
    member::Member,
    policy::{self, Thief},
    run::{Outside, Run},
    steal, task,
    thread::Thread,
    times::Phase,
};
use std::{hint, ptr::NonNull, time::Duration};

/// How many waits to follow from taker to taker.
const HOPS: usize = 16;

/// What a thread can wait for.
pub(crate) trait Awaited {
    type Outcome;

    /// Whether all older frames of the waiting member are promoted: so it is when a join waits.
    const ALL_PROMOTED: bool;

    /// What the jobs to help with descend from.
    fn job(&self) -> &Job;

    /// Where to look for them: some member that has taken a part of what is awaited, and how deep it runs that.
    fn taker(&self, nth: usize) -> Option<(NonNull<Member>, u32)>;

    /// Whether to answer calls from anywhere meanwhile (task/inbox.rs).
    fn answers_all(&self) -> bool {
        false
    }

    /// Something if there is nothing to wait for any more.
    fn outcome(&self) -> Option<Self::Outcome>;

    /// Sleeps for at most so long, less if there is an outcome.
    fn sleep(&self, me: &Member, nap: Duration);
}

/// A join's job, of which its owner waits for the latch.
impl Awaited for Job {
    type Outcome = LatchState;

    const ALL_PROMOTED: bool = true;

    fn job(&self) -> &Job {
        self
    }

    fn taker(&self, nth: usize) -> Option<(NonNull<Member>, u32)> {
        Job::taker(self).filter(|_| nth == 0)
    }

    fn outcome(&self) -> Option<LatchState> {
        let state = self.latch.state();
        state.is_set().then_some(state)
    }

    fn sleep(&self, me: &Member, nap: Duration) {
        if self.latch.announce_wait() {
            me.counters.parks.add_one();
            me.parker.park(Some(nap));
            self.latch.cancel_wait();
        }
    }
}

/// Waits until the job's latch is set; runs its descendants meanwhile if `help`.
pub(crate) fn for_job(thread: &Thread, me: &Member, job: &Job, help: bool) -> LatchState {
    until(thread, me, job, help)
}

/// Waits for an outcome; runs descendants of what is awaited meanwhile if `help`.
pub(crate) fn until<A: Awaited>(
    thread: &Thread,
    me: &Member,
    awaited: &A,
    help: bool,
) -> A::Outcome {
    #[cfg(feature = "profile")]
    let _paused = crate::profile::pause();
    let outside = if A::ALL_PROMOTED {
        Outside::Promoted
    } else {
        Outside::MayGive
    };
    let shared = me.shared();
    let mut thief = Thief::new();
    let mut nap = shared.policy.wait_nap_min;
    let mut idle_since = shared.now();
    let mut looks_until = 0;
    let before = me.waiting_for();
    // Whoever waits in vain is not working.
    let mut phase = None;
    let outcome = loop {
        if let Some(outcome) = awaited.outcome() {
            break outcome;
        }
        phase.get_or_insert_with(|| me.enter(Phase::Searching, idle_since));
        if !me.inbox.is_empty() {
            let within = (!awaited.answers_all()).then(|| awaited.job());
            me.enter(Phase::Working, shared.now());
            let answered = task::answer(thread, me, within);
            let now = shared.now();
            me.enter(Phase::Searching, now);
            if answered {
                idle_since = now;
                continue;
            }
        }
        let now = shared.now();
        let idle = now.saturating_sub(idle_since);
        if help && idle >= shared.policy.patience(me.interval()) {
            if let Some((victim, descendant)) = find_descendant(me, awaited, &thief) {
                steal::help(thread, me, victim, descendant, &mut thief, outside);
                nap = shared.policy.wait_nap_min;
                idle_since = shared.now();
                continue;
            }
        }
        if idle < shared.policy.wait_spin {
            hint::spin_loop();
            continue;
        }
        if idle < shared.policy.wait_yield || shared.now() < looks_until {
            // The taker may be waiting for our processor.
            std::thread::yield_now();
            continue;
        }
        me.enter(Phase::Parked, now);
        awaited.sleep(me, Duration::from_nanos(nap));
        let now = shared.now();
        me.enter(Phase::Searching, now);
        // Whoever is asked offers a job at its next fork, and takes it back when it gets there: one that only asks before each nap
        // finds nothing.
        looks_until = now.saturating_add(policy::look(nap));
        nap = shared.policy.longer_nap(nap);
        me.note_cpu();
    };
    if let Some(phase) = phase {
        me.enter(phase, shared.now());
    }
    match before {
        Some((other, level)) => me.set_waiting_for(other.as_ptr(), level),
        None => me.set_waiting_for(std::ptr::null(), 0),
    }
    outcome
}

/// Takes a job that descends from what is awaited, or asks for one.
fn find_descendant<'p>(
    me: &'p Member,
    awaited: &impl Awaited,
    thief: &Thief,
) -> Option<(&'p Member, &'p Job)> {
    (0..)
        .map_while(|nth| awaited.taker(nth))
        .find_map(|taker| follow(me, awaited.job(), taker, thief))
}

/// Looks at one taker, and at those it waits for.
fn follow<'p>(
    me: &'p Member,
    job: &Job,
    (taker, level): (NonNull<Member>, u32),
    thief: &Thief,
) -> Option<(&'p Member, &'p Job)> {
    me.set_waiting_for(taker.as_ptr(), level);
    let (mut victim, mut level) = (taker, level);
    for _ in 0..HOPS {
        let member = other(me, victim);
        for slot in member.offers_by_age() {
            if slot.is_empty() || slot.level() < level {
                continue;
            }
            let Some(found) = slot.take() else { continue };
            // SAFETY: records live as long as the pool, which `me` belongs to.
            let found: &Job = unsafe { found.as_ref() };
            // SAFETY: just taken.
            if unsafe { Run::descends(found, job) } {
                return Some((member, found));
            }
            me.counters.declines.add_one();
            found.finish(LatchState::Declined);
        }
        steal::maybe_ask(member, member.shared().now(), thief.want);
        // A member that has not come to its second half does not wait for it, but another may be dividing it.
        let next = [member.taken_by(level), member.waiting_for()];
        let mut others = next.into_iter().flatten();
        (victim, level) = others.find(|(next, _)| *next != NonNull::from(me))?;
    }
    None
}

/// Another member of our pool.
fn other(me: &Member, member: NonNull<Member>) -> &Member {
    debug_assert!(me.shared().contains(member.as_ptr()));
    // SAFETY: takers and those they wait for are members of the pool of the job, and live as long as it.
    unsafe { member.as_ref() }
}

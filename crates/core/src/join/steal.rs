//! Taking jobs from others, and asking for them: the side of idle workers.

use super::{
    job::Taken,
    looks,
    member::Member,
    promote,
    remote::{self, Attempt, Frames},
    run::{self, Outside},
    thread::{self, Thread},
};
use crate::{
    hooks,
    policy::{self, Thief},
    protocol::times::Phase,
};
use std::{iter, ptr};

/// Asks `victim` for jobs if it has met the last demand and has been left alone for its interval.
pub(crate) fn maybe_ask(victim: &Member, now: u64, want: u32) {
    if victim.demand.asked() != 0 {
        return;
    }
    let interval = victim.demand.interval();
    if policy::may_ask(now, victim.demand.asked_at(), interval) {
        victim.ask(victim.shared().demand_of(want, interval), now);
    }
}

/// Asks `victim` for a job that may end a nap (nap.rs), although its interval is not over.
pub(crate) fn ask_for_nap(victim: &Member, now: u64) {
    if victim.demand.asked() == 0 {
        victim.ask(1, now);
    }
}

/// Takes the oldest job that `victim` offers.
pub(crate) fn take(victim: &Member) -> Option<Taken<'_>> {
    iter::from_fn(|| victim.offers.oldest()).find_map(Taken::from)
}

/// Returns whether a thread of the pool of `me`, a member of the calling thread, offers a job: that
/// thread itself, which makes an offer if it can, or unless `local` another one, perhaps since this
/// has asked it or promoted a frame in its place.
pub(crate) fn offer_any(me: &Member, local: bool, now: u64) -> bool {
    if me.offers.is_empty() {
        me.demand.leave(1);
        promote::tick_inside();
    }
    if me.offers.is_empty() {
        remote::offer_own(me);
    }
    let is_other = |m: &&Member| !local && !ptr::eq(*m, me) && m.demand.flag.is_attached();
    let mut others = me.shared().members.iter().filter(is_other);
    let is_offered = !me.offers.is_empty()
        || others.any(|m| {
            maybe_ask(m, now, 1);
            let given = || remote::promote_if_silent(m, now, Frames::All) == Attempt::Given;
            !m.offers.is_empty() || given()
        });
    if is_offered {
        me.shared().wake_dormant(me);
    }
    is_offered
}

/// Takes a job that a member of the pool of `me` offers, this one first, or unless `local` another.
pub(crate) fn take_any(me: &Member, local: bool) -> Option<(&Member, Taken<'_>)> {
    let others = me.shared().members.iter().filter(|_| !local);
    iter::once(me)
        .chain(others)
        .find_map(|m| Some((m, take(m)?)))
}

/// Runs such a job, if there is one, on top of what the calling thread does, which sits on `me` and
/// yields in vain: in a pool of one thread, or one that is stuck. No other thread comes for it
/// there. Elsewhere one may, and what it runs may wait for this thread. Returns false if there is
/// none, or no room on the stack.
pub(crate) fn run_any(thread: &Thread, me: &Member, local: bool) -> bool {
    let (pool, now) = (me.shared(), me.shared().now());
    let comes_none = || pool.threads.count() == 1 || looks::is_stuck(pool, now);
    if !thread.has_room() || !comes_none() {
        return false;
    }
    let _paused = hooks::pause();
    let job = offer_any(me, local, now).then(|| take_any(me, local));
    let Some((victim, job)) = job.flatten() else {
        return false;
    };
    help(thread, me, victim, job, &mut Thief::new(), Outside::MayGive);
    true
}

/// Runs a job that `me`, an idle worker, has just taken from `victim`, and updates the policy's
/// knowledge.
pub(crate) fn run(
    thread: &Thread,
    me: &Member,
    victim: &Member,
    job: Taken<'_>,
    thief: &mut Thief,
) {
    let shared = me.shared();
    let start = shared.now();
    me.enter(Phase::Working, start);
    let epoch = victim.demand.epoch();
    let promotions = me.counters.promotions.get();
    if shared.policy.refill(victim.demand.interval()) {
        // Refill on take: the next poll of the victim offers another, for each that has been taken
        // since its last, before a worker waits for it. The victim may be the only one that forks.
        let demand = shared.demand();
        let refill = demand.max(victim.demand.asked() + 1);
        victim.ask(refill.min(shared.policy.want_max()), start);
        // Our own first join does so too, for idle workers or for the owner, which may soon wait
        // for us.
        me.demand.leave(demand);
        thread::raise_attention();
    }
    me.counters.steals.add_one();
    me.note(hooks::Event::Steal);
    execute(thread, me, victim, job, Outside::Promoted);
    let now = shared.now();
    me.enter(Phase::Searching, now);
    let advice = thief.learn(
        &shared.policy,
        now.saturating_sub(start),
        me.counters.promotions.get() - promotions,
        (epoch, victim.demand.epoch()),
        victim.demand.interval(),
    );
    victim.demand.set_interval(advice.interval);
    victim.demand.give_credit(advice.credit);
    me.demand.give_credit(advice.credit);
    if advice.ask_now {
        victim.ask(thief.want, now);
    }
}

/// Runs a job that `me` has taken from `victim`; meanwhile threads that look for parts of the
/// victim's work find us.
fn execute(thread: &Thread, me: &Member, victim: &Member, job: Taken<'_>, outside: Outside) {
    // Who looks for parts of our own work has found us.
    if !ptr::eq(me, victim) {
        victim.taken_by.set(me, thread.level() + 1);
    }
    let _at = me.runs(victim.site.line());
    run::execute(thread, me, job, outside);
    victim.taken_by.clear_of(me);
}

/// Runs a job that `me`, waiting, has just taken from `victim`; asks for the next one before.
pub(crate) fn help(
    thread: &Thread,
    me: &Member,
    victim: &Member,
    job: Taken<'_>,
    thief: &mut Thief,
    outside: Outside,
) {
    let shared = me.shared();
    let start = shared.now();
    let before = me.enter(Phase::Working, start);
    if victim.demand.asked() == 0 && shared.policy.refill(victim.demand.interval()) {
        victim.ask(1, start);
    }
    me.demand.leave(1);
    thread::raise_attention();
    me.counters.steals.add_one();
    me.note(hooks::Event::Steal);
    thread.helping(|| execute(thread, me, victim, job, outside));
    let now = shared.now();
    me.enter(before, now);
    let policy = &shared.policy;
    thief.learn(
        policy,
        now.saturating_sub(start),
        0,
        (0, 0),
        policy.interval,
    );
}

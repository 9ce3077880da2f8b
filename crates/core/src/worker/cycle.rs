//! The life of a worker: look for a job, run it, look again; if there is none, spin a little, then
//! take one of the roles of idle workers (idle.rs). A spare does the same while it is needed
//! (protocol/spares.rs), and for a while longer. A worker that is off ends between two jobs, and in
//! a shutdown where it would sleep without a time limit (pool/resizing.rs).

mod lead;
mod permits;
mod spare;
mod tasks;

use self::permits::Permit;
use crate::{
    join::{
        job::Taken,
        member::Member,
        steal,
        thread::{self, Thread},
    },
    os,
    policy::{STRIDE, Thief, roles::Role},
    pool::{cpu_placement, find, inbox, queue::Queued, shared::Shared, threads::GUEST},
    protocol::{
        idle::{Idle, Idler},
        primitive::{Ordering, fence, spin_loop, yield_now},
        times::Phase,
    },
};
use std::{cell::Cell, ptr, sync::Arc, time::Duration};

/// Works until the pool ends; a spare, until it has rested for long; others, until their worker is
/// off, or asleep in a shutdown.
pub(crate) fn work(thread: &Thread, me: &Member) {
    let mut worker = Worker::new(thread, me);
    me.enter(Phase::Searching, worker.shared.now());
    if worker.spare().is_some() {
        worker.shared.idle.end_job();
    } else {
        // As if it had slept until now: a leader has a deputy before it runs jobs.
        worker.play_role(Worker::lead);
    }
    loop {
        let has_left = worker.has_left.get() || worker.leaves_as_off();
        if has_left || worker.leaves_with_pool() || worker.rests_as_spare() {
            worker.end_permit();
            me.enter(Phase::Away, worker.shared.now());
            return;
        }
        if !worker.work_once() {
            worker.idle();
        }
        worker.shared.follow_processors();
    }
}

struct Worker<'p> {
    thread: &'p Thread,
    me: &'p Member,
    shared: &'p Shared,
    permit: Permit,
    thief: Thief,
    /// The member with which the next look for a job begins.
    turn: Cell<usize>,
    /// How long to nap as leader, after jobs that were tiny or gone, or few; 0 means to go dormant
    /// at once.
    nap: u64,
    /// The time that an offer must have waited to cut such a nap short.
    cut_after: u64,
    /// The greatest time that this worker looks for work before it sleeps, from earlier times
    /// without work.
    spin: u64,
    /// Since when it has had no work, and for how long it had none before what it runs.
    idle_since: Option<u64>,
    last_idle: u64,
    /// Whether the last tasks were too short to wake a worker for.
    short_tasks: bool,
    /// How long this worker has left tiny tasks to other threads, and until when it does.
    task_rest: u64,
    tasks_from: u64,
    /// Whether the deputy may sleep without a time limit: we were dormant, or were about to be, or
    /// the thread before us was.
    deputy_may_sleep: bool,
    /// Whether it ends, as a worker that is asleep.
    has_left: Cell<bool>,
}

/// What a worker does with a task, if there is one, and with whether it relies on its caller.
type Run<'r, 'p> = dyn FnMut(&mut Worker<'p>, Option<Arc<dyn Queued>>, bool) + 'r;

impl<'p> Worker<'p> {
    fn new(thread: &'p Thread, me: &'p Member) -> Self {
        Worker {
            thread,
            me,
            shared: me.shared(),
            permit: Permit::default(),
            thief: Thief::new(),
            turn: Cell::new(me.index.wrapping_mul(STRIDE)),
            nap: 0,
            cut_after: me.shared().policy.short,
            spin: me.shared().policy.spin,
            idle_since: None,
            last_idle: 0,
            short_tasks: false,
            task_rest: 0,
            tasks_from: 0,
            deputy_may_sleep: true,
            has_left: Cell::new(false),
        }
    }

    /// Runs the next job, task or call. Returns false if there is none that it may run. Without a
    /// permit, a look in vain does not count.
    fn work_once(&mut self) -> bool {
        if !self.is_permitted() {
            return self.work_unpermitted();
        }
        self.me.counters.looks.add_one();
        let is_turn = self.me.queues.turns.is_due();
        if let Some(task) = is_turn.then(|| self.find_task()).flatten() {
            self.run_tasks(task);
        } else if !self.me.queues.inbox.is_empty() {
            self.answer();
        } else if let Some((victim, job)) = self.find() {
            self.run(victim, job);
        } else if let Some(task) = self.find_task() {
            self.run_tasks(task);
        } else {
            return false;
        }
        true
    }

    /// Takes a job from a member that offers one, among guests from the one whose turn it is.
    fn find(&self) -> Option<(&'p Member, Taken<'p>)> {
        // Workers start with different members, or all would take the small parts of one member's
        // work while others offer large ones.
        let first = self.turn.get() % (self.shared.threads.running_workers().1 + 1);
        self.turn.set(self.turn.get().wrapping_add(STRIDE));
        let members = || self.shared.members.iter();
        members()
            .skip(first)
            .chain(members().take(first))
            .filter(|member| !member.offers.is_empty())
            .find_map(|member| {
                if member.index != GUEST {
                    return steal::take(member).map(|job| (member, job));
                }
                let offers = |guest: &Member| !guest.offers.is_empty();
                let guest = self.shared.members.next_guest(offers)?;
                let job = steal::take(guest)?;
                guest.end_turn();
                Some((guest, job))
            })
    }

    /// Returns whether `find` would look at an offer, or a task is queued.
    fn sees_work(&self, now: u64) -> bool {
        let takes_tasks = self.takes_tasks(now);
        self.shared.members.iter().any(|victim| {
            !victim.offers.is_empty() || (takes_tasks && !victim.queues.tasks.is_empty())
        })
    }

    /// Calls `ask` with every other member that a thread sits on, and the time.
    fn ask(&self, ask: impl Fn(&Member, u64)) {
        let now = self.shared.now();
        let others =
            |victim: &&Member| victim.demand.flag.is_attached() && !ptr::eq(*victim, self.me);
        for victim in self.shared.members.iter().filter(others) {
            ask(victim, now);
        }
    }

    /// Counts this worker as busy. If it was the last idle one, the reserve runs queued tasks.
    fn become_busy(&mut self) {
        self.last_idle = 0;
        if let Some(since) = self.idle_since.take() {
            self.last_idle = self.shared.now().saturating_sub(since);
            self.spin = self.shared.policy.spin_after(self.spin, self.last_idle);
        }
        self.shared.idle.begin_job();
        // The reserve's T3.
        fence(Ordering::SeqCst);
        self.shared.call_more();
    }

    fn run(&mut self, victim: &Member, job: Taken<'_>) {
        self.become_busy();
        self.thief.found(&self.shared.policy, self.last_idle);
        self.me.queues.turns.count();
        if victim
            .cpu
            .get()
            .is_some_and(|cpu| Some(cpu) == os::current_cpu())
        {
            cpu_placement::step_aside(self.me);
        }
        self.me.cpu.note();
        // No worker is woken for tiny computations, nor if no processor is free; the deputy takes
        // over if needed.
        let hands_on =
            self.shared.policy.refill(victim.demand.interval()) && self.shared.has_free_cpu();
        let mut job = Some(job);
        self.settle_role(hands_on, None, &mut |worker, _, _| {
            let Some(job) = job.take() else { return };
            steal::run(worker.thread, worker.me, victim, job, &mut worker.thief);
            let in_vain = worker.thief.gains_little();
            worker.learn_to_nap(in_vain);
            if !in_vain {
                worker.cut_after = worker.shared.policy.short;
            }
        });
    }

    /// Answers the calls for this worker, and runs the tasks that come before them.
    fn answer(&mut self) {
        self.become_busy();
        self.me.cpu.note();
        self.settle_role(true, None, &mut |worker, _, _| {
            worker.me.enter(Phase::Working, worker.shared.now());
            inbox::answer_all(worker.thread, worker.me);
            worker.me.enter(Phase::Searching, worker.shared.now());
        });
    }

    /// Calls `run` with `task`, and with whether it relies on the task's caller. Before that it
    /// resigns from its role, or marks the leader as busy; afterwards it ends being busy.
    fn settle_role(
        &mut self,
        hands_on: bool,
        task: Option<Arc<dyn Queued>>,
        run: &mut Run<'_, 'p>,
    ) {
        let idle = &self.shared.idle;
        let keeps_lead = !hands_on && self.role() == Role::Leader;
        let kept = keeps_lead.then(|| {
            let deputy = idle.roles(|roles| roles.deputy());
            let deputy = deputy.filter(|_| self.deputy_may_sleep);
            // Before another worker may take over, so that the nap is ours.
            let relied = deputy.filter(|&deputy| self.relies_on_caller(deputy, task.as_deref()));
            (self.shared.now(), self.deputy_may_sleep, relied)
        });
        let relies = kept.is_some_and(|(_, _, relied)| relied.is_some());
        self.run_in_role(kept, |worker, woken| {
            worker.deputy_may_sleep &= !woken;
            run(worker, task, relies);
        });
        if relies {
            // A deputy that has taken over may be napping: that nap is its own.
            let still_leads = self.role() == Role::Leader;
            self.deputy_may_sleep = still_leads && !idle.nap.end();
        }
        self.me.cpu.forget();
        idle.end_job();
    }

    /// For a leader that keeps the lead while it runs something, and whose deputy may sleep without
    /// a time limit: returns whether the deputy may go on sleeping. It may in a call that is
    /// expected to be short, whose caller polls for its end. The deputy then sleeps as if it napped
    /// as leader (nap.rs, C1 and C2), and the caller wakes it before it sleeps itself.
    fn relies_on_caller(&self, deputy: usize, task: Option<&dyn Queued>) -> bool {
        let looks = || task.is_some_and(Queued::caller_looks);
        let relies = self.shared.idle.nap.rely(deputy, self.cut_after, looks);
        if relies {
            self.me.demand.leave(1);
            thread::raise_attention();
        }
        relies
    }

    /// Spins a little, then takes a role.
    fn idle(&mut self) {
        if self.may_leave() && self.lacks_permit() {
            return self.lack();
        }
        self.idle_since.get_or_insert(self.shared.now());
        let spin = if self.task_rest > 0 {
            self.shared.policy.spin_tiny
        } else {
            self.shared.policy.spin_of(&self.thief).min(self.spin)
        };
        if self.shared.hands_over() && cpu_placement::is_beside_a_caller(self.me) {
            // It may have its result now, and need our processor.
            yield_now();
        }
        if !self.look_around(spin) {
            self.play_role(Worker::lead);
        }
    }

    /// Asks and looks for `duration`. Returns true if there is something to take.
    fn look_around(&self, duration: u64) -> bool {
        if self.lacks_permit() {
            return !self.may_idle() || find::is_any_awaited(self.me);
        }
        let start = self.shared.now();
        let mut may_move = true;
        loop {
            self.me.counters.looks.add_one();
            self.ask(|victim, now| steal::maybe_ask(victim, now, self.thief.want));
            let now = self.shared.now();
            for _ in 0..8 {
                if self.sees_work(now) || !self.may_idle() {
                    return true;
                }
                spin_loop();
            }
            may_move = may_move && cpu_placement::step_aside(self.me);
            let looked = now.saturating_sub(start);
            if looked >= duration {
                return false;
            }
            if looked >= self.shared.policy.short {
                // Our last job may have ended a call whose caller needs our processor.
                yield_now();
            }
        }
    }
}

impl Idler for Worker<'_> {
    fn index(&self) -> usize {
        self.me.index
    }

    fn the_idle(&self) -> &Idle {
        &self.shared.idle
    }

    fn is_leader_dormant(&self) -> bool {
        self.shared.idle.leader.is_dormant() || self.shared.permits.starves()
    }

    fn may_idle(&self) -> bool {
        let is_over = self.shared.ending.is_terminating() || self.is_not_needed();
        !is_over && !self.may_leave() && self.me.queues.inbox.is_empty()
    }

    fn park(&self, nap: Option<u64>) -> u64 {
        if nap.is_none() && self.leaves_asleep() {
            return self.shared.now();
        }
        let nap = nap.or_else(|| self.longest_sleep());
        let start = self.shared.now();
        let nap = self.put_permit_by(nap, start);
        self.me.counters.parks.add_one();
        self.me.enter(Phase::Parked, start);
        self.me.park(nap.map(Duration::from_nanos));
        let now = self.shared.now();
        self.me.enter(Phase::Searching, now);
        self.pay_permit_at(now);
        now
    }

    fn unpark(&self, worker: usize) {
        self.shared.unpark_worker(self.me, worker);
    }

    fn deputy_nap(&self, busy: bool) -> u64 {
        self.shared.policy.deputy_nap_of(busy)
    }
}

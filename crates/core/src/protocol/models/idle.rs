//! The roles of idle workers: a worker that gets one is awake, or woken. Which role a worker gets
//! is checked without threads (policy/roles.rs).
//!
//! Roles, and what workers do about them, are the real ones. A deputy's nap, which ends by itself,
//! is only a chance for others to run.

use super::{DEADLOCK, Fault, caught, explore, planted, spawn};
use crate::{
    policy::roles::Role,
    protocol::{
        idle::{Idle, Idler},
        parker::Parker,
    },
};
use loom::{
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};
use std::{cell::Cell, sync::Arc};

/// Loom's message if a thread looks again and again.
const ENDLESS: &str = "maximum number of branches";

/// Naps without end.
const PATIENT: usize = 100;

struct Workers {
    idle: Idle,
    /// How often a leader has come back from dormancy.
    awake: AtomicUsize,
    parkers: Vec<Parker>,
}

/// One of them, as its own thread has it.
struct Worker<'w> {
    all: &'w Workers,
    me: usize,
    /// How often it sleeps before it has something else to do.
    naps: Cell<usize>,
}

impl Idler for Worker<'_> {
    fn index(&self) -> usize {
        self.me
    }

    fn the_idle(&self) -> &Idle {
        &self.all.idle
    }

    fn is_leader_dormant(&self) -> bool {
        self.all.idle.leader.is_dormant()
    }

    fn may_idle(&self) -> bool {
        self.naps.get() > 0
    }

    fn park(&self, nap: Option<u64>) -> u64 {
        self.naps.set(self.naps.get() - 1);
        match nap {
            Some(_) => thread::yield_now(),
            None => self.all.parkers[self.me].park(None),
        }
        self.all.idle.roles(|roles| roles.audit());
        0
    }

    fn unpark(&self, worker: usize) {
        let leads = || self.role() == Role::Leader;
        let forgets = planted(Fault::LeaveDeputyAsleep) && leads()
            || planted(Fault::LeaveHeirAsleep) && !leads();
        if !forgets {
            self.all.parkers[worker].unpark();
        }
    }

    /// So a leader that runs a job at all has run it for too long.
    fn deputy_nap(&self, _: bool) -> u64 {
        0
    }
}

impl Workers {
    /// So many busy workers.
    fn new(count: usize) -> Arc<Self> {
        Arc::new(Workers {
            idle: Idle::new(count, 0),
            awake: AtomicUsize::new(0),
            parkers: (0..count).map(|_| Parker::new()).collect(),
        })
    }

    /// So many idle workers, the first of which leads, with the second as its deputy.
    fn idle(count: usize) -> Arc<Self> {
        let workers = Workers::new(count);
        for worker in 0..count {
            workers.idle.roles(|roles| roles.take(worker));
        }
        workers
    }

    fn worker(&self, me: usize, naps: usize) -> Worker<'_> {
        Worker {
            all: self,
            me,
            naps: Cell::new(naps),
        }
    }

    /// Takes roles, as they come, until it has led; then finds a job, hands its role on and works.
    fn lead_once(&self, me: usize) {
        let mut led = false;
        self.worker(me, PATIENT).play_role(|worker| {
            worker.appoint_deputy();
            led = true;
        });
        assert!(led, "it sleeps again and again");
        self.idle.roles(|roles| roles.audit());
        self.find_job(me);
    }

    /// Gives the role up to run a job in a computation worth its while.
    fn find_job(&self, me: usize) {
        self.worker(me, 0).run_in_role(None, |_, _| ());
        self.idle.roles(|roles| roles.audit());
    }

    /// Runs a job of a tiny computation without giving up the lead.
    fn work_as_leader(&self, me: usize, now: u64, job: impl FnOnce()) {
        let mut worker = self.worker(me, 0);
        worker.run_in_role(Some((now, true, None)), |_, _| job());
        self.idle.roles(|roles| roles.audit());
    }

    /// As the deputy, for so many naps at most.
    fn stand_by(&self, me: usize, naps: usize) {
        self.worker(me, naps).stand_by();
    }

    fn go_dormant(&self, me: usize, offered: bool) {
        let me = &self.parkers[me];
        let leader = &self.idle.leader;
        leader.sleep(|| (), || offered, || false, || me.park(None));
        self.awake.fetch_add(1, Ordering::Release);
    }

    fn wake_dormant(&self) {
        let who = || self.idle.roles(|roles| roles.leader());
        let earlier = planted(Fault::LookBeforeWake).then(who);
        if self.idle.leader.wake() {
            let leader = earlier.unwrap_or_else(who);
            leader.inspect(|&leader| self.parkers[leader].unpark());
        }
    }
}

#[test]
fn the_lead_goes_round() {
    explore(|| {
        let workers = Workers::new(3);
        // No leader is stuck here: deputies do not nap.
        workers.idle.leader.begin();
        let others = [1, 2].map(|me| spawn(&workers, move |workers| workers.lead_once(me)));
        workers.lead_once(0);
        others.into_iter().for_each(|o| o.join().unwrap());
        workers.idle.roles(|roles| roles.audit());
    });
}

/// A leader runs a job without giving up its role; the job ends when another worker leads.
#[test]
fn a_stuck_leader_is_relieved() {
    explore(|| {
        let workers = Workers::idle(3);
        let leader = spawn(&workers, |workers| {
            let relieved = || workers.parkers[0].park(None);
            workers.work_as_leader(0, 1, relieved);
            assert_ne!(workers.idle.roles(|roles| roles.take(0)), Role::Leader);
        });
        let sleeper = spawn(&workers, |workers| workers.worker(2, PATIENT).sleep());
        workers.stand_by(1, PATIENT);
        assert_eq!(workers.idle.roles(|roles| roles.of(1)), Role::Leader);
        workers.parkers[0].unpark();
        workers.worker(0, 0).appoint_deputy();
        workers.idle.roles(|roles| roles.audit());
        // If the old leader has become the deputy, the sleeper goes on until the lead comes to it.
        workers.find_job(1);
        workers.find_job(0);
        leader.join().unwrap();
        sleeper.join().unwrap();
    });
}

/// The deputy is called away before the leader's job begins, or while it runs.
#[test]
fn a_deputy_that_is_called_leaves_another_one() {
    explore(|| {
        let workers = Workers::idle(3);
        let leader = spawn(&workers, |workers| {
            let relieved = || workers.parkers[0].park(None);
            workers.work_as_leader(0, 1, relieved);
        });
        let sleeper = spawn(&workers, |workers| {
            workers.worker(2, PATIENT).sleep();
            workers.stand_by(2, PATIENT);
            assert_eq!(workers.idle.roles(|roles| roles.of(2)), Role::Leader);
            workers.parkers[0].unpark();
        });
        workers.find_job(1);
        sleeper.join().unwrap();
        leader.join().unwrap();
    });
}

/// The leader comes back from its job just when its deputy takes over: the one that goes dormant
/// then is woken.
#[test]
fn a_leader_that_is_back_is_not_relieved_in_its_sleep() {
    explore(|| {
        let workers = Workers::idle(2);
        let leader = spawn(&workers, |workers| {
            workers.work_as_leader(0, 1, || ());
            if workers.idle.roles(|roles| roles.take(0)) == Role::Leader {
                workers.go_dormant(0, false);
            }
        });
        let deputy = spawn(&workers, |workers| {
            workers.stand_by(1, 1);
            if workers.idle.roles(|roles| roles.take(1)) == Role::Leader {
                workers.go_dormant(1, false);
            }
        });
        // A busy thread that offers something again and again.
        while workers.awake.load(Ordering::Acquire) < 1 {
            workers.wake_dormant();
            thread::yield_now();
        }
        leader.join().unwrap();
        deputy.join().unwrap();
    });
}

/// The deputy sees the leader go dormant, but the leader stays awake, and is then stuck in a job.
#[test]
fn a_deputy_sleeps_no_longer_than_its_leader() {
    explore(|| {
        let workers = Workers::idle(2);
        let leader = spawn(&workers, |workers| {
            workers.go_dormant(0, true);
            let relieved = || workers.parkers[0].park(None);
            workers.work_as_leader(0, 1, relieved);
        });
        workers.stand_by(1, PATIENT);
        workers.parkers[0].unpark();
        leader.join().unwrap();
    });
}

#[test]
fn leaving_the_heir_asleep_is_caught() {
    let models = [
        "idle::the_lead_goes_round",
        "idle::a_stuck_leader_is_relieved",
        "idle::a_deputy_that_is_called_leaves_another_one",
    ];
    for model in models {
        caught(Fault::LeaveHeirAsleep, model, DEADLOCK);
    }
}

#[test]
fn waking_who_has_led_is_caught() {
    let model = "idle::a_leader_that_is_back_is_not_relieved_in_its_sleep";
    caught(Fault::LookBeforeWake, model, ENDLESS);
}

#[test]
fn leaving_the_deputy_asleep_is_caught() {
    let model = "idle::a_deputy_sleeps_no_longer_than_its_leader";
    caught(Fault::LeaveDeputyAsleep, model, DEADLOCK);
}

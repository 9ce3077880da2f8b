//! The roles of idle workers: at most one leads and one stands in for him, and nobody is forgotten.
//!
//! Mirrors `Worker::{run, idle, lead, go_dormant, stand_by, sleep}` and `Shared::unpark_worker`. A
//! deputy's nap, which ends by itself, is only a chance for others to run.

use super::{DEADLOCK, caught, explore, spawn};
use crate::{
    fault::{Fault, planted},
    policy::roles::Role,
    protocol::{dormancy::Dormancy, idle::Idle, parker::Parker},
};
use loom::{
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};
use std::sync::Arc;

struct Workers {
    idle: Idle,
    dormancy: Dormancy,
    /// Who has gone dormant last.
    leader: AtomicUsize,
    /// How often a leader has come back from dormancy.
    awake: AtomicUsize,
    parkers: Vec<Parker>,
}

impl Workers {
    /// So many busy workers.
    fn new(count: usize) -> Arc<Self> {
        Arc::new(Workers {
            idle: Idle::new(count),
            dormancy: Dormancy::new(),
            leader: AtomicUsize::new(usize::MAX),
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

    fn unpark(&self, worker: Option<usize>) {
        if let Some(worker) = worker {
            self.parkers[worker].unpark();
        }
    }

    /// Takes roles, as they come, until it has led; then finds a job, hands its role on and works.
    fn lead_once(&self, me: usize) {
        loop {
            let role = self.idle.roles(|roles| roles.take(me));
            self.idle.roles(|roles| roles.audit());
            match role {
                Role::Leader => break,
                Role::Busy => unreachable!("an idle worker has a role"),
                // Nobody is stuck here, so a deputy's naps do not matter.
                Role::Deputy | Role::Sleeper => self.sleep_as(me, role),
            }
        }
        self.unpark(self.idle.roles(|roles| roles.appoint_deputy()));
        self.idle.roles(|roles| roles.audit());
        self.find_job(me);
    }

    fn sleep_as(&self, me: usize, role: Role) {
        while self.idle.roles(|roles| roles.of(me)) == role {
            self.parkers[me].park(None);
        }
    }

    /// Gives the role up to run a job in a computation worth its while.
    fn find_job(&self, me: usize) {
        let next = self.idle.roles(|roles| roles.resign(me));
        if !planted(Fault::LeaveHeirAsleep) {
            self.unpark(next);
        }
        self.idle.roles(|roles| roles.audit());
    }

    /// Runs a job of a tiny computation without giving up the lead.
    fn work_as_leader(&self, me: usize, now: u64, job: impl FnOnce()) {
        self.idle
            .roles(|roles| roles.set_leader_busy(me, Some(now)));
        if !planted(Fault::LeaveDeputyAsleep) {
            self.unpark(self.idle.roles(|roles| roles.deputy()));
        }
        job();
        self.idle.roles(|roles| roles.set_leader_busy(me, None));
        self.idle.roles(|roles| roles.audit());
    }

    /// As the deputy, for so many naps at most; a leader that runs a job at all has run it for too
    /// long.
    fn stand_by(&self, me: usize, naps: usize) {
        for _ in 0..naps {
            if self.idle.roles(|roles| roles.of(me)) != Role::Deputy {
                return;
            }
            if self.dormancy.is_dormant() {
                self.parkers[me].park(None);
                continue;
            }
            thread::yield_now();
            if let Some(since) = self.idle.roles(|roles| roles.leader_busy_since()) {
                self.idle.roles(|roles| roles.take_over(me, since));
                self.idle.roles(|roles| roles.audit());
            }
        }
    }

    fn go_dormant(&self, me: usize, offered: bool) {
        self.leader.store(me, Ordering::Release);
        let asleep = self.dormancy.enter(|| (), || offered);
        if asleep {
            while self.dormancy.is_dormant() {
                self.parkers[me].park(None);
            }
        }
        self.awake.fetch_add(1, Ordering::Release);
    }

    fn wake_dormant(&self) {
        if self.dormancy.wake() {
            self.unpark(Some(self.leader.load(Ordering::Acquire)));
        }
    }
}

#[test]
fn the_lead_goes_round() {
    explore(|| {
        let workers = Workers::new(3);
        let others = [1, 2].map(|me| spawn(&workers, move |workers| workers.lead_once(me)));
        workers.lead_once(0);
        others.into_iter().for_each(|o| o.join().unwrap());
        workers.idle.roles(|roles| roles.audit());
    });
}

/// Workers find jobs and come back while one of them, if it is the deputy by then, relieves the
/// leader.
#[test]
fn roles_are_taken_and_given_up_at_any_time() {
    explore(|| {
        let workers = Workers::new(3);
        let others = [1, 2].map(|me| {
            spawn(&workers, move |workers| {
                workers.idle.roles(|roles| roles.take(me));
                workers.idle.roles(|roles| roles.audit());
                workers.work_as_leader(me, 1, || ());
                workers.find_job(me);
                workers.idle.roles(|roles| roles.take(me));
            })
        });
        workers.idle.roles(|roles| roles.take(0));
        workers.unpark(workers.idle.roles(|roles| roles.appoint_deputy()));
        workers.idle.roles(|roles| roles.audit());
        workers.idle.roles(|roles| roles.take_over(0, 1));
        workers.idle.roles(|roles| roles.audit());
        others.into_iter().for_each(|o| o.join().unwrap());
        workers.idle.roles(|roles| roles.audit());
        // Whoever has been relieved comes for a new role; all others have theirs.
        let mut roles = [0, 1, 2].map(|w| workers.idle.roles(|roles| roles.take(w)));
        workers.idle.roles(|roles| roles.audit());
        roles.sort_by_key(|r| *r as u8);
        assert_eq!(roles, [Role::Leader, Role::Deputy, Role::Sleeper]);
    });
}

/// A leader runs a job without giving up its role; the job ends when somebody else leads.
#[test]
fn a_stuck_leader_is_relieved() {
    explore(|| {
        let workers = Workers::idle(3);
        let leader = spawn(&workers, |workers| {
            let relieved = || workers.parkers[0].park(None);
            workers.work_as_leader(0, 1, relieved);
            assert_ne!(workers.idle.roles(|roles| roles.take(0)), Role::Leader);
        });
        let sleeper = spawn(&workers, |workers| workers.sleep_as(2, Role::Sleeper));
        workers.stand_by(1, 100);
        assert_eq!(workers.idle.roles(|roles| roles.of(1)), Role::Leader);
        workers.unpark(Some(0));
        workers.unpark(workers.idle.roles(|roles| roles.appoint_deputy()));
        workers.idle.roles(|roles| roles.audit());
        // If the old leader has become the deputy, the sleeper goes on until the lead comes to it.
        workers.find_job(1);
        workers.find_job(0);
        leader.join().unwrap();
        sleeper.join().unwrap();
    });
}

/// The leader comes back from its job just when its deputy takes over: whoever goes dormant then is
/// woken.
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

/// A leader that has been relieved ends its job while its successor runs one.
#[test]
fn the_time_of_a_successors_job_is_kept() {
    explore(|| {
        let workers = Workers::idle(2);
        workers
            .idle
            .roles(|roles| roles.set_leader_busy(0, Some(1)));
        let old = spawn(&workers, |workers| {
            workers.idle.roles(|roles| roles.set_leader_busy(0, None))
        });
        workers.stand_by(1, 1);
        let leads = workers.idle.roles(|roles| roles.of(1)) == Role::Leader;
        if leads {
            workers
                .idle
                .roles(|roles| roles.set_leader_busy(1, Some(2)));
        }
        old.join().unwrap();
        let since = workers.idle.roles(|roles| roles.leader_busy_since());
        assert_eq!(
            since,
            leads.then_some(2),
            "nobody sees that the leader is stuck"
        );
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
        workers.stand_by(1, 100);
        workers.unpark(Some(0));
        leader.join().unwrap();
    });
}

#[test]
fn resigning_without_an_heir_is_caught() {
    let nobody = "workers sleep and none leads";
    caught(
        Fault::ResignWithoutHeir,
        "idle::the_lead_goes_round",
        nobody,
    );
}

#[test]
fn leaving_the_heir_asleep_is_caught() {
    caught(
        Fault::LeaveHeirAsleep,
        "idle::the_lead_goes_round",
        DEADLOCK,
    );
}

#[test]
fn appointing_a_second_deputy_is_caught() {
    let astray = "a deputy is astray";
    caught(Fault::AppointBlindly, "idle::the_lead_goes_round", astray);
}

#[test]
fn taking_over_without_being_deputy_is_caught() {
    let model = "idle::roles_are_taken_and_given_up_at_any_time";
    caught(Fault::TakeOverBlindly, model, "is astray");
}

#[test]
fn relieving_a_leader_that_is_back_is_caught() {
    let model = "idle::a_leader_that_is_back_is_not_relieved_in_its_sleep";
    caught(Fault::TakeOverFromFree, model, DEADLOCK);
}

#[test]
fn forgetting_the_successors_job_is_caught() {
    let model = "idle::the_time_of_a_successors_job_is_kept";
    caught(
        Fault::FreeForOthers,
        model,
        "nobody sees that the leader is stuck",
    );
}

#[test]
fn leaving_the_deputy_asleep_is_caught() {
    let model = "idle::a_deputy_sleeps_no_longer_than_its_leader";
    caught(Fault::LeaveDeputyAsleep, model, DEADLOCK);
}

//! The roles of idle workers: at most one leads and one stands in for him, and nobody is forgotten.
//!
//! Mirrors `Worker::{run, idle, lead, go_dormant, stand_by, sleep}` and `Shared::unpark_worker`. A deputy's nap, which
//! ends by itself, is only a chance for others to run.

use super::{DEADLOCK, caught, explore, spawn};
use crate::{
    fault::{Fault, planted},
    idle::{Idle, Role},
    parker::Parker,
};
use std::sync::Arc;

struct Workers {
    idle: Idle,
    parkers: Vec<Parker>,
}

impl Workers {
    fn new(count: usize) -> Arc<Self> {
        Arc::new(Workers {
            idle: Idle::new(count),
            parkers: (0..count).map(|_| Parker::new()).collect(),
        })
    }

    fn unpark(&self, worker: Option<usize>) {
        if let Some(worker) = worker {
            self.parkers[worker].unpark();
        }
    }

    /// Takes roles, as they come, until it has led; then finds a job, hands its role on and works.
    fn lead_once(&self, me: usize) {
        loop {
            let role = self.idle.take_role(me);
            self.idle.audit();
            match role {
                Role::Leader => break,
                Role::Busy => unreachable!("an idle worker has a role"),
                // Nobody is stuck here, so a deputy's naps do not matter.
                Role::Deputy | Role::Sleeper => self.sleep_as(me, role),
            }
        }
        self.unpark(self.idle.appoint_deputy());
        self.idle.audit();
        self.find_job(me);
    }

    fn sleep_as(&self, me: usize, role: Role) {
        while self.idle.role(me) == role {
            self.parkers[me].park(None);
        }
    }

    /// Gives the role up to run a job in a computation worth its while.
    fn find_job(&self, me: usize) {
        let next = self.idle.resign(me);
        if !planted(Fault::LeaveHeirAsleep) {
            self.unpark(next);
        }
        self.idle.audit();
    }
}

#[test]
fn the_lead_goes_round() {
    explore(|| {
        let workers = Workers::new(3);
        let others = [1, 2].map(|me| spawn(&workers, move |workers| workers.lead_once(me)));
        workers.lead_once(0);
        others.map(|o| o.join().unwrap());
        workers.idle.audit();
    });
}

/// The leader resigns while the others take their roles, find jobs and come back.
#[test]
fn roles_are_taken_and_given_up_at_any_time() {
    explore(|| {
        let workers = Workers::new(3);
        let others = [1, 2].map(|me| {
            spawn(&workers, move |workers| {
                workers.idle.take_role(me);
                workers.idle.audit();
                workers.find_job(me);
                workers.idle.take_role(me);
            })
        });
        workers.idle.take_role(0);
        workers.unpark(workers.idle.appoint_deputy());
        workers.idle.audit();
        workers.idle.take_over(0);
        workers.idle.audit();
        others.map(|o| o.join().unwrap());
        workers.idle.audit();
        let all = [0, 1, 2].map(|w| workers.idle.role(w));
        assert!(!all.contains(&Role::Busy), "a worker is lost");
    });
}

#[test]
fn resigning_without_an_heir_is_caught() {
    let nobody = "workers sleep and nobody leads";
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

//! Every state that a few workers can reach, in any order of the steps that they take under the
//! lock of the roles (protocol/idle.rs).

use super::{Role, Roles};
use std::{
    collections::{HashSet, VecDeque},
    panic,
};

#[derive(Clone, Copy, Debug)]
enum Step {
    Take,
    Resign,
    Appoint,
    /// Keeps the lead in a job that begins then.
    KeepLead(u64),
    EndJob,
    /// From a leader that has begun its job then.
    TakeOver(u64),
}

const STEPS: [Step; 8] = [
    Step::Take,
    Step::Resign,
    Step::Appoint,
    Step::KeepLead(1),
    Step::KeepLead(2),
    Step::EndJob,
    Step::TakeOver(1),
    Step::TakeOver(2),
];

impl Roles {
    /// Checks that every worker that is not busy has exactly one role, and that none sleeps while
    /// none leads, or while the leader is busy and has no deputy.
    pub(crate) fn audit(&self) {
        for (worker, role) in self.of.iter().enumerate() {
            assert_eq!(
                *role == Role::Leader,
                self.leader == Some(worker),
                "the lead is astray"
            );
            assert_eq!(
                *role == Role::Deputy,
                self.deputy == Some(worker),
                "a deputy is astray"
            );
            let asleep = self.sleepers.iter().filter(|&&w| w == worker).count();
            assert_eq!(
                usize::from(*role == Role::Sleeper),
                asleep,
                "a sleeper is astray"
            );
        }
        let sleeps = self.deputy.is_some() || !self.sleepers.is_empty();
        assert!(
            self.leader.is_some() || !sleeps,
            "workers sleep and none leads"
        );
        assert!(
            self.deputy.is_some() || self.sleepers.is_empty() || self.leader_busy_since.is_none(),
            "workers sleep and none relieves the leader"
        );
    }

    /// Takes a step of the worker `me`, whatever its role is by now. Returns the worker that it
    /// wakes.
    fn step(&mut self, me: usize, step: Step) -> Option<usize> {
        match step {
            Step::Take => assert_ne!(self.take(me), Role::Busy),
            Step::Resign => return self.resign(me),
            Step::Appoint => return self.appoint_deputy(),
            Step::KeepLead(now) => {
                self.set_leader_busy(me, Some(now));
                return self.appoint_deputy();
            }
            Step::EndJob => self.set_leader_busy(me, None),
            Step::TakeOver(since) => self.take_over(me, since),
        }
        None
    }
}

/// Checks that no role changes whose worker neither takes the step nor is woken by it, but that of
/// a leader that is relieved in its job; and that no other worker says what the leader does.
fn check(before: &Roles, me: usize, step: Step, (after, woken): (&Roles, Option<usize>)) {
    after.audit();
    let is_stuck = |since| before.leader_busy_since == Some(since);
    let relieves = matches!(step, Step::TakeOver(since) if is_stuck(since));
    let relieved = before
        .leader
        .filter(|_| relieves && before.deputy == Some(me));
    for worker in 0..before.of.len() {
        let learns = [Some(me), woken, relieved].contains(&Some(worker));
        let keeps = before.of(worker) == after.of(worker);
        assert!(learns || keeps, "a worker has another role unawares");
    }
    let leads_on = before.leader == after.leader && before.leader != Some(me);
    assert!(
        !leads_on || before.leader_busy_since == after.leader_busy_since,
        "no worker sees that the leader is stuck"
    );
}

#[test]
fn no_step_loses_a_worker() {
    for workers in 1..=if cfg!(miri) { 2 } else { 4 } {
        let mut asleep = Roles::new(workers, 0);
        asleep.begin_asleep(0, workers);
        let mut next = VecDeque::from([Roles::new(workers, 0), asleep]);
        let mut reached: HashSet<Roles> = next.iter().cloned().collect();
        while let Some(before) = next.pop_front() {
            for (me, step) in (0..workers).flat_map(|me| STEPS.map(|step| (me, step))) {
                let mut after = before.clone();
                let woken = after.step(me, step);
                let checked = panic::catch_unwind(|| check(&before, me, step, (&after, woken)));
                assert!(checked.is_ok(), "{step:?} of {me}:\n{before:?}\n{after:?}");
                if reached.insert(after.clone()) {
                    next.push_back(after);
                }
            }
        }
        println!("{workers} workers: {} states", reached.len());
    }
}

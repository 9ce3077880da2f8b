//! The roles of idle workers: who looks around, who stands in for him, who just sleeps.
//!
//! * The **leader** naps for some tens of microseconds at a time, looks for jobs and asks busy threads for them; when
//!   nobody answers for long it goes dormant (dormancy.rs). At most one.
//! * The **deputy** naps for a millisecond at a time and takes over if the leader is stuck in a job. At most one.
//! * All others **sleep** without a time limit until they are given a role.
//!
//! A leader that finds a job in a computation worth its while hands its role on before it runs the job, if there is a
//! processor for another worker. Without one, or in a program of tiny computations, it keeps the role, so that
//! nobody is woken for nothing; there the deputy is the safeguard. So however many workers a pool has, the idle ones cost as much as two.

use crate::fault::{Fault, planted};
use crate::primitive::{AtomicUsize, Mutex, Ordering, lock};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Busy,
    Leader,
    Deputy,
    Sleeper,
}

#[derive(Debug)]
pub(crate) struct Idle {
    roles: Mutex<Roles>,
    /// How many workers are not running jobs.
    count: AtomicUsize,
}

#[derive(Debug)]
struct Roles {
    of: Vec<Role>,
    leader: Option<usize>,
    deputy: Option<usize>,
    sleepers: Vec<usize>,
    /// Since when the leader has been running a job, on the pool's clock.
    leader_busy_since: Option<u64>,
}

impl Idle {
    pub(crate) fn new(workers: usize) -> Self {
        Idle {
            roles: Mutex::new(Roles {
                of: vec![Role::Busy; workers],
                leader: None,
                deputy: None,
                sleepers: Vec::with_capacity(workers),
                leader_busy_since: None,
            }),
            count: AtomicUsize::new(workers),
        }
    }

    pub(crate) fn count(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }

    /// Some workers do not exist.
    pub(crate) fn lose(&self, workers: usize) {
        self.count.fetch_sub(workers, Ordering::Relaxed);
    }

    pub(crate) fn begin_job(&self) {
        self.count.fetch_sub(1, Ordering::Relaxed);
    }

    pub(crate) fn end_job(&self) {
        self.count.fetch_add(1, Ordering::Relaxed);
    }

    /// The role of a worker that has nothing to do.
    pub(crate) fn take_role(&self, worker: usize) -> Role {
        let mut roles = lock(&self.roles);
        let role = match roles.of[worker] {
            Role::Busy if roles.leader.is_none() => Role::Leader,
            Role::Busy if roles.deputy.is_none() => Role::Deputy,
            Role::Busy => Role::Sleeper,
            role => role,
        };
        if roles.of[worker] == Role::Busy {
            roles.assign(worker, role);
        }
        role
    }

    pub(crate) fn role(&self, worker: usize) -> Role {
        lock(&self.roles).of[worker]
    }

    /// Gives up the worker's role; if it led, its successor does now and is returned to be unparked.
    pub(crate) fn resign(&self, worker: usize) -> Option<usize> {
        let mut roles = lock(&self.roles);
        let role = roles.of[worker];
        roles.of[worker] = Role::Busy;
        match role {
            Role::Leader => {
                roles.leader = None;
                if planted(Fault::ResignWithoutHeir) {
                    return None;
                }
                let next = roles.deputy.take().or_else(|| roles.sleepers.pop())?;
                roles.assign(next, Role::Leader);
                Some(next)
            }
            Role::Deputy => {
                roles.deputy = None;
                None
            }
            Role::Sleeper => {
                roles.sleepers.retain(|&w| w != worker);
                None
            }
            Role::Busy => None,
        }
    }

    /// For the leader: makes a sleeper the deputy if there is none, and returns it to be unparked.
    pub(crate) fn appoint_deputy(&self) -> Option<usize> {
        let mut roles = lock(&self.roles);
        if roles.deputy.is_some() && !planted(Fault::AppointBlindly) {
            return None;
        }
        let next = roles.sleepers.pop()?;
        roles.assign(next, Role::Deputy);
        Some(next)
    }

    pub(crate) fn deputy(&self) -> Option<usize> {
        lock(&self.roles).deputy
    }

    /// For the deputy: takes the lead from a leader that is stuck in the job it began at `since`.
    pub(crate) fn take_over(&self, deputy: usize, since: u64) {
        let mut roles = lock(&self.roles);
        // A leader that is back from its job may be asleep, and would not learn that it no longer leads.
        let stuck = roles.leader_busy_since == Some(since);
        if !stuck && !planted(Fault::TakeOverFromFree) {
            return;
        }
        if roles.of[deputy] != Role::Deputy && !planted(Fault::TakeOverBlindly) {
            return;
        }
        roles.deputy = None;
        if let Some(old) = roles.leader {
            roles.of[old] = Role::Busy;
        }
        roles.assign(deputy, Role::Leader);
    }

    #[cfg(loom)]
    pub(crate) fn audit(&self) {
        lock(&self.roles).audit();
    }

    /// For a leader that keeps its role while it runs a job: since when, or that it has ended. Nothing happens if another
    /// one leads by now.
    pub(crate) fn set_leader_busy(&self, worker: usize, since: Option<u64>) {
        let mut roles = lock(&self.roles);
        if roles.leader == Some(worker) || planted(Fault::FreeForOthers) {
            roles.leader_busy_since = since;
        }
    }

    pub(crate) fn leader_busy_since(&self) -> Option<u64> {
        lock(&self.roles).leader_busy_since
    }
}

impl Roles {
    /// Every worker that is not busy has exactly one role, and nobody sleeps while nobody leads.
    #[cfg(loom)]
    fn audit(&self) {
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
        let someone = self.deputy.is_some() || !self.sleepers.is_empty();
        assert!(
            self.leader.is_some() || !someone,
            "workers sleep and nobody leads"
        );
    }

    fn assign(&mut self, worker: usize, role: Role) {
        self.of[worker] = role;
        match role {
            Role::Leader => {
                self.leader = Some(worker);
                self.leader_busy_since = None;
            }
            Role::Deputy => self.deputy = Some(worker),
            Role::Sleeper => self.sleepers.push(worker),
            Role::Busy => {}
        }
    }
}

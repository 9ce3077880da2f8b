//! The roles of idle workers (idle.rs describes them), as plain bookkeeping. A test walks through
//! all states of a few workers.

#[cfg(test)]
mod tests;

/// The role of a worker without work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Role {
    /// None: it has work, or has not taken a role.
    Busy,
    /// Looks for work.
    Leader,
    /// Stands in for the leader.
    Deputy,
    /// Sleeps.
    Sleeper,
}

/// The roles of a pool's workers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Roles {
    of: Vec<Role>,
    leader: Option<usize>,
    deputy: Option<usize>,
    sleepers: Vec<usize>,
    /// Since when the leader has been running a job, on the pool's clock.
    leader_busy_since: Option<u64>,
}

impl Roles {
    /// Creates the roles, with all workers and spares busy.
    pub(crate) fn new(workers: usize, spares: usize) -> Self {
        Roles {
            of: vec![Role::Busy; workers + spares],
            leader: None,
            deputy: None,
            sleepers: Vec::with_capacity(workers),
            leader_busy_since: None,
        }
    }

    /// Marks the workers from `first` to `end` as asleep, with `first` as leader; the others get
    /// roles in order.
    pub(crate) fn begin_asleep(&mut self, first: usize, end: usize) {
        self.assign(first, Role::Leader);
        for worker in (first + 1..end).rev() {
            self.assign(worker, Role::Sleeper);
        }
    }

    /// Returns the worker's role.
    pub(crate) fn of(&self, worker: usize) -> Role {
        self.of[worker]
    }

    /// Returns the leader.
    pub(crate) fn leader(&self) -> Option<usize> {
        self.leader
    }

    /// Returns the deputy.
    pub(crate) fn deputy(&self) -> Option<usize> {
        self.deputy
    }

    /// Returns since when the leader has been running a job, if it does.
    pub(crate) fn leader_busy_since(&self) -> Option<u64> {
        self.leader_busy_since
    }

    /// Gives a role to a worker without work.
    pub(crate) fn take(&mut self, worker: usize) -> Role {
        let role = match self.of[worker] {
            Role::Busy if self.leader.is_none() => Role::Leader,
            Role::Busy if self.deputy.is_none() => Role::Deputy,
            Role::Busy => Role::Sleeper,
            role => return role,
        };
        self.assign(worker, role);
        role
    }

    /// Gives up the worker's role. Returns its successor, which the caller unparks, if it led, or
    /// was the deputy of a leader that is busy.
    pub(crate) fn resign(&mut self, worker: usize) -> Option<usize> {
        let role = std::mem::replace(&mut self.of[worker], Role::Busy);
        match role {
            Role::Leader => {
                return self.succeed();
            }
            Role::Deputy => {
                self.deputy = None;
                if self.leader_busy_since.is_some() {
                    return self.appoint_deputy();
                }
            }
            Role::Sleeper => self.sleepers.retain(|&w| w != worker),
            Role::Busy => {}
        }
        None
    }

    /// Makes a sleeper the deputy if there is none, and returns it; the caller unparks it.
    pub(crate) fn appoint_deputy(&mut self) -> Option<usize> {
        if self.deputy.is_some() {
            return None;
        }
        let next = self.sleepers.pop()?;
        self.assign(next, Role::Deputy);
        Some(next)
    }

    /// For the deputy: takes the lead from a leader that is stuck in the job it began at `since`.
    pub(crate) fn take_over(&mut self, deputy: usize, since: u64) {
        // A leader that is back from its job may be asleep, and would not learn that it no longer
        // leads.
        let stuck = self.leader_busy_since == Some(since);
        if !stuck || self.of[deputy] != Role::Deputy {
            return;
        }
        self.deputy = None;
        if let Some(old) = self.leader {
            self.of[old] = Role::Busy;
        }
        self.assign(deputy, Role::Leader);
    }

    /// For a leader that keeps its role while it runs a job: records since when, or that it has
    /// ended. Does nothing if another one leads by now.
    pub(crate) fn set_leader_busy(&mut self, worker: usize, since: Option<u64>) {
        if self.leader == Some(worker) {
            self.leader_busy_since = since;
        }
    }

    /// Replaces the leader by the deputy, or by a sleeper.
    fn succeed(&mut self) -> Option<usize> {
        self.leader = None;
        let next = self.deputy.take().or_else(|| self.sleepers.pop())?;
        self.assign(next, Role::Leader);
        Some(next)
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

//! The roles of idle workers, as in the scheduler (`crates/core/src/idle.rs`), without its lock.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Busy,
    Leader,
    Deputy,
    Sleeper,
}

#[derive(Debug)]
pub(crate) struct Roles {
    of: Vec<Role>,
    leader: Option<usize>,
    deputy: Option<usize>,
    sleepers: Vec<usize>,
    pub(crate) leader_busy_since: Option<u64>,
}

impl Roles {
    pub(crate) fn new(workers: usize) -> Roles {
        Roles {
            of: vec![Role::Busy; workers],
            leader: None,
            deputy: None,
            sleepers: Vec::new(),
            leader_busy_since: None,
        }
    }

    pub(crate) fn of(&self, worker: usize) -> Role {
        self.of[worker]
    }

    /// The role of a worker that has nothing to do.
    pub(crate) fn take(&mut self, worker: usize) -> Role {
        if self.of[worker] == Role::Busy {
            let role = match (self.leader, self.deputy) {
                (None, _) => Role::Leader,
                (_, None) => Role::Deputy,
                _ => Role::Sleeper,
            };
            self.assign(worker, role);
        }
        self.of[worker]
    }

    /// Gives the role up; the successor of a leader is to be woken.
    pub(crate) fn resign(&mut self, worker: usize) -> Option<usize> {
        match std::mem::replace(&mut self.of[worker], Role::Busy) {
            Role::Leader => {
                self.leader = None;
                let next = self.deputy.take().or_else(|| self.sleepers.pop())?;
                self.assign(next, Role::Leader);
                return Some(next);
            }
            Role::Deputy => self.deputy = None,
            Role::Sleeper => self.sleepers.retain(|&sleeper| sleeper != worker),
            Role::Busy => {}
        }
        None
    }

    /// Makes a sleeper the deputy if there is none; it is to be woken.
    pub(crate) fn appoint_deputy(&mut self) -> Option<usize> {
        if self.deputy.is_some() {
            return None;
        }
        let next = self.sleepers.pop()?;
        self.assign(next, Role::Deputy);
        Some(next)
    }

    /// The deputy takes the lead from a leader stuck in a job.
    pub(crate) fn take_over(&mut self, deputy: usize) {
        self.deputy = None;
        if let Some(old) = self.leader {
            self.of[old] = Role::Busy;
        }
        self.assign(deputy, Role::Leader);
    }

    /// The leader that keeps its role begins a job, or ends it.
    pub(crate) fn set_leader_busy(&mut self, worker: usize, since: Option<u64>) {
        if self.leader == Some(worker) {
            self.leader_busy_since = since;
        }
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

//! The roles of idle workers (roles.rs), shared between threads: leader, deputy and sleepers.
//!
//! * The **leader** looks for jobs and asks busy threads for them. If there are none it goes
//!   dormant: the next job wakes it (dormancy.rs). There is at most one.
//! * The **deputy** naps for a millisecond at a time and takes over if the leader is stuck in a
//!   job. There is at most one. While the leader is dormant the deputy sleeps without a time limit,
//!   until the leader starts a job and keeps the lead. While the leader is busy there is a deputy
//!   if any worker sleeps: one that is called away (a broadcast) leaves the role to a sleeper.
//! * All others **sleep** without a time limit until they get a role.
//!
//! A wake-up costs the thread that offers the job some microseconds. So after a job that was tiny,
//! or gone when the leader came for it, or one of a time in which it hardly worked, the leader
//! *naps* before it looks again: for 50 µs, and for longer and longer, up to two milliseconds,
//! while such jobs follow one another. After some milliseconds without a job it goes dormant. So an
//! idle worker uses hardly any processor time, and a program of tiny computations never pays for a
//! wake-up. An offer that has waited in vain for long shows that its computation is not tiny, and
//! ends the nap (nap.rs).
//!
//! A leader that finds a job in a long computation hands its role on before it runs the job, if
//! there is a processor for another worker. Without one, or in a program of tiny computations, it
//! keeps the role, so that no worker is woken for nothing; then the deputy takes over if needed. So
//! the idle workers of a pool of any size cost as much as two.

use super::dormancy::Sleeper;
use super::nap::Nap;
use super::primitive::{AtomicUsize, Mutex, Ordering, lock};
use crate::policy::roles::{Role, Roles};

#[derive(Debug)]
pub(crate) struct Idle {
    roles: Mutex<Roles>,
    /// Whether the leader is dormant.
    pub(crate) leader: Sleeper,
    /// The leader's.
    pub(crate) nap: Nap,
    /// The number of workers that are not running jobs.
    count: AtomicUsize,
}

impl Idle {
    pub(crate) fn new(workers: usize, spares: usize) -> Self {
        Idle {
            roles: Mutex::new(Roles::new(workers, spares)),
            leader: Sleeper::new(),
            nap: Nap::new(),
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

    /// Calls `f` with the roles, under their lock.
    pub(crate) fn roles<R>(&self, f: impl FnOnce(&mut Roles) -> R) -> R {
        f(&mut lock(&self.roles))
    }
}

/// A worker, as far as its role is concerned.
pub(crate) trait Idler {
    /// Returns its number among the workers that share the roles.
    fn index(&self) -> usize;

    fn the_idle(&self) -> &Idle;

    fn is_leader_dormant(&self) -> bool;

    /// Returns whether there is nothing that only this worker can do.
    fn may_idle(&self) -> bool;

    /// Sleeps, with a time limit in nanoseconds, and returns the time.
    fn park(&self, nap: Option<u64>) -> u64;

    fn unpark(&self, worker: usize);

    /// Returns how long a deputy naps, beside a leader that is `busy` or not: one that is busy for
    /// as long is stuck.
    fn deputy_nap(&self, busy: bool) -> u64;

    fn role(&self) -> Role {
        self.the_idle().roles(|roles| roles.of(self.index()))
    }

    /// Acts in its role, by `lead` if it leads, until there may be work.
    fn play_role(&mut self, lead: impl FnOnce(&mut Self)) {
        while self.may_idle() {
            match self.the_idle().roles(|roles| roles.take(self.index())) {
                Role::Leader => return lead(self),
                // Deputies and sleepers take no jobs: they come back here with a new role.
                Role::Deputy => self.stand_by(),
                Role::Sleeper | Role::Busy => self.sleep(),
            }
        }
    }

    /// Resigns from the role, to run something.
    fn resign(&self) {
        let heir = self.the_idle().roles(|roles| roles.resign(self.index()));
        if let Some(heir) = heir {
            self.unpark(heir);
        }
    }

    /// Runs something by `run`: as the leader that keeps the lead, with what `keep_lead` needs to
    /// know, or having resigned. `run` is told whether the deputy has been woken.
    fn run_in_role(
        &mut self,
        keeps_lead: Option<(u64, bool, Option<usize>)>,
        run: impl FnOnce(&mut Self, bool),
    ) {
        let woken = match keeps_lead {
            Some((now, may_sleep, relied)) => self.keep_lead(now, may_sleep, relied),
            None => {
                self.resign();
                false
            }
        };
        run(self, woken);
        if keeps_lead.is_some() {
            self.end_of_job();
        }
    }

    /// As the leader, which keeps the lead while it runs something from `now` on: wakes the deputy
    /// if it `may_sleep` without a time limit, unless it is the one that is `relied` on; appoints
    /// one if there is none. Returns whether it has woken one.
    fn keep_lead(&self, now: u64, may_sleep: bool, relied: Option<usize>) -> bool {
        let me = self.index();
        let deputy = self.the_idle().roles(|roles| {
            roles.set_leader_busy(me, Some(now));
            let before = roles.deputy().filter(|_| may_sleep);
            before.or_else(|| roles.appoint_deputy())
        });
        let asleep = deputy.filter(|&deputy| Some(deputy) != relied);
        if let Some(deputy) = asleep {
            self.unpark(deputy);
        }
        asleep.is_some()
    }

    /// The job that ran then has ended.
    fn end_of_job(&self) {
        let me = self.index();
        self.the_idle()
            .roles(|roles| roles.set_leader_busy(me, None));
    }

    /// As the leader: appoints a deputy if there is none.
    fn appoint_deputy(&self) {
        if let Some(deputy) = self.the_idle().roles(|roles| roles.appoint_deputy()) {
            self.unpark(deputy);
        }
    }

    /// As the deputy.
    fn stand_by(&self) {
        let busy_since = || self.the_idle().roles(|roles| roles.leader_busy_since());
        while self.may_idle() && self.role() == Role::Deputy {
            if self.is_leader_dormant() {
                self.park(None);
                continue;
            }
            let now = self.park(Some(self.deputy_nap(busy_since().is_some())));
            let is_stuck = |&since: &u64| now.saturating_sub(since) >= self.deputy_nap(true);
            if let Some(since) = busy_since().filter(is_stuck) {
                self.the_idle()
                    .roles(|roles| roles.take_over(self.index(), since));
            }
        }
    }

    /// As a sleeper.
    fn sleep(&self) {
        while self.may_idle() && self.role() == Role::Sleeper {
            self.park(None);
        }
    }
}

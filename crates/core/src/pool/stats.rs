//! `Stats`: the counters of a pool.

use crate::join::member::Member;

/// The counters of a pool since it was built. All events counted happen on the cold path.
///
/// The times are sums over all threads, up to the call, and cover only work for other threads: a
/// thread that runs its own program counts nothing until it waits for stolen work. They exclude
/// each other: a job that waits is not working meanwhile. The time to create jobs (a hundred
/// nanoseconds or two for each of the [`promotions`](Self::promotions)) is part of the program's
/// own work.
///
/// # Examples
///
/// ```
/// let pool = sumac::ThreadPool::new();
/// pool.install(|| sumac::join(|| 1, || 2));
/// let stats = pool.stats();
/// assert!(stats.reclaims + stats.steals <= stats.promotions);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// Joins that left the hot path because a worker asked for work.
    pub ticks: u64,
    /// Frames that were turned into jobs.
    pub promotions: u64,
    /// Jobs that another thread took.
    pub steals: u64,
    /// Jobs that their owner took back.
    pub reclaims: u64,
    /// Jobs that a waiting thread took by mistake and left to their owner.
    pub declines: u64,
    /// How often a thread of the pool slept, or nearly did.
    pub parks: u64,
    /// How often a thread woke another that was idle.
    pub wakes: u64,
    /// Nanoseconds in which threads ran jobs and tasks taken from others.
    pub working: u64,
    /// Nanoseconds in which threads searched for jobs, or waited without sleeping.
    pub searching: u64,
    /// Nanoseconds in which workers and waiting threads slept.
    pub parked: u64,
}

impl Stats {
    /// Returns the sums over the members, at the time `now` of their pool's clock.
    pub(crate) fn of<'a>(members: impl Iterator<Item = &'a Member>, now: u64) -> Self {
        members.fold(Stats::default(), |sum, member| {
            let c = &member.counters;
            let [_, working, searching, parked] = member.times.spent(now);
            Stats {
                ticks: sum.ticks + c.ticks.get(),
                promotions: sum.promotions + c.promotions.get(),
                steals: sum.steals + c.steals.get(),
                reclaims: sum.reclaims + c.reclaims.get(),
                declines: sum.declines + c.declines.get(),
                parks: sum.parks + c.parks.get(),
                wakes: sum.wakes + c.wakes.get(),
                working: sum.working + working,
                searching: sum.searching + searching,
                parked: sum.parked + parked,
            }
        })
    }
}

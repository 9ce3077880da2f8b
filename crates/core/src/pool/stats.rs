//! What a pool counts.

use crate::{join::member::Member, protocol::times::Spent};

/// What a pool has counted since it was built. All of it happens on the cold path.
///
/// The times are those of all its threads together, up to the moment of asking, and say what these
/// did for each other: a thread that runs a program of its own spends none of them, until it waits
/// for what another has taken. They exclude each other: a job that waits inside is not working
/// meanwhile. What a thread spends on making jobs (a hundred nanoseconds or two for each of the
/// [`promotions`](Self::promotions)) is part of its own work.
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
    /// How often a thread of the pool slept, or was about to.
    pub parks: u64,
    /// How often a thread woke another that was idle.
    pub wakes: u64,
    /// Nanoseconds in which threads ran jobs and tasks that they had taken from others.
    pub working: u64,
    /// Nanoseconds in which threads looked for jobs, or waited awake.
    pub searching: u64,
    /// Nanoseconds in which threads slept, workers or those that wait.
    pub parked: u64,
}

impl Stats {
    /// The sums over the members, at the time `now` of their pool's clock.
    pub(crate) fn of<'a>(members: impl Iterator<Item = &'a Member>, now: u64) -> Self {
        members.fold(Stats::default(), |sum, member| {
            let c = &member.counters;
            let Spent {
                working,
                searching,
                parked,
            } = member.times.spent(now);
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

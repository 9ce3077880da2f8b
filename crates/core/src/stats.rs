//! What a pool counts.

use crate::member::Counters;

/// What a pool has counted since it was built. All of it happens on the cold path.
///
/// # Examples
///
/// ```
/// let pool = sumac_core::ThreadPool::new();
/// pool.install(|| sumac_core::join(|| 1, || 2));
/// let stats = pool.stats();
/// assert!(stats.reclaims + stats.steals <= stats.promotions);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// Joins that left the hot path because somebody asked for work.
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
}

impl Stats {
    pub(crate) fn of<'a>(counters: impl Iterator<Item = &'a Counters>) -> Self {
        counters.fold(Stats::default(), |sum, c| Stats {
            ticks: sum.ticks + c.ticks.get(),
            promotions: sum.promotions + c.promotions.get(),
            steals: sum.steals + c.steals.get(),
            reclaims: sum.reclaims + c.reclaims.get(),
            declines: sum.declines + c.declines.get(),
            parks: sum.parks + c.parks.get(),
            wakes: sum.wakes + c.wakes.get(),
        })
    }
}

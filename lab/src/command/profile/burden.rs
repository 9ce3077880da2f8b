//! What a fork costs that another thread takes: from its offer to its beginning there.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use sumac::{BURDEN, ThreadPoolBuilder, join};

const HANDOVERS: usize = 500;
/// Longer ones are not handovers: the system was busy with something else.
const MOST: Duration = Duration::from_millis(1);

/// The median of some handovers to a thread that looks for work; the usual burden where there is no such thread.
pub(super) fn measured() -> Duration {
    let pool = ThreadPoolBuilder::new().num_threads(2).build();
    let (Ok(pool), 2..) = (pool, crate::machine::cores()) else {
        return BURDEN;
    };
    let start = Instant::now();
    let nanos = || u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
    let mut handovers = pool.install(|| {
        let mut handovers = Vec::new();
        for _ in 0..HANDOVERS {
            let (offered, begun) = (AtomicU64::new(0), AtomicU64::new(0));
            let until = nanos() + 1_000_000;
            join(
                || {
                    // The last look before the fork is taken comes closest to its offer.
                    while begun.load(Ordering::Acquire) == 0 && nanos() < until {
                        let now = nanos();
                        join(|| (), || ());
                        if begun.load(Ordering::Acquire) == 0 {
                            offered.store(now, Ordering::Relaxed);
                        }
                    }
                },
                || begun.store(nanos(), Ordering::Release),
            );
            let (offered, begun) = (offered.into_inner(), begun.into_inner());
            if offered > 0 && begun > offered {
                handovers.push(Duration::from_nanos(begun - offered));
            }
        }
        handovers
    });
    handovers.retain(|&handover| handover < MOST);
    handovers.sort_unstable();
    handovers
        .get(handovers.len() / 2)
        .map_or(BURDEN, |&median| median.max(Duration::from_nanos(100)))
}

//! Pools whose workers need permits to work.

mod changing;
mod counts;
mod without;

use std::sync::{
    Arc,
    atomic::{AtomicIsize, AtomicUsize, Ordering::SeqCst},
};
use sumac::{Permits, ThreadPoolBuilder};
use sumac_test_support::{LONG, wait_until};

/// So many permits, and how many have been held at the same time.
#[derive(Default)]
struct Share {
    all: AtomicIsize,
    held: AtomicIsize,
    most: AtomicIsize,
    taken: AtomicUsize,
}

impl Share {
    fn of(permits: isize) -> Arc<Share> {
        let share = Share::default();
        share.all.store(permits, SeqCst);
        Arc::new(share)
    }

    fn held(&self) -> isize {
        self.held.load(SeqCst)
    }

    #[track_caller]
    fn is_given_back(&self) {
        assert!(
            wait_until(LONG, || self.held() == 0),
            "{} are kept",
            self.held()
        );
    }
}

impl Permits for Share {
    fn try_take(&self) -> bool {
        let all = self.all.load(SeqCst);
        let more = |held| (held < all).then_some(held + 1);
        let Ok(before) = self.held.fetch_update(SeqCst, SeqCst, more) else {
            return false;
        };
        self.most.fetch_max(before + 1, SeqCst);
        self.taken.fetch_add(1, SeqCst);
        true
    }

    fn give_back(&self) {
        let before = self.held.fetch_sub(1, SeqCst);
        assert!(before > 0, "a permit is given back that was not taken");
    }
}

/// How many threads are at work, and how many have been at the same time.
#[derive(Default)]
struct AtWork {
    now: AtomicIsize,
    most: AtomicIsize,
}

impl AtWork {
    fn during(&self, work: impl FnOnce()) {
        let now = self.now.fetch_add(1, SeqCst) + 1;
        self.most.fetch_max(now, SeqCst);
        work();
        self.now.fetch_sub(1, SeqCst);
    }

    fn most(&self) -> isize {
        self.most.load(SeqCst)
    }
}

fn builder(threads: usize, share: &Arc<Share>) -> ThreadPoolBuilder {
    let builder = ThreadPoolBuilder::new().num_threads(threads);
    builder.permits(Arc::clone(share))
}

/// Forks to `leaf`s.
fn tree(depth: u32, leaf: &(impl Fn() + Sync)) {
    if depth == 0 {
        return leaf();
    }
    sumac::join(|| tree(depth - 1, leaf), || tree(depth - 1, leaf));
}

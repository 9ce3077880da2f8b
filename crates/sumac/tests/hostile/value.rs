//! A value whose closures, destructors, wakers and comparisons use all of the library.

use std::{
    cell::Cell,
    cmp::Ordering,
    hash::{Hash, Hasher},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    task::{Wake, Waker},
    thread,
};

use sumac::{
    ThreadPool,
    batch::{Batched, Combining, Insert, Tree},
    prelude::*,
};
use sumac_test_support::{LONG, held, pool, throw, wait_until};

/// What user code may do wherever it runs: see [`Hostile::act`].
#[derive(Clone)]
pub(crate) struct Hostile(Arc<Means>);

struct Means {
    panics: bool,
    seen: AtomicUsize,
    other: ThreadPool,
    map: Batched<Tree<usize, usize>>,
    combining: Combining<usize>,
}

thread_local! {
    static ACTING: Cell<bool> = const { Cell::new(false) };
}

impl Hostile {
    pub(crate) fn new(panics: bool) -> Hostile {
        Hostile(Arc::new(Means {
            panics,
            seen: AtomicUsize::new(0),
            other: pool(2),
            map: Batched::new(Tree::new()),
            combining: Combining::new(0),
        }))
    }

    /// Enters other pools, old and new, joins, spawns, waits, applies to batched structures, and
    /// panics if it is to, unless the thread is unwinding already.
    pub(crate) fn act(&self) {
        let seen = self.0.seen.fetch_add(1, SeqCst);
        if ACTING.replace(true) {
            return;
        }
        // The first times in full; there may be thousands, as in a sort.
        if seen < 16 {
            assert_eq!(fork(4), 16);
            assert_eq!(self.0.other.install(|| fork(4)), 16);
            assert_eq!(pool(1 + seen % 2).install(|| fork(2)), 4);
            assert_eq!(sumac::spawn(|| 1).join(), 1);
            assert_eq!(self.0.other.spawn(|| fork(2)).join(), 4);
            sumac::scope(|s| s.spawn(|_| assert_eq!(fork(2), 4)));
            let third = pool(2);
            let (held, end) = held(&third);
            let ending = thread::spawn(move || drop(end));
            assert_eq!(held.join(), 5);
            ending.join().expect("no panic");
            assert_eq!((0..100).into_par_iter().sum::<u32>(), 4_950);
            self.0.map.apply(Insert(seen, seen));
            self.0.combining.with(|n| *n += 1);
        }
        ACTING.set(false);
        if self.0.panics && !thread::panicking() {
            throw("hostile");
        }
    }

    /// Whether it has acted, or does soon.
    pub(crate) fn was_seen(&self) -> bool {
        wait_until(LONG / 6, || self.0.seen.load(SeqCst) > 0)
    }

    /// Acts when it is dropped.
    pub(crate) fn on_drop(&self) -> OnDrop {
        OnDrop(self.clone())
    }

    /// Acts when it is woken.
    pub(crate) fn on_wake(&self) -> Waker {
        Waker::from(Arc::new(OnWake(self.clone())))
    }

    /// A waker that acts when it is dropped.
    pub(crate) fn on_waker_drop(&self) -> Waker {
        Waker::from(Arc::new(Sleeper(self.on_drop())))
    }

    /// Acts when it is compared, cloned or hashed.
    pub(crate) fn key(&self, number: u32) -> Key {
        Key(number, self.clone())
    }
}

fn fork(depth: u32) -> u32 {
    if depth == 0 {
        return 1;
    }
    let (a, b) = sumac::join(|| fork(depth - 1), || fork(depth - 1));
    a + b
}

pub(crate) struct OnDrop(Hostile);

impl Drop for OnDrop {
    fn drop(&mut self) {
        self.0.act();
    }
}

struct OnWake(Hostile);

impl Wake for OnWake {
    fn wake(self: Arc<Self>) {
        self.0.act();
    }
}

struct Sleeper(#[allow(dead_code, reason = "dropped")] OnDrop);

impl Wake for Sleeper {
    fn wake(self: Arc<Self>) {}
}

pub(crate) struct Key(pub(crate) u32, Hostile);

impl Clone for Key {
    fn clone(&self) -> Key {
        self.1.act();
        Key(self.0, self.1.clone())
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Key) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Key {}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Key) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Key {
    fn cmp(&self, other: &Key) -> Ordering {
        self.1.act();
        self.0.cmp(&other.0)
    }
}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.1.act();
        self.0.hash(state);
    }
}

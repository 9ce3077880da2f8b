//! The loop kernel under attack: user code that panics where only the kernel sees it, and merges that do not commute.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::atomic::{AtomicUsize, Ordering::SeqCst},
    thread,
};
use sumac_core::{ThreadPool, ThreadPoolBuilder};
use sumac_par::{iter::repeat_n, prelude::*};

fn pool(threads: usize) -> ThreadPool {
    ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .expect("a pool")
}

/// Gives others the time to ask and to take.
fn dawdle() {
    for _ in 0..20 {
        thread::yield_now();
    }
}

/// Its clones count, and the last of them panics.
struct Fuse<'c>(&'c AtomicUsize);

impl Clone for Fuse<'_> {
    fn clone(&self) -> Self {
        let lit = self.0.fetch_update(SeqCst, SeqCst, |left| left.checked_sub(1));
        assert!(lit != Ok(1), "clone");
        Fuse(self.0)
    }
}

#[test]
fn a_panic_while_splitting_is_the_loops() {
    const ITEMS: usize = if cfg!(miri) { 6 } else { 40 };
    let pool = pool(2);
    for clones in 1..2 * ITEMS {
        let fuse = AtomicUsize::new(clones);
        let items = AtomicUsize::new(0);
        let attempt = || {
            repeat_n(Fuse(&fuse), ITEMS).for_each(|_| {
                items.fetch_add(1, SeqCst);
                dawdle();
            });
        };
        match pool.install(|| catch_unwind(AssertUnwindSafe(attempt))) {
            Ok(()) => {
                assert_eq!(items.load(SeqCst), ITEMS);
                assert_ne!(fuse.load(SeqCst), 0, "a panic was lost");
            }
            Err(payload) => assert_eq!(payload.downcast_ref(), Some(&"clone")),
        }
    }
}

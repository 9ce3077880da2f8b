//! Attention: a raise is never lost, and the thread that lowers it sees the raiser's demand.
//!
//! Flags and demands are the real ones, and the word is used as by `Thread`. A tick first lowers
//! the attention (join/promote/tests.rs).

use super::{apart, caught, explore_all, relaxed, spawn};
use crate::protocol::{
    attention::{self, ATTENTION, NO_FRAME},
    demand::{Demand, Gift},
    primitive::{AtomicUsize, Ordering},
};
use std::sync::Arc;

const LOST: &str = "a raise was lost";

/// A busy thread with a seat in two pools.
struct Busy {
    word: AtomicUsize,
    demands: [Demand; 2],
}

impl Busy {
    fn new() -> Arc<Self> {
        let busy = Arc::new(Busy {
            word: AtomicUsize::new(NO_FRAME),
            demands: [Demand::new(0), Demand::new(0)],
        });
        for demand in &busy.demands {
            // SAFETY: no thread has the flag without the word beside it.
            unsafe { demand.flag.attach(&raw const busy.word) };
            demand.take();
        }
        attention::lower(&busy.word, NO_FRAME);
        busy
    }

    fn ask(&self, pool: usize) {
        self.demands[pool].ask(1, 0);
    }

    /// Leaves the hot path if attention is raised; returns true if that shows the pool's demand.
    fn poll(&self, floor: usize, pool: usize) -> bool {
        if self.word.load(Ordering::Relaxed) != ATTENTION {
            return false;
        }
        self.tick(floor, pool)
    }

    fn tick(&self, floor: usize, pool: usize) -> bool {
        attention::lower(&self.word, floor);
        self.meet(pool)
    }

    fn meet(&self, pool: usize) -> bool {
        let demand = &self.demands[pool];
        demand.asked() > 0 && demand.meet(|| Gift::Given, || ()).is_some()
    }

    /// At the end: the word, and the demand that has not been seen.
    fn ended(&self, pool: usize) -> (usize, u32) {
        let word = self.word.load(Ordering::SeqCst);
        (word, self.demands[pool].asked())
    }
}

#[test]
fn a_raise_is_met_or_stays() {
    explore_all(|| {
        let busy = Busy::new();
        let asker = spawn(&busy, |busy| busy.ask(0));
        let mut met = busy.poll(0x200, 0);
        attention::set_floor(&busy.word, 0x100);
        met |= busy.poll(0x100, 0);
        asker.join().unwrap();
        let (word, asked) = busy.ended(0);
        assert_eq!(asked == 0, met);
        assert!(met || word == ATTENTION, "a raise was lost");
        assert!(word == ATTENTION || word == 0x100, "the floor was lost");
    });
}

/// Two pools raise, each under its own lock: the thread that lowers the word sees both demands.
#[test]
fn raises_for_two_pools_do_not_hide_each_other() {
    explore_all(|| {
        let busy = Busy::new();
        let askers = [
            spawn(&busy, |busy| busy.ask(0)),
            spawn(&busy, |busy| busy.ask(1)),
        ];
        attention::lower(&busy.word, NO_FRAME);
        let met = [0, 1].map(|pool| busy.meet(pool));
        askers.into_iter().for_each(|a| a.join().unwrap());
        for pool in [0, 1] {
            let (word, _) = busy.ended(pool);
            assert!(met[pool] || word == ATTENTION, "a raise was lost");
        }
    });
}

/// A floor is kept while no thread raises, and never hides a raise.
#[test]
fn a_floor_never_covers_a_raise() {
    explore_all(|| {
        let busy = Busy::new();
        let asker = spawn(&busy, |busy| busy.ask(0));
        attention::set_floor(&busy.word, 0x200);
        attention::set_floor(&busy.word, NO_FRAME);
        asker.join().unwrap();
        assert_eq!(busy.ended(0), (ATTENTION, 1), "a raise was lost");
        attention::lower(&busy.word, 0x300);
        attention::set_floor(&busy.word, 0x200);
        assert_eq!(busy.ended(0).0, 0x200);
    });
}

/// A thread that raises its own attention, for one pool, does not hide that another pool has raised
/// it too.
#[test]
fn ones_own_raise_hides_nobody_elses() {
    explore_all(|| {
        let busy = Busy::new();
        let asker = spawn(&busy, |busy| busy.ask(0));
        attention::raise_own(&busy.word);
        let met = busy.tick(NO_FRAME, 0);
        asker.join().unwrap();
        let (word, _) = busy.ended(0);
        assert!(met || word == ATTENTION, "a raise was lost");
    });
}

#[test]
fn raising_without_release_is_caught() {
    caught(
        relaxed("protocol/attention.rs", "raise", "word.swap("),
        "attention::a_raise_is_met_or_stays",
        LOST,
    );
}

#[test]
fn lowering_without_acquire_is_caught() {
    caught(
        relaxed("protocol/attention.rs", "lower", "word.swap("),
        "attention::a_raise_is_met_or_stays",
        LOST,
    );
}

#[test]
fn setting_the_floor_by_look_and_store_is_caught() {
    caught(
        apart(
            "protocol/attention.rs",
            "set_floor",
            "word.compare_exchange(",
        ),
        "attention::a_raise_is_met_or_stays",
        LOST,
    );
    caught(
        apart(
            "protocol/attention.rs",
            "set_floor",
            "word.compare_exchange(",
        ),
        "attention::a_floor_never_covers_a_raise",
        LOST,
    );
}

#[test]
fn raising_by_a_store_is_caught() {
    caught(
        apart("protocol/attention.rs", "raise", "word.swap("),
        "attention::raises_for_two_pools_do_not_hide_each_other",
        LOST,
    );
}

#[test]
fn raising_ones_own_by_a_store_is_caught() {
    caught(
        apart("protocol/attention.rs", "raise_own", "word.swap("),
        "attention::ones_own_raise_hides_nobody_elses",
        LOST,
    );
}

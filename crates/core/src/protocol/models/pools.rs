//! Two pools: a thread that is inside both never leaves a leader asleep to which it could give
//! work, and a demand that had to wait while it was inside the other pool is met afterwards.
//!
//! The sleepers, demands, flags and offers (in rings of one slot) are the real ones. Mirrors
//! `promote::{tick_plain, give_in_contexts, give}`, with frames that are only counted, and
//! `Thread::inside` with `Thread::renew_attention` (join/promote/tests.rs).

use super::{FLAG_LOST, Fault, apart, caught, explore, give, planted, spawn};
use crate::protocol::{
    attention::{self, ATTENTION, NO_FRAME},
    demand::Demand,
    dormancy::Sleeper,
    offers::Offers,
    parker::Parker,
    primitive::{AtomicUsize, Ordering},
};
use std::{cell::Cell, ptr, sync::Arc};

/// A thread from outside, and the two pools that it uses.
struct World {
    word: AtomicUsize,
    pools: [Pool; 2],
}

/// A pool with one worker, its leader.
struct Pool {
    seat: Parker,
    leader: Sleeper,
    /// Of the thread from outside.
    demand: Demand,
    offers: Offers<u8, 1>,
    job: u8,
}

impl Pool {
    fn new() -> Self {
        Pool {
            seat: Parker::new(),
            leader: Sleeper::new(),
            demand: Demand::new(0),
            offers: Offers::new(1),
            job: 0,
        }
    }

    fn job(&self) -> *mut u8 {
        ptr::from_ref(&self.job).cast_mut()
    }

    /// Up to where the leader sleeps.
    fn go_dormant(&self) -> bool {
        let arm = || {
            if self.demand.flag.is_attached() {
                self.demand.ask(1, 0);
            }
        };
        self.leader.enter(arm, || !self.offers.is_empty())
    }
}

impl World {
    fn new() -> Arc<Self> {
        let world = Arc::new(World {
            word: AtomicUsize::new(ATTENTION),
            pools: [Pool::new(), Pool::new()],
        });
        // The thread's base is in the first pool, which wants nothing at the moment.
        world.sit(0);
        attention::lower(&world.word, NO_FRAME);
        world.pools[0].demand.take();
        world
    }

    fn sit(&self, pool: usize) {
        // SAFETY: the flag has the word beside it.
        unsafe { self.pools[pool].demand.flag.attach(&raw const self.word) };
    }

    /// The poll of a join in the innermost of these contexts, in each of which the thread has so
    /// many frames to give.
    fn poll(&self, contexts: &[(usize, u32)]) {
        if self.word.load(Ordering::Relaxed) != ATTENTION {
            return;
        }
        attention::lower(&self.word, NO_FRAME);
        for (nth, &(pool, frames)) in contexts.iter().enumerate() {
            let demand = &self.pools[pool].demand;
            if demand.asked() == 0 {
                continue;
            }
            let current = nth + 1 == contexts.len();
            let frames = Cell::new(frames);
            let raise = || {
                if current && !planted(Fault::ForgetDemand) {
                    attention::raise_own(&self.word);
                }
            };
            let give = || give(&frames, &self.pools[pool].offers, self.pools[pool].job());
            let wakes = demand.meet(give, raise);
            if planted(Fault::ForgetDemand) {
                demand.take();
            }
            if wakes == Some(true) {
                let Pool { leader, seat, .. } = &self.pools[pool];
                if leader.wake() {
                    seat.unpark();
                }
            }
        }
    }

    /// Calls `f` inside of the second pool, where the thread may sit down for it.
    fn inside(&self, sits: bool, f: impl FnOnce()) {
        if sits {
            self.sit(1);
        }
        self.renew_attention_of(1);
        f();
        self.pools[1].offers.reclaim(0, self.pools[1].job());
        if !planted(Fault::LeaveUnrenewed) {
            self.renew_attention_of(0);
            self.renew_attention_of(1);
        }
    }

    fn renew_attention_of(&self, pool: usize) {
        if self.pools[pool].demand.asked() > 0 {
            attention::raise_own(&self.word);
        }
    }

    /// After everything, at the base: no leader that has gone to sleep is forgotten.
    fn check(&self, asleep: [bool; 2]) {
        let base = &self.pools[0];
        base.offers.reclaim(0, base.job());
        for (pool, asleep) in self.pools.iter().zip(asleep) {
            if asleep && pool.leader.is_dormant() {
                let up = self.word.load(Ordering::Relaxed) == ATTENTION;
                assert!(up && pool.demand.asked() > 0, "{FLAG_LOST}");
            }
        }
    }
}

/// Both leaders go dormant while the thread is in one pool, then in both, then in one.
fn in_and_out(sits: bool, frames: [u32; 2]) {
    let world = World::new();
    if !sits {
        world.sit(1);
    }
    let leaders = [0, 1].map(|pool| spawn(&world, move |world| world.pools[pool].go_dormant()));
    let [base, inner] = frames;
    world.poll(&[(0, base)]);
    world.inside(sits, || world.poll(&[(0, base), (1, inner)]));
    world.check(leaders.map(|leader| leader.join().unwrap()));
}

#[test]
fn a_thread_that_gives_in_both() {
    explore(|| in_and_out(false, [1, 1]));
}

#[test]
fn a_thread_that_gives_in_the_inner_one() {
    explore(|| in_and_out(false, [0, 1]));
}

/// The second pool is new to it.
#[test]
fn a_thread_that_sits_down_in_a_second_pool() {
    explore(|| in_and_out(true, [1, 0]));
}

#[test]
fn leaving_without_a_look_at_the_own_pool_is_caught() {
    let model = "pools::a_thread_that_gives_in_the_inner_one";
    caught(Fault::LeaveUnrenewed, model, FLAG_LOST);
}

#[test]
fn a_demand_that_is_not_kept_is_caught() {
    let model = "pools::a_thread_that_gives_in_the_inner_one";
    caught(Fault::ForgetDemand, model, FLAG_LOST);
}

#[test]
fn raising_by_stores_is_caught() {
    let model = "pools::a_thread_that_gives_in_both";
    caught(
        apart("protocol/attention.rs", "raise", "word.swap("),
        model,
        FLAG_LOST,
    );
}

//! Dormancy: the leader never sleeps while a job is offered, and while it sleeps each thread's next
//! tick offers one.
//!
//! The sleeper, demands, flags and offers (in a ring of one slot) are the real ones. What the
//! leader looks at is that of `Worker::{go_dormant, arm}`. A tick lowers the attention, meets the
//! demand, and wakes the leader if that says so (`promote::{tick_plain, give}`); frames are only
//! counted.

use super::{
    DEADLOCK, FLAG_LOST, Fault, caught, explore, explore_all, give, left_out, planted, relaxed,
    spawn,
};
use crate::protocol::{
    attention::{self, ATTENTION, NO_FRAME},
    demand::Demand,
    dormancy::Sleeper,
    offers::Offers,
    parker::Parker,
    primitive::{AtomicUsize, Ordering},
};
use std::{cell::Cell, ptr, sync::Arc};

const UNKNOWN: &str = "a thread is woken that is not known";
const JOB_LOST: &str = "the leader sleeps and a job is offered";

struct Pool {
    /// Where the leader sits.
    seat: Parker,
    leader: Sleeper,
    members: Vec<Member>,
}

struct Member {
    word: AtomicUsize,
    demand: Demand,
    offers: Offers<u8, 1>,
    job: u8,
}

impl Member {
    /// A seat without a thread.
    fn empty() -> Self {
        Member {
            word: AtomicUsize::new(NO_FRAME),
            demand: Demand::new(0),
            offers: Offers::new(1),
            job: 0,
        }
    }

    fn sit(&self) {
        // SAFETY: no thread has the flag without the word beside it.
        unsafe { self.demand.flag.attach(&raw const self.word) };
    }

    fn job(&self) -> *mut u8 {
        ptr::from_ref(&self.job).cast_mut()
    }

    /// The end of a join whose second half was promoted and that no thread takes.
    fn settle(&self) {
        self.offers.reclaim(0, self.job());
    }
}

impl Pool {
    /// A pool with so many busy threads, which have not been asked for anything lately, and so many
    /// empty seats.
    fn new(busy: usize, empty: usize) -> Arc<Self> {
        let pool = Pool {
            seat: Parker::new(),
            leader: Sleeper::new(),
            members: (0..busy + empty).map(|_| Member::empty()).collect(),
        };
        for member in &pool.members[..busy] {
            member.sit();
            attention::lower(&member.word, NO_FRAME);
            member.demand.take();
        }
        Arc::new(pool)
    }

    /// Up to where the leader sleeps.
    fn go_dormant(&self) -> bool {
        self.arm_early();
        self.leader.enter(|| self.arm(), || self.offered())
    }

    fn sleep(&self) {
        let park = || self.seat.park(None);
        self.arm_early();
        self.leader
            .sleep(|| self.arm(), || self.offered(), || false, park);
    }

    fn arm_early(&self) {
        if planted(Fault::ArmBeforeDormant) {
            self.ask_all();
        }
    }

    fn arm(&self) {
        if !planted(Fault::ArmBeforeDormant) {
            self.ask_all();
        }
    }

    fn ask_all(&self) {
        let seated = self.members.iter().filter(|m| m.demand.flag.is_attached());
        seated.for_each(|member| member.demand.ask(1, 0));
    }

    fn offered(&self) -> bool {
        !planted(Fault::SleepWithoutRescan) && self.members.iter().any(|m| !m.offers.is_empty())
    }

    /// The poll of a join of a thread that has so many frames to give.
    fn poll(&self, member: &Member, frames: u32) {
        if member.word.load(Ordering::Relaxed) == ATTENTION {
            self.tick(member, frames);
        }
    }

    fn tick(&self, member: &Member, frames: u32) {
        attention::lower(&member.word, NO_FRAME);
        if member.demand.asked() == 0 {
            return;
        }
        let left = Cell::new(frames);
        let give = || give(&left, &member.offers, member.job());
        let raise = || attention::raise_own(&member.word);
        let wakes = member.demand.meet(give, raise);
        if wakes == Some(true) && !(planted(Fault::FullWakesNobody) && left.get() == frames) {
            self.wake_dormant();
        }
    }

    fn wake_dormant(&self) {
        if self.leader.wake() {
            self.seat.unpark();
        }
    }

    /// After everything: the leader has gone to sleep if `asleep`.
    fn check(&self, asleep: bool) {
        if !asleep {
            return;
        }
        if !self.leader.is_dormant() {
            // The leader has been woken: its park ends.
            return self.seat.park(None);
        }
        for member in &self.members {
            assert!(member.offers.is_empty(), "{JOB_LOST}");
            if member.demand.flag.is_attached() {
                let up = member.word.load(Ordering::Relaxed) == ATTENTION;
                assert!(up && member.demand.asked() > 0, "{FLAG_LOST}");
            }
        }
    }
}

#[test]
fn a_leader_goes_dormant_beside_a_busy_thread() {
    explore_all(|| {
        let pool = Pool::new(1, 0);
        let leader = spawn(&pool, Pool::go_dormant);
        let me = &pool.members[0];
        pool.poll(me, 1);
        me.settle();
        pool.poll(me, 1);
        pool.check(leader.join().unwrap());
    });
}

/// The thread was asked before, so that it offers a job whatever the leader does.
#[test]
fn an_offer_wakes_or_keeps_awake() {
    explore_all(|| {
        let pool = Pool::new(1, 0);
        let me = &pool.members[0];
        me.demand.ask(1, 0);
        let leader = spawn(&pool, |pool| {
            pool.sleep();
            let offered = pool.members[0].offers.oldest();
            offered.is_some_and(|slot| slot.take().is_some())
        });
        pool.tick(me, 1);
        assert!(leader.join().unwrap(), "the leader woke for nothing");
    });
}

#[test]
fn an_offer_taken_back_leaves_the_flag_up_or_the_leader_awake() {
    explore_all(|| {
        let pool = Pool::new(1, 0);
        let me = &pool.members[0];
        me.demand.ask(1, 0);
        let leader = spawn(&pool, Pool::go_dormant);
        pool.tick(me, 1);
        me.settle();
        pool.check(leader.join().unwrap());
    });
}

#[test]
fn a_thread_without_frames_stays_raised() {
    explore_all(|| {
        let pool = Pool::new(1, 0);
        let leader = spawn(&pool, Pool::go_dormant);
        let me = &pool.members[0];
        pool.poll(me, 0);
        pool.poll(me, 1);
        pool.poll(me, 0);
        me.settle();
        pool.check(leader.join().unwrap());
    });
}

/// A tick that finds all slots full gives nothing and leaves nothing asked for.
#[test]
fn a_thread_with_full_slots_counts_as_one_that_gives() {
    explore_all(|| {
        let pool = Pool::new(1, 0);
        let me = &pool.members[0];
        me.offers.publish(0, me.job(), 0);
        let leader = spawn(&pool, Pool::go_dormant);
        pool.poll(me, 1);
        me.settle();
        pool.check(leader.join().unwrap());
    });
}

#[test]
fn a_leader_goes_dormant_beside_two_busy_threads() {
    explore(|| {
        let pool = Pool::new(2, 0);
        let leader = spawn(&pool, Pool::go_dormant);
        let life = |pool: &Pool, me: usize| {
            let me = &pool.members[me];
            pool.poll(me, 1);
            me.settle();
            pool.poll(me, 1);
        };
        let other = spawn(&pool, move |pool| life(pool, 1));
        life(&pool, 0);
        other.join().unwrap();
        pool.check(leader.join().unwrap());
    });
}

#[test]
fn a_member_that_comes_while_the_leader_goes() {
    explore_all(|| {
        let pool = Pool::new(0, 1);
        let leader = spawn(&pool, Pool::go_dormant);
        let me = &pool.members[0];
        me.sit();
        pool.poll(me, 1);
        me.settle();
        pool.check(leader.join().unwrap());
    });
}

/// What a thread writes before it goes dormant is seen by a thread that ends its dormancy: who it
/// is, for instance (pool/reserve.rs).
#[test]
fn who_wakes_a_thread_knows_it() {
    explore_all(|| {
        let reserve = Arc::new((AtomicUsize::new(0), Sleeper::new()));
        let thread = spawn(&reserve, |(member, sleeper)| {
            member.store(1, Ordering::Relaxed);
            sleeper.enter(|| (), || false);
        });
        let (member, sleeper) = &*reserve;
        if sleeper.wake() {
            assert_eq!(member.load(Ordering::Relaxed), 1, "{UNKNOWN}");
        }
        thread.join().unwrap();
    });
}

#[test]
fn going_dormant_without_release_is_caught() {
    let fault = relaxed("protocol/dormancy.rs", "enter", "self.dormant.store(true");
    caught(fault, "dormancy::who_wakes_a_thread_knows_it", UNKNOWN);
}

#[test]
fn waking_without_acquire_is_caught() {
    let fault = relaxed("protocol/dormancy.rs", "wake", "self.dormant.swap(");
    caught(fault, "dormancy::who_wakes_a_thread_knows_it", UNKNOWN);
}

#[test]
fn sleeping_without_a_second_look_is_caught() {
    let model = "dormancy::an_offer_wakes_or_keeps_awake";
    caught(Fault::SleepWithoutRescan, model, DEADLOCK);
}

#[test]
fn raising_before_saying_so_is_caught() {
    let model = "dormancy::a_leader_goes_dormant_beside_a_busy_thread";
    caught(Fault::ArmBeforeDormant, model, FLAG_LOST);
    let model = "dormancy::a_leader_goes_dormant_beside_two_busy_threads";
    caught(Fault::ArmBeforeDormant, model, FLAG_LOST);
}

#[test]
fn going_dormant_without_fences_is_caught() {
    let model = "dormancy::an_offer_wakes_or_keeps_awake";
    caught(
        left_out("protocol/dormancy.rs", "enter", "fence("),
        model,
        DEADLOCK,
    );
}

#[test]
fn waking_without_a_fence_is_caught() {
    let model = "dormancy::an_offer_wakes_or_keeps_awake";
    caught(
        left_out("protocol/dormancy.rs", "wake", "fence("),
        model,
        DEADLOCK,
    );
}

#[test]
fn full_slots_that_wake_nobody_are_caught() {
    let model = "dormancy::a_thread_with_full_slots_counts_as_one_that_gives";
    caught(Fault::FullWakesNobody, model, FLAG_LOST);
}

#[test]
fn a_new_member_that_is_not_raised_is_caught() {
    let model = "dormancy::a_member_that_comes_while_the_leader_goes";
    caught(
        left_out("protocol/attention.rs", "raise_own", "word.swap("),
        model,
        FLAG_LOST,
    );
}

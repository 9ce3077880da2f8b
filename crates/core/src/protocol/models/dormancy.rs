//! Dormancy: the leader never sleeps while a job is offered, and while it sleeps everybody's next
//! tick offers one.
//!
//! Mirrors the leader: `Worker::{go_dormant, arm}` and `Sleeper::enter`; the busy threads: the
//! poll of a join, `promote::{tick_plain, give}` (a member has one slot here),
//! `Shared::wake_dormant`, the reclaim in `settle::settle`, and `Thread::sit`.

use super::{DEADLOCK, caught, explore, explore_all, spawn};
use crate::{
    fault::{Fault, planted},
    protocol::{
        attention::{self, ATTENTION, Flag, NO_FRAME},
        dormancy::Dormancy,
        parker::Parker,
        slot::Slot,
    },
};
use loom::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::{ptr, sync::Arc};

const FLAG_LOST: &str = "the leader sleeps and a flag is down";
const JOB_LOST: &str = "the leader sleeps and a job is offered";
const NO_LEADER: &str = "a waker does not see the leader";

struct Pool {
    dormancy: Dormancy,
    /// Whether the leader has said who it is.
    leader: AtomicBool,
    parker: Parker,
    members: Vec<Member>,
}

struct Member {
    word: AtomicUsize,
    flag: Flag,
    seated: AtomicBool,
    asked: AtomicU32,
    slot: Slot<u8>,
    job: u8,
}

impl Member {
    /// A seat without a thread.
    fn empty() -> Self {
        Member {
            word: AtomicUsize::new(NO_FRAME),
            flag: Flag::new(),
            seated: AtomicBool::new(false),
            asked: AtomicU32::new(0),
            slot: Slot::new(),
            job: 0,
        }
    }

    fn sit(&self) {
        self.asked.fetch_max(1, Ordering::Relaxed);
        // SAFETY: nobody has the flag without the word beside it.
        unsafe { self.flag.attach(&raw const self.word) };
        self.seated.store(true, Ordering::Release);
        if !planted(Fault::SitUnraised) {
            self.word.store(ATTENTION, Ordering::Relaxed);
        }
    }

    fn job(&self) -> *mut u8 {
        ptr::from_ref(&self.job).cast_mut()
    }

    /// The end of a join whose second half was promoted and that nobody takes.
    fn settle(&self) {
        self.slot.reclaim(self.job());
    }
}

impl Pool {
    /// A pool with so many busy threads, which nobody has asked for anything lately, and so many
    /// empty seats.
    fn new(busy: usize, empty: usize) -> Arc<Self> {
        let pool = Pool {
            dormancy: Dormancy::new(),
            leader: AtomicBool::new(false),
            parker: Parker::new(),
            members: (0..busy + empty).map(|_| Member::empty()).collect(),
        };
        for member in &pool.members[..busy] {
            member.sit();
            member.word.store(NO_FRAME, Ordering::Relaxed);
            member.asked.store(0, Ordering::Relaxed);
        }
        Arc::new(pool)
    }

    /// Up to where the leader sleeps.
    fn go_dormant(&self) -> bool {
        self.leader.store(true, Ordering::Release);
        self.dormancy.enter(|| self.arm(), || self.offered())
    }

    fn sleep(&self) {
        while self.dormancy.is_dormant() {
            self.parker.park(None);
        }
    }

    fn arm(&self) {
        let seated = |m: &&Member| m.seated.load(Ordering::Acquire);
        for member in self.members.iter().filter(seated) {
            member.asked.fetch_max(1, Ordering::Relaxed);
            member.flag.raise();
        }
    }

    fn offered(&self) -> bool {
        self.members.iter().any(|m| !m.slot.is_empty())
    }

    /// The poll of a join of a thread that has so many frames to give.
    fn poll(&self, member: &Member, frames: u32) {
        if member.word.load(Ordering::Relaxed) == ATTENTION {
            self.tick(member, frames);
        }
    }

    fn tick(&self, member: &Member, frames: u32) {
        attention::lower(&member.word, NO_FRAME);
        if member.asked.load(Ordering::Relaxed) == 0 {
            return;
        }
        let asked = member.asked.swap(0, Ordering::Relaxed);
        let mut given = 0;
        let mut full = false;
        while given < asked && given < frames {
            if !member.slot.is_empty() {
                full = true;
                break;
            }
            member.slot.publish(member.job(), 0);
            given += 1;
        }
        if given < asked && !full {
            member.asked.fetch_max(asked - given, Ordering::Relaxed);
            attention::raise_own(&member.word);
        }
        if given > 0 || full && !planted(Fault::FullWakesNobody) {
            self.wake_dormant();
        }
    }

    fn wake_dormant(&self) {
        if self.dormancy.wake() {
            assert!(self.leader.load(Ordering::Acquire), "{NO_LEADER}");
            self.parker.unpark();
        }
    }

    /// After everything: the leader has gone to sleep if `asleep`.
    fn check(&self, asleep: bool) {
        if !asleep {
            return;
        }
        if !self.dormancy.is_dormant() {
            // Somebody has woken the leader: its park ends.
            return self.parker.park(None);
        }
        for member in &self.members {
            assert!(member.slot.is_empty(), "{JOB_LOST}");
            if member.seated.load(Ordering::Relaxed) {
                let up = member.word.load(Ordering::Relaxed) == ATTENTION;
                let asked = member.asked.load(Ordering::Relaxed) > 0;
                assert!(up && asked, "{FLAG_LOST}");
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
        me.asked.fetch_max(1, Ordering::Relaxed);
        me.word.store(ATTENTION, Ordering::Relaxed);
        let leader = spawn(&pool, |pool| {
            if pool.go_dormant() {
                pool.sleep();
            }
            pool.members[0].slot.take().is_some()
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
        me.asked.fetch_max(1, Ordering::Relaxed);
        me.word.store(ATTENTION, Ordering::Relaxed);
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
        me.slot.publish(me.job(), 0);
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
    caught(Fault::DormantWithoutFences, model, DEADLOCK);
}

#[test]
fn waking_without_a_fence_is_caught() {
    let model = "dormancy::an_offer_wakes_or_keeps_awake";
    caught(Fault::WakeWithoutFence, model, DEADLOCK);
}

#[test]
fn going_dormant_without_release_is_caught() {
    let model = "dormancy::an_offer_wakes_or_keeps_awake";
    caught(Fault::DormantRelaxed, model, NO_LEADER);
}

#[test]
fn full_slots_that_wake_nobody_are_caught() {
    let model = "dormancy::a_thread_with_full_slots_counts_as_one_that_gives";
    caught(Fault::FullWakesNobody, model, FLAG_LOST);
}

#[test]
fn a_new_member_that_is_not_raised_is_caught() {
    let model = "dormancy::a_member_that_comes_while_the_leader_goes";
    caught(Fault::SitUnraised, model, FLAG_LOST);
}

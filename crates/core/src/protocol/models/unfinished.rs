//! The end of the last task of a pool that has been dropped: it is seen, and no earlier one.
//!
//! The counts are the real ones. Mirrors `Shared::{drop_handle, end_after_tasks, begin_step}` and
//! `Link::end_task` (pool/ending.rs, pool/queues.rs).

use super::{Fault, caught, explore, explore_all, left_out, relaxed, spawn};
use crate::protocol::{
    primitive::fence,
    unfinished::{Closing, Unfinished},
};
use loom::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, atomic};

const FILE: &str = "protocol/unfinished.rs";
const EARLY: &str = "it ends before its tasks";

/// A pool of two members.
#[derive(Default)]
struct Pool {
    members: [Unfinished; 2],
    closing: Closing,
    ended: AtomicUsize,
    /// The tasks that are unfinished, in this interleaving. Loom knows nothing of it.
    unfinished: atomic::AtomicUsize,
}

impl Pool {
    fn begin(&self, member: usize) {
        self.unfinished.fetch_add(1, atomic::Ordering::SeqCst);
        self.members[member].begin();
    }

    /// Ends a task that has begun at this member.
    fn end(&self, member: usize) {
        self.unfinished.fetch_sub(1, atomic::Ordering::SeqCst);
        self.count_end(member);
    }

    fn drop_handle(&self) {
        self.members.iter().for_each(Unfinished::mark);
        fence(Ordering::SeqCst);
        self.look();
    }

    /// A thread outside wakes a future, and another one runs its step.
    fn wake(&self, member: usize) {
        self.members[member].begin();
        if !self.closing.is_closed(|| true) {
            self.unfinished.fetch_add(1, atomic::Ordering::SeqCst);
            // It wakes another one.
            self.members[member].begin();
            assert!(!self.closing.is_closed(|| true), "{EARLY}");
            assert_eq!(self.ended.load(Ordering::Relaxed), 0, "{EARLY}");
            self.unfinished.fetch_sub(1, atomic::Ordering::SeqCst);
            self.count_end(member);
        }
        self.count_end(member);
    }

    fn count_end(&self, member: usize) {
        if self.members[member].end() {
            self.look();
        }
    }

    fn look(&self) {
        if self.closing.close(|| self.members.iter()) {
            let left = self.unfinished.load(atomic::Ordering::SeqCst);
            assert_eq!(left, 0, "{EARLY}");
            self.ended.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn has_ended(&self) {
        assert!(self.ended.load(Ordering::Relaxed) > 0, "it does not end");
    }
}

/// Two tasks of different members end, while the pool is dropped.
#[test]
fn the_last_end_is_seen() {
    explore(|| {
        let pool = Arc::new(Pool::default());
        (0..2).for_each(|member| pool.begin(member));
        let others = [0, 1].map(|member| spawn(&pool, move |pool| pool.end(member)));
        pool.drop_handle();
        others.into_iter().for_each(|other| other.join().unwrap());
        pool.has_ended();
    });
}

/// A task of one member spawns another at the other one, where a third thread takes it.
#[test]
fn a_task_that_spawns_is_not_the_last() {
    explore(|| {
        let pool = Arc::new(Pool::default());
        pool.begin(0);
        let shared = Arc::clone(&pool);
        let task = spawn(&pool, move |pool| {
            pool.begin(1);
            let spawned = spawn(&shared, |pool| pool.end(1));
            pool.end(0);
            spawned.join().unwrap();
        });
        pool.drop_handle();
        task.join().unwrap();
        pool.has_ended();
    });
}

/// A future is woken while the pool closes.
#[test]
fn what_is_woken_has_its_threads() {
    explore_all(|| {
        let pool = Arc::new(Pool::default());
        let waker = spawn(&pool, |pool| pool.wake(1));
        pool.drop_handle();
        waker.join().unwrap();
        pool.has_ended();
    });
}

fn is_missed(fault: Fault) {
    caught(fault, "unfinished::the_last_end_is_seen", "it does not end");
}

fn is_early(fault: Fault) {
    let model = "unfinished::a_task_that_spawns_is_not_the_last";
    caught(fault, model, EARLY);
}

#[test]
fn an_end_without_a_fence_is_caught() {
    is_missed(left_out(FILE, "end", "fence("));
}

#[test]
fn an_end_that_releases_nothing_is_caught() {
    is_early(relaxed(FILE, "end", "fetch_add("));
}

fn is_late(fault: Fault) {
    let model = "unfinished::what_is_woken_has_its_threads";
    caught(fault, model, EARLY);
}

#[test]
fn a_waker_without_a_fence_is_caught() {
    is_late(left_out(FILE, "is_closed", "fence("));
}

#[test]
fn a_close_without_a_fence_is_caught() {
    is_late(left_out(FILE, "close", "fence("));
}

#[test]
fn a_pool_that_marks_nothing_is_caught() {
    is_missed(left_out(FILE, "mark", "fetch_or("));
}

//! The biased lock: one thread at a time is inside, and sees what the last has left. The lock is
//! the real one.

use super::{Fault, RACE, caught, explore_all, left_out, relaxed, spawn};
use crate::protocol::biased_lock::BiasedLock;
use std::sync::Arc;

const FILE: &str = "protocol/biased_lock.rs";
const MODEL: &str = "biased_lock::one_thread_at_a_time_is_inside";

fn count(lock: &BiasedLock<u32>) {
    lock.with(|count| *count += 1);
}

/// An owner comes twice, and another thread.
#[test]
fn one_thread_at_a_time_is_inside() {
    explore_all(|| {
        let lock = Arc::new(BiasedLock::new(0));
        let other = spawn(&lock, count);
        count(&lock);
        count(&lock);
        other.join().unwrap();
        assert_eq!(lock.with(|count| *count), 3);
    });
}

/// Two threads come first.
#[test]
fn one_of_two_becomes_the_owner() {
    explore_all(|| {
        let lock = Arc::new(BiasedLock::unowned(0));
        let others = [0; 2].map(|_| spawn(&lock, |lock| [(); 2].map(|()| count(lock))));
        for other in others {
            other.join().unwrap();
        }
        assert_eq!(lock.with(|count| *count), 4);
    });
}

fn is_race(fault: Fault) {
    caught(fault, MODEL, RACE);
}

#[test]
fn an_owner_without_a_fence_is_caught() {
    is_race(left_out(FILE, "enter", "fence("));
}

#[test]
fn another_thread_without_a_fence_is_caught() {
    is_race(left_out(FILE, "with_mutex", "fence("));
}

#[test]
fn an_owner_that_enters_unseen_is_caught() {
    is_race(left_out(FILE, "enter", "store(true"));
}

#[test]
fn another_thread_that_does_not_stop_the_owner_is_caught() {
    is_race(left_out(FILE, "with_mutex", "store(true"));
}

#[test]
fn an_owner_that_does_not_acquire_is_caught() {
    is_race(relaxed(FILE, "enter", "stopped.load("));
}

#[test]
fn another_thread_that_does_not_acquire_is_caught() {
    is_race(relaxed(FILE, "with_mutex", "inside.load("));
}

#[test]
fn an_owner_that_does_not_release_is_caught() {
    is_race(relaxed(FILE, "with", "store(false"));
}

#[test]
fn another_thread_that_does_not_release_is_caught() {
    is_race(relaxed(FILE, "with_mutex", "store(false"));
}

#[test]
fn an_owner_that_stays_inside_is_caught() {
    let fault = left_out(FILE, "enter", "store(false");
    caught(fault, MODEL, "exceeded maximum number of branches");
}

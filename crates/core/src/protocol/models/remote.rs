//! Remote promotion: of the owner and the thread in its place one at a time uses a frame and the
//! records. What uses them is real, the frame is a number, and so are the records.

use super::{RACE, caught, explore_all, left_out, relaxed, spawn};
use crate::protocol::{
    attention::{ATTENTION, NO_FRAME},
    primitive::{AtomicUsize, Ordering, UnsafeCell, heavy_barrier, light_barrier},
    remote::Remote,
};
use std::sync::Arc;

const FILE: &str = "protocol/remote.rs";
const FRAMES: &str = "remote::a_frame_is_used_by_one_thread_at_a_time";
const TICK: &str = "remote::a_tick_hides_nothing";
const RECORDS: &str = "remote::records_are_used_by_one_thread_at_a_time";

struct Owner {
    remote: Remote,
    word: AtomicUsize,
    /// The frame, or none.
    tail: AtomicUsize,
    frame: UnsafeCell<u32>,
    records: UnsafeCell<u32>,
}

// SAFETY: the cells are loom's, which finds races.
unsafe impl Sync for Owner {}
// SAFETY: the same.
unsafe impl Send for Owner {}

fn owner() -> Arc<Owner> {
    Arc::new(Owner {
        remote: Remote::default(),
        word: AtomicUsize::new(NO_FRAME),
        tail: AtomicUsize::new(0),
        frame: UnsafeCell::new(0),
        records: UnsafeCell::new(0),
    })
}

fn write(cell: &UnsafeCell<u32>) {
    // SAFETY: alone, or loom says so.
    cell.with_mut(|number| unsafe { *number += 1 });
}

/// A tick that has nothing to give, as in promote.rs.
fn tick(owner: &Owner) {
    let _cold = owner.remote.begin_cold();
    owner.remote.lower(&owner.word, NO_FRAME);
}

/// A join, as in hot_path.rs and word.rs.
fn join(owner: &Owner) {
    write(&owner.frame);
    light_barrier();
    owner.tail.store(1, Ordering::Relaxed);
    owner.tail.store(0, Ordering::Relaxed);
    light_barrier();
    if owner.word.load(Ordering::Relaxed) == ATTENTION {
        owner.remote.pass();
    }
    write(&owner.frame);
}

/// As in promote.rs and thread.rs.
fn promote(owner: &Owner) {
    owner.remote.stand_in(&owner.word, || {
        let tail = owner.tail.load(Ordering::Relaxed);
        heavy_barrier();
        if tail == 1 {
            write(&owner.frame);
        }
        write(&owner.records);
    });
}

#[test]
fn a_frame_is_used_by_one_thread_at_a_time() {
    explore_all(|| {
        let owner = owner();
        let other = spawn(&owner, promote);
        join(&owner);
        other.join().unwrap();
    });
}

#[test]
fn a_tick_hides_nothing() {
    explore_all(|| {
        let owner = owner();
        let other = spawn(&owner, promote);
        tick(&owner);
        join(&owner);
        other.join().unwrap();
    });
}

#[test]
fn a_tick_that_does_not_wait_is_caught() {
    caught(
        relaxed("protocol/attention.rs", "lower", "swap("),
        TICK,
        RACE,
    );
}

#[test]
fn records_are_used_by_one_thread_at_a_time() {
    explore_all(|| {
        let owner = owner();
        let other = spawn(&owner, promote);
        for _ in 0..2 {
            let _cold = owner.remote.begin_cold();
            write(&owner.records);
        }
        other.join().unwrap();
    });
}

#[test]
fn an_owner_that_does_not_wait_is_caught() {
    caught(relaxed(FILE, "pass", "by.load("), FRAMES, RACE);
}

#[test]
fn an_owner_that_comes_unseen_is_caught() {
    caught(left_out(FILE, "begin_cold", "store(true"), RECORDS, RACE);
}

#[test]
fn an_owner_without_a_barrier_is_caught() {
    caught(
        left_out(FILE, "begin_cold", "light_barrier("),
        RECORDS,
        RACE,
    );
}

#[test]
fn another_thread_without_a_barrier_is_caught() {
    for model in [FRAMES, RECORDS] {
        caught(left_out(FILE, "stand_in", "heavy_barrier("), model, RACE);
    }
}

#[test]
fn an_owner_that_does_not_release_is_caught() {
    caught(relaxed(FILE, "drop", "store(self.before"), RECORDS, RACE);
}

#[test]
fn another_thread_that_does_not_release_is_caught() {
    caught(relaxed(FILE, "stand_in", "store(0"), RECORDS, RACE);
}

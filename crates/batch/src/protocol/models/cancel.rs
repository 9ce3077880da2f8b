//! Futures that are dropped before they are ready: in whichever state their operation is, it is
//! carried out once or not at all, and no thread touches the record afterwards.

use super::{
    DEADLOCK, Fault, RACE, Seen, apart, caught, explore, left_out, spawn,
    world::{Found, World, submit},
};
use std::array;

/// What was found in the interleavings.
struct Finds([Seen; 4]);

impl Finds {
    fn new() -> (Self, [Seen; 4]) {
        let seen: [Seen; 4] = array::from_fn(|_| Seen::default());
        (Finds(seen.clone()), seen)
    }

    fn assert(&self, states: &[Found]) {
        for &found in states {
            self.0[found as usize].assert(&format!("given up, found {found:?}"));
        }
    }
}

const STATES: &[Found] = &[
    Found::Forming,
    Found::Taken,
    Found::BeingAnswered,
    Found::Done,
];

#[test]
fn before_the_task() {
    let (finds, seen) = Finds::new();
    explore(move || {
        let world = World::new();
        let found = submit(&world, 0).give_up();
        seen[found as usize].note(true);
        world.audit([found.times(), 0, 0, 0]);
    });
    finds.assert(STATES);
}

/// The batch may be led by the caller or by the task.
#[test]
fn beside_a_caller() {
    let (finds, seen) = Finds::new();
    explore(move || {
        let world = World::new();
        let other = spawn(&world, |world| {
            world.apply_with_others(1);
        });
        let found = submit(&world, 0).give_up();
        seen[found as usize].note(true);
        other.join().unwrap();
        world.audit([found.times(), 1, 0, 0]);
    });
    finds.assert(STATES);
}

/// The other request moves up when the batch is taken.
#[test]
fn the_first_of_two() {
    let (finds, seen) = Finds::new();
    explore(move || {
        let world = World::new();
        let first = submit(&world, 0);
        let second = submit(&world, 1);
        let found = first.give_up();
        seen[found as usize].note(true);
        second.settle();
        world.audit([found.times(), 1, 0, 0]);
    });
    finds.assert(STATES);
}

/// Of the second it is known in which place it is now.
#[test]
fn both() {
    let (finds, seen) = Finds::new();
    explore(move || {
        let world = World::new();
        let [first, second] = [submit(&world, 0), submit(&world, 1)];
        let [first, second] = [first.give_up(), second.give_up()];
        seen[second as usize].note(first == Found::Forming);
        world.audit([first.times(), second.times(), 0, 0]);
    });
    finds.assert(STATES);
}

/// The first may move the second.
#[test]
fn both_at_once() {
    let (finds, seen) = Finds::new();
    explore(move || {
        let world = World::new();
        let other = spawn(&world, |world| submit(world, 0).give_up());
        let found = submit(&world, 1).give_up();
        seen[found as usize].note(true);
        let other = other.join().unwrap();
        world.audit([other.times(), found.times(), 0, 0]);
    });
    finds.assert(STATES);
}

#[test]
fn going_without_taking_back_is_caught() {
    caught(Fault::GoWithoutTakingBack, "cancel::before_the_task", RACE);
}

#[test]
fn not_looking_at_what_was_taken_is_caught() {
    caught(Fault::TakeBackBlindly, "cancel::before_the_task", RACE);
}

#[test]
fn not_waiting_for_the_answer_is_caught() {
    let model = "cancel::before_the_task";
    caught(Fault::TakeBackWithoutWaiting, model, RACE);
}

#[test]
fn emptying_by_look_and_store_is_caught() {
    caught(
        apart("protocol/gate.rs", "answer", "slot.swap("),
        "cancel::before_the_task",
        RACE,
    );
}

#[test]
fn a_moved_request_that_keeps_its_index_is_caught() {
    caught(Fault::MovedKeepsIndex, "cancel::the_first_of_two", DEADLOCK);
}

#[test]
fn a_moved_record_that_is_not_told_is_caught() {
    caught(
        left_out("protocol/gate.rs", "close_gaps", "record.index.store("),
        "cancel::both",
        "index",
    );
}

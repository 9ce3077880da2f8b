//! Reads side by side, against leaders of each kind: a leader waits for those that are there, and
//! none comes in while it leads.

use super::{
    Fault, RACE, Seen, caught, explore, explore_all, relaxed, spawn,
    world::{Pool, World, submit},
};
use crate::protocol::turns::Turns;

#[test]
fn a_read_against_an_operation() {
    let [before, after, refused] = [Seen::default(), Seen::default(), Seen::default()];
    let seen = [before.clone(), after.clone(), refused.clone()];
    explore_all(move || {
        let world = World::new();
        let other = spawn(&world, |world| world.apply(0));
        let read = world.read(0);
        seen[0].note(read == Some(0));
        seen[1].note(read == Some(1));
        seen[2].note(read.is_none());
        other.join().unwrap();
        world.audit([1, 0, 0, 0]);
    });
    before.assert("the read was first");
    after.assert("the operation was first");
    refused.assert("the read has met a leader");
}

#[test]
fn two_reads_against_an_operation_that_is_entered() {
    explore(|| {
        let world = World::new();
        let others = [
            spawn(&world, |world| {
                world.read(0);
            }),
            spawn(&world, |world| world.apply_with_others(0)),
        ];
        world.read(0);
        others.into_iter().for_each(|t| t.join().unwrap());
        assert_eq!(world.read(0), Some(1), "reads have left the word as it was");
        world.audit([1, 0, 0, 0]);
    });
}

#[test]
fn a_read_against_claims() {
    explore(|| {
        let world = World::new();
        let others = [
            spawn(&world, |world| world.exclusively(0)),
            spawn(&world, |world| world.exclusively(1)),
        ];
        world.read(0);
        others.into_iter().for_each(|t| {
            t.join().unwrap();
        });
        world.audit([1, 1, 0, 0]);
    });
}

#[test]
fn a_read_against_a_task_that_leads() {
    explore(|| {
        let world = World::new();
        let other = spawn(&world, |world| world.read(0));
        submit(&world, 0).settle();
        other.join().unwrap();
        world.audit([1, 0, 0, 0]);
    });
}

/// No thread runs the task that is to lead, and a read drops it with its pool: others may have led
/// meanwhile.
#[test]
fn a_read_that_abandons_a_task() {
    let [led, not_needed] = [Seen::default(), Seen::default()];
    let seen = [led.clone(), not_needed.clone()];
    explore(move || {
        let world = World::with_pool(Pool::Stuck);
        let future = submit(&world, 0);
        let other = spawn(&world, |world| world.apply(1));
        if let Some(times) = world.read_and_abandon(0) {
            seen[0].note(times == 0);
            seen[1].note(times == 1);
        } else {
            world.abandon_tasks();
        }
        other.join().unwrap();
        future.settle();
        world.audit([1, 1, 0, 0]);
    });
    led.assert("the read was before the operation");
    not_needed.assert("another thread has led");
}

#[test]
fn a_read_that_does_not_lead_what_it_abandons_is_caught() {
    let model = "reads::a_read_that_abandons_a_task";
    // Where another thread has led before, all that is left is `SCHEDULED`.
    caught(Fault::AbandonedForgotten, model, "not free");
}

#[test]
fn a_read_that_does_not_acquire_is_caught() {
    let model = "reads::a_read_against_an_operation";
    caught(
        relaxed("protocol/gate/reads.rs", "try_read", ".compare_exchange("),
        model,
        RACE,
    );
}

#[test]
fn a_read_beside_a_leader_is_caught() {
    let model = "reads::a_read_against_an_operation";
    caught(Fault::ReadDespiteLeader, model, RACE);
}

#[test]
fn a_read_that_goes_without_release_is_caught() {
    let model = "reads::a_read_against_an_operation";
    caught(
        relaxed("protocol/gate/reads.rs", "end_read", "self.word.fetch_sub("),
        model,
        RACE,
    );
}

#[test]
fn a_leader_that_does_not_wait_for_reads_is_caught() {
    let model = "reads::a_read_against_a_task_that_leads";
    caught(Fault::NotDrained, model, RACE);
}

#[test]
fn a_leader_that_waits_without_acquire_is_caught() {
    let model = "reads::a_read_against_an_operation";
    caught(
        relaxed("protocol/gate/reads.rs", "drain", "self.word.load("),
        model,
        RACE,
    );
}

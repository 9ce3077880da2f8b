//! Blocking callers: one leader at a time, each operation carried out once, no operation forgotten
//! or left asleep.

use super::{
    DEADLOCK, Fault, RACE, Seen, apart, caught, explore, explore_all, relaxed, spawn, world::World,
};

#[test]
fn two_begin_by_themselves() {
    explore_all(|| {
        let world = World::new();
        let other = spawn(&world, |world| world.apply(0));
        world.apply(1);
        other.join().unwrap();
        world.audit([1, 1, 0, 0]);
    });
}

/// The other enters although the structure may have become free.
#[test]
fn one_begins_and_one_enters() {
    explore_all(|| {
        let world = World::new();
        let other = spawn(&world, |world| {
            world.apply_with_others(0);
        });
        world.apply(1);
        other.join().unwrap();
        world.audit([1, 1, 0, 0]);
    });
}

#[test]
fn the_leader_appoints_the_next() {
    let appointed = Seen::default();
    let seen = appointed.clone();
    explore(move || {
        let world = World::new();
        let other = spawn(&world, |world| world.apply_with_others(0));
        world.apply_with_others(1);
        other.join().unwrap();
        seen.note(world.appointed() > 0);
        world.audit([1, 1, 0, 0]);
    });
    appointed.assert("one has been appointed");
}

#[test]
fn three_callers() {
    explore(|| {
        let world = World::new();
        let others = [
            spawn(&world, |world| {
                world.apply_with_others(0);
            }),
            spawn(&world, |world| {
                world.apply_with_others(1);
            }),
        ];
        world.apply(2);
        others.into_iter().for_each(|t| t.join().unwrap());
        world.audit([1, 1, 1, 0]);
    });
}

#[test]
fn beginning_without_acquire_is_caught() {
    let model = "turns::two_begin_by_themselves";
    let fault = relaxed("protocol/gate/reads.rs", "try_begin", ".compare_exchange(");
    caught(fault, model, RACE);
}

#[test]
fn ending_without_release_is_caught() {
    let model = "turns::two_begin_by_themselves";
    caught(
        relaxed("protocol/gate/reads.rs", "try_end", ".compare_exchange("),
        model,
        RACE,
    );
}

#[test]
fn ending_by_look_and_store_is_caught() {
    let model = "turns::one_begins_and_one_enters";
    caught(
        apart("protocol/gate/reads.rs", "try_end", ".compare_exchange("),
        model,
        DEADLOCK,
    );
}

#[test]
fn entering_without_pending_is_caught() {
    let model = "turns::one_begins_and_one_enters";
    caught(Fault::PendingSkipped, model, DEADLOCK);
}

#[test]
fn leaving_without_the_lock_is_caught() {
    let model = "turns::the_leader_appoints_the_next";
    caught(Fault::FreeUnlocked, model, DEADLOCK);
}

#[test]
fn freeing_without_release_is_caught() {
    let model = "turns::one_begins_and_one_enters";
    caught(
        relaxed("protocol/gate.rs", "leave", "self.word.fetch_and(SCHEDULED"),
        model,
        RACE,
    );
}

#[test]
fn appointing_and_freeing_is_caught() {
    // Before anything else, two take batches at once.
    caught(
        Fault::FreeAndPassOn,
        "turns::three_callers",
        "taken.is_empty()",
    );
}

#[test]
fn appointing_a_caller_of_the_last_batch_is_caught() {
    let model = "turns::the_leader_appoints_the_next";
    caught(Fault::BlockingKept, model, "no other thread's");
}

#[test]
fn appointing_without_waking_is_caught() {
    let model = "turns::the_leader_appoints_the_next";
    caught(Fault::LeaveNextAsleep, model, DEADLOCK);
}

#[test]
fn answering_without_waking_is_caught() {
    let model = "turns::one_begins_and_one_enters";
    caught(Fault::AnswerWakesNobody, model, DEADLOCK);
}

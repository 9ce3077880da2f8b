//! Callers that want the structure for themselves, among each other and against batches.

use super::{
    DEADLOCK, Fault, Seen, caught, explore, explore_all, explore_large, spawn,
    world::{World, submit},
};

#[test]
fn two_claims() {
    let waited = Seen::default();
    let seen = waited.clone();
    explore_all(move || {
        let world = World::new();
        let other = spawn(&world, |world| world.exclusively(0));
        let here = world.exclusively(1);
        seen.note(other.join().unwrap() || here);
        world.audit([1, 1, 0, 0]);
    });
    waited.assert("a claim has waited");
}

#[test]
fn a_claim_against_a_batch() {
    let [waited, appointed] = [Seen::default(), Seen::default()];
    let seen = [waited.clone(), appointed.clone()];
    explore(move || {
        let world = World::new();
        let other = spawn(&world, |world| world.exclusively(0));
        world.apply_with_others(1);
        let claims = usize::from(other.join().unwrap());
        seen[0].note(claims > 0);
        seen[1].note(world.appointed() > claims);
        world.audit([1, 1, 0, 0]);
    });
    waited.assert("the claim has waited");
    appointed.assert("the claim has appointed the caller");
}

/// Claims and batches take turns.
#[test]
fn three_claims_against_a_batch() {
    explore_large(|| {
        let world = World::new();
        let others = [
            spawn(&world, |world| {
                world.exclusively(0);
                world.exclusively(1);
            }),
            spawn(&world, |world| {
                world.exclusively(2);
            }),
        ];
        world.apply_with_others(3);
        others.into_iter().for_each(|t| t.join().unwrap());
        world.audit([1; 4]);
    });
}

/// Claims that find no leader pass no batch by either.
#[test]
fn two_claims_against_a_future() {
    explore(|| {
        let world = World::new();
        let other = spawn(&world, |world| {
            world.exclusively(0);
            world.exclusively(1);
        });
        submit(&world, 2).settle();
        other.join().unwrap();
        world.audit([1, 1, 1, 0]);
    });
}

#[test]
fn a_claim_without_pending_is_caught() {
    let model = "claims::two_claims";
    caught(Fault::PendingSkipped, model, DEADLOCK);
}

#[test]
fn a_claim_that_passes_a_batch_by_is_caught() {
    let model = "claims::two_claims_against_a_future";
    caught(Fault::ClaimPassesBy, model, "waits for two turns");
}

#[test]
fn a_claim_before_its_turn_is_caught() {
    let model = "claims::three_claims_against_a_batch";
    caught(Fault::ClaimsGoFirst, model, "waits for two turns");
}

#[test]
fn a_claim_that_is_not_queued_is_caught() {
    caught(Fault::ClaimNotQueued, "claims::two_claims", DEADLOCK);
}

//! Operations that futures wait for: a task leads if no thread does, and the last waker is woken.

use super::{
    DEADLOCK, Fault, Seen, caught, explore, explore_large, left_out, spawn,
    world::{Pool, Submitted, World, submit},
};

#[test]
fn one_operation() {
    explore(|| {
        let world = World::new();
        submit(&world, 0).settle();
        world.audit([1, 0, 0, 0]);
    });
}

/// The future is polled again: only the waker of that poll counts.
#[test]
fn another_waker() {
    let again = Seen::default();
    let seen = again.clone();
    explore(move || {
        let world = World::new();
        let mut future = submit(&world, 0);
        let pending = !future.poll_elsewhere();
        seen.note(pending);
        if pending {
            future.settle();
        } else {
            future.give_up();
        }
        world.audit([1, 0, 0, 0]);
    });
    again.assert("the waker has been replaced");
}

#[test]
fn one_after_the_other() {
    explore(|| {
        let world = World::new();
        submit(&world, 0).settle();
        submit(&world, 1).settle();
        world.audit([1, 1, 0, 0]);
    });
}

#[test]
fn two_futures() {
    explore_large(|| {
        let world = World::new();
        let other = spawn(&world, |world| submit(world, 0).settle());
        submit(&world, 1).settle();
        other.join().unwrap();
        world.audit([1, 1, 0, 0]);
    });
}

/// The task and the caller may find each other leading.
#[test]
fn a_future_and_a_caller() {
    explore(|| {
        let world = World::new();
        let other = spawn(&world, |world| submit(world, 0).settle());
        world.apply(1);
        other.join().unwrap();
        world.audit([1, 1, 0, 0]);
    });
}

#[test]
fn a_future_and_a_claim() {
    explore(|| {
        let world = World::new();
        let other = spawn(&world, |world| submit(world, 0).settle());
        world.exclusively(1);
        other.join().unwrap();
        world.audit([1, 1, 0, 0]);
    });
}

/// The second may be left to the task of the first.
#[test]
fn two_futures_and_a_caller() {
    explore_large(|| {
        let world = World::new();
        let other = spawn(&world, |world| world.apply_with_others(2));
        let futures = [submit(&world, 0), submit(&world, 1)];
        futures.into_iter().for_each(Submitted::settle);
        other.join().unwrap();
        world.audit([1, 1, 1, 0]);
    });
}

/// Tasks cannot be queued any more: a thread that enters leads, if none does.
#[test]
fn without_a_pool() {
    explore(|| {
        let world = World::with_pool(Pool::Ended);
        let other = spawn(&world, |world| submit(world, 0).settle());
        submit(&world, 1).settle();
        other.join().unwrap();
        world.audit([1, 1, 0, 0]);
    });
}

#[test]
fn keeping_scheduled_is_caught() {
    let model = "submitted::one_after_the_other";
    caught(
        left_out(
            "protocol/gate.rs",
            "begin_scheduled",
            "self.word.fetch_and(",
        ),
        model,
        DEADLOCK,
    );
}

#[test]
fn looking_without_the_lock_is_caught() {
    let model = "submitted::two_futures_and_a_caller";
    caught(Fault::ScheduledByLooking, model, DEADLOCK);
}

#[test]
fn leaving_without_a_task_is_caught() {
    let model = "submitted::two_futures_and_a_caller";
    caught(Fault::LeaveUnscheduled, model, DEADLOCK);
}

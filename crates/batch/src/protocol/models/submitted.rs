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

/// A poll carries out its own operation, and leaves to a task what has been entered meanwhile.
#[test]
fn a_poll_that_finds_it_free_and_a_future() {
    explore(|| {
        let world = World::new();
        let other = spawn(&world, |world| submit(world, 0).settle());
        let at_once = world.apply_at_once(1);
        other.join().unwrap();
        world.audit([1, usize::from(at_once), 0, 0]);
    });
}

/// It appoints a caller that has entered meanwhile.
#[test]
fn a_poll_that_finds_it_free_and_a_caller() {
    let appointed = Seen::default();
    let seen = appointed.clone();
    explore(move || {
        let world = World::new();
        let other = spawn(&world, |world| world.apply_with_others(0));
        let at_once = world.apply_at_once(1);
        other.join().unwrap();
        seen.note(world.appointed() > 0);
        world.audit([1, usize::from(at_once), 0, 0]);
    });
    appointed.assert("the caller has been appointed");
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
    let models = [
        "two_futures_and_a_caller",
        "a_poll_that_finds_it_free_and_a_future",
    ];
    for model in models {
        let model = format!("submitted::{model}");
        caught(Fault::LeaveUnscheduled, &model, DEADLOCK);
    }
}

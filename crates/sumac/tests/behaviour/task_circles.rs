//! Tasks that wait for each other in a circle: who would close it is told so, and the others go on.

use std::{
    hint,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::SeqCst},
        mpsc,
    },
    thread,
};

use sumac::{Promise, ThreadPool};
use sumac_test_support::{LONG, pool, rounds, text, within};

/// What a task does with the promise of the one before it.
type Join = fn(Promise<()>);

fn join(promise: Promise<()>) {
    promise.join();
}

fn join_in_a_half(promise: Promise<()>) {
    sumac::join(|| promise.join(), || ());
}

fn join_in_a_scope(promise: Promise<()>) {
    sumac::scope(|s| s.spawn(move |_| promise.join()));
}

/// On a worker if there is one that is free.
fn join_in_another_task(promise: Promise<()>) {
    sumac::spawn(move || promise.join()).join();
}

/// Spawns a task for each of `joins`, which joins the one before; the first joins the last.
fn close(pool: &ThreadPool, joins: &[Join]) -> usize {
    let told = Arc::new(AtomicUsize::new(0));
    let to_come = Arc::new(AtomicUsize::new(joins.len()));
    let ended = mpsc::channel();
    let (senders, promises): (Vec<_>, Vec<_>) = joins
        .iter()
        .map(|&join| {
            let (send, receive) = mpsc::channel::<Promise<()>>();
            let (told, to_come) = (Arc::clone(&told), Arc::clone(&to_come));
            let ended = ended.0.clone();
            let promise = pool.spawn(move || {
                let before = receive.recv().expect("a promise");
                // At once, if there are processors for it.
                to_come.fetch_sub(1, SeqCst);
                for look in 0.. {
                    match to_come.load(SeqCst) {
                        0 => break,
                        _ if look % 1_000 < 999 => hint::spin_loop(),
                        _ => thread::yield_now(),
                    }
                }
                if let Err(payload) = catch_unwind(AssertUnwindSafe(|| join(before))) {
                    assert_eq!(text(&*payload), "a task waits for itself");
                    told.fetch_add(1, SeqCst);
                }
                let _ = ended.send(());
            });
            (send, promise)
        })
        .unzip();
    for (send, promise) in senders.iter().cycle().skip(1).zip(promises) {
        send.send(promise).expect("the task waits");
    }
    for _ in joins {
        ended.1.recv_timeout(LONG / 2).expect("a task hangs");
    }
    told.load(SeqCst)
}

/// In a pool where each task has a worker, and one more has.
#[track_caller]
fn assert_told(what: &str, most: usize, joins: &'static [Join]) {
    within(LONG, what, move || {
        let pool = pool(joins.len() + 2);
        for round in rounds(if cfg!(miri) { 3 } else { most }) {
            assert_eq!(close(&pool, joins), 1, "round {round}");
        }
    });
}

#[test]
fn of_two() {
    assert_told("two", 6_000, &[join, join]);
}

#[test]
fn of_three() {
    assert_told("three", 2_000, &[join, join, join]);
}

#[test]
fn through_halves_of_joins() {
    assert_told("halves", 1_000, &[join_in_a_half, join, join_in_a_half]);
}

#[test]
fn through_scopes() {
    assert_told("scopes", 1_000, &[join_in_a_scope, join, join_in_a_scope]);
}

#[test]
fn through_other_tasks() {
    assert_told("others", 1_000, &[join_in_another_task, join]);
}

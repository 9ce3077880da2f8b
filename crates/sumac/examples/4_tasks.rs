//! Tasks: a scope whose tasks borrow from the stack, promises, and how to stop early.
//!
//!     cargo run --release -p sumac --example 4_tasks

use std::sync::atomic::{AtomicUsize, Ordering};
use sumac::{CancelToken, prelude::*};

fn main() {
    // A scope waits for all tasks that were spawned in it, by them too; so they may borrow.
    let mut columns = [0_u64; 4];
    sumac::scope(|s| {
        for (i, column) in columns.iter_mut().enumerate() {
            s.spawn(move |_| *column = (0..=1_000).map(|n| n * (i as u64 + 1)).sum());
        }
    });
    assert_eq!(columns, [500_500, 1_001_000, 1_501_500, 2_002_000]);

    // A promise is a task's result to come: to be joined, awaited, cancelled, or dropped.
    let answer = sumac::spawn(|| 6 * 7);
    let doubled = sumac::spawn_async(async { answer.await * 2 });
    assert_eq!(doubled.join(), 84);

    // A token stops a loop at its next block.
    let token = CancelToken::new();
    let tried = AtomicUsize::new(0);
    (0..10_000_000)
        .into_par_iter()
        .until_cancelled(&token)
        .for_each(|i: usize| {
            tried.fetch_add(1, Ordering::Relaxed);
            if i == 1_000 {
                token.cancel();
            }
        });
    let tried = tried.into_inner();
    assert!(tried < 10_000_000);
    println!("{columns:?}, stopped after {tried} items");
}

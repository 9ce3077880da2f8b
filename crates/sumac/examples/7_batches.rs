//! Batches: thousands of tasks share a map and a union-find, each as if alone.
//!
//!     cargo run --release -p sumac --example 7_batches

use std::sync::Arc;
use sumac::batch::{Batched, Insert, Sets, Successor, Tree, Union, UnionFind};

const TASKS: u64 = 2_000;

fn main() {
    // Each task follows 3n + 1 from its own number, and writes down how long that takes. While it
    // awaits an answer it holds no thread, so the operations of many tasks are under way at once,
    // and are carried out together.
    let lengths = Arc::new(Batched::new(Tree::new()));
    let numbers = Arc::new(Batched::new(UnionFind::new(TASKS as usize)));
    let tasks: Vec<_> = (1..TASKS)
        .map(|start| {
            let (lengths, numbers) = (Arc::clone(&lengths), Arc::clone(&numbers));
            sumac::spawn_async(async move {
                let (mut n, mut steps) = (start, 0_u32);
                while n > 1 {
                    let next = if n % 2 == 0 { n / 2 } else { 3 * n + 1 };
                    if n.max(next) < TASKS {
                        numbers.submit(Union(n as usize, next as usize)).await;
                    }
                    n = next;
                    steps += 1;
                }
                // Ordered by length, then by number.
                lengths.submit(Insert((steps, start), ())).await;
            })
        })
        .collect();
    tasks.into_iter().for_each(|task| task.join());

    let stats = numbers.stats();
    println!(
        "{} unions in {} batches, the largest of {}",
        stats.operations, stats.batches, stats.largest
    );
    println!("{} groups of numbers below {TASKS}", numbers.apply(Sets));
    let more = lengths.apply(Successor((175, u64::MAX)));
    let ((steps, start), ()) = more.expect("some take longer than 175 steps");
    println!("{start} takes {steps} steps");
    let map = Arc::into_inner(lengths).expect("all tasks have ended");
    assert_eq!(map.into_inner().expect("no panic").len() as u64, TASKS - 1);
}

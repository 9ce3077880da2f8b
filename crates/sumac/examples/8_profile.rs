//! How parallel is a program? Measured on one thread, for any number of processors.
//!
//! Run it with `cargo run --release --example 8_profile --features profile`.

use sumac::prelude::*;

/// Merges sorted runs: each merge is sequential, and the last one has to look at everything.
fn merge_sort(values: &mut [u64]) {
    if values.len() <= 32 {
        return values.sort_unstable();
    }
    let (left, right) = values.split_at_mut(values.len() / 2);
    sumac::join(|| merge_sort(left), || merge_sort(right));
    let (mut left, mut right) = (left.iter().peekable(), right.iter().peekable());
    let mut merged = Vec::with_capacity(left.len() + right.len());
    while let Some(next) = match (left.peek(), right.peek()) {
        (Some(l), Some(r)) if l > r => right.next(),
        (Some(_), _) => left.next(),
        _ => right.next(),
    } {
        merged.push(*next);
    }
    values.copy_from_slice(&merged);
}

fn show(name: &str, program: impl FnOnce()) {
    let ((), profile) = sumac::profile(program);
    println!(
        "{name}: work {:.2?}, span {:.2?}",
        profile.work, profile.span
    );
    println!("  {} joins, {} loops", profile.joins, profile.loops);
    println!("  parallelism {:.1}", profile.parallelism());
    for workers in [2, 8, 64] {
        println!(
            "  {workers:2} workers: {} times as fast",
            profile.speed_up(workers)
        );
    }
}

fn main() {
    let mut random = fastrand::Rng::with_seed(1);
    let mut values: Vec<u64> = (0..1_000_000).map(|_| random.u64(..)).collect();
    show("sequential merges", || merge_sort(&mut values));
    assert!(values.is_sorted());

    let mut values: Vec<u64> = (0..1_000_000).map(|_| random.u64(..)).collect();
    show("the library's sort", || values.par_sort());
    assert!(values.is_sorted());
}

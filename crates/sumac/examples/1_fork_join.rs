//! Fork and join: a quicksort that forks at every level, down to single elements, in both styles.
//!
//!     cargo run --release -p sumac --example 1_fork_join

use sumac::Scope;

/// With the free function: no handle to pass.
fn quicksort(v: &mut [u32]) {
    if let Some((left, right)) = partition(v) {
        sumac::join(|| quicksort(left), || quicksort(right));
    }
}

/// With a scope passed down: some instructions less per fork.
fn quicksort_in(scope: &mut Scope<'_>, v: &mut [u32]) {
    if let Some((left, right)) = partition(v) {
        scope.join(|s| quicksort_in(s, left), |s| quicksort_in(s, right));
    }
}

/// Puts one element in its place; what is smaller, and what is not.
fn partition(v: &mut [u32]) -> Option<(&mut [u32], &mut [u32])> {
    let last = v.len().checked_sub(1).filter(|last| *last > 0)?;
    v.swap(last / 2, last);
    let (pivot, mut middle) = (v[last], 0);
    for i in 0..last {
        if v[i] < pivot {
            v.swap(i, middle);
            middle += 1;
        }
    }
    v.swap(middle, last);
    let (left, right) = v.split_at_mut(middle);
    Some((left, &mut right[1..]))
}

fn main() {
    let numbers = |n: u32| {
        (0..n)
            .map(|i| i.wrapping_mul(2_654_435_761))
            .collect::<Vec<u32>>()
    };

    let mut v = numbers(100_000);
    quicksort(&mut v);
    assert!(v.is_sorted());

    let mut v = numbers(100_000);
    quicksort_in(&mut Scope::global(), &mut v);
    assert!(v.is_sorted());

    println!(
        "sorted twice; smallest {}, largest {}",
        v[0],
        v[v.len() - 1]
    );
}

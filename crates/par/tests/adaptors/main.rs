//! Adaptors against those of std, on pools of several sizes, with loops that are really split.

mod indexed;
mod once;
mod stopping;
mod unindexed;

use std::{
    fmt::Debug,
    time::{Duration, Instant},
};
use sumac_par::prelude::*;
use sumac_test_support::{POOLS, on_pools, pool};

/// Runs `f` where no other thread can help: in a pool of its own, which has no workers.
fn alone<R: Send>(f: impl FnOnce() -> R + Send) -> R {
    pool(1).install(f)
}

/// Takes some microseconds, so that others find the time to ask for work.
fn spin() {
    sumac_test_support::spin(Duration::from_micros(5));
}

/// Lengths at which something may go wrong.
const LENGTHS: [usize; 5] = [0, 1, 2, 7, 101];

fn check<I>(make: impl Fn() -> I + Sync + Send, expected: &[I::Item])
where
    I: ParallelIterator<Item: Debug + PartialEq + Clone + Sync>,
{
    on_pools(|| {
        assert_eq!(make().collect::<Vec<_>>(), expected);
        let slowly = make().inspect(|_| spin());
        assert_eq!(slowly.collect::<Vec<_>>(), expected);
        let filtered = make().filter(|_| true);
        assert_eq!(filtered.collect::<Vec<_>>(), expected);
        let chained = make().chain(make().filter(|_| true));
        assert_eq!(chained.collect::<Vec<_>>(), [expected, expected].concat());
    });
}

/// Everything that has `make` split, begun anywhere, run backwards and run in step with others.
fn check_indexed<I>(make: impl Fn() -> I + Sync + Send, expected: &[I::Item])
where
    I: IndexedParallelIterator<Item: Debug + PartialEq + Clone + Sync>,
{
    check(&make, expected);
    let all = || expected.iter().cloned();
    let len = expected.len();
    on_pools(|| {
        assert_eq!(make().len(), len);
        let numbered = make().enumerate().inspect(|_| spin());
        assert_eq!(
            numbered.collect::<Vec<_>>(),
            all().enumerate().collect::<Vec<_>>()
        );
        let backwards = make().rev().enumerate().inspect(|_| spin());
        assert_eq!(
            backwards.collect::<Vec<_>>(),
            all().rev().enumerate().collect::<Vec<_>>()
        );
        for size in [1, 2, 3, 10_000] {
            let chunks = expected.chunks(size).map(<[_]>::to_vec);
            let theirs = chunks.clone().collect::<Vec<_>>();
            assert_eq!(make().chunks(size).collect::<Vec<_>>(), theirs);
            let theirs = chunks.rev().collect::<Vec<_>>();
            assert_eq!(make().chunks(size).rev().collect::<Vec<_>>(), theirs);
            let theirs = all().step_by(size).rev().collect::<Vec<_>>();
            assert_eq!(make().step_by(size).rev().collect::<Vec<_>>(), theirs);
        }
        for n in [0, 1, len / 2, len, len + 1] {
            let theirs = all().skip(n).collect::<Vec<_>>();
            assert_eq!(make().skip(n).collect::<Vec<_>>(), theirs);
            let theirs = all().take(n).rev().collect::<Vec<_>>();
            assert_eq!(make().take(n).rev().collect::<Vec<_>>(), theirs);
        }
        let twice = make().chain(make());
        assert_eq!(twice.len(), 2 * len);
        let theirs = all().chain(all()).rev().collect::<Vec<_>>();
        assert_eq!(twice.rev().collect::<Vec<_>>(), theirs);
        let turns = make().interleave(make());
        let theirs = all().flat_map(|item| [item.clone(), item]);
        assert_eq!(
            turns.rev().collect::<Vec<_>>(),
            theirs.rev().collect::<Vec<_>>()
        );
    });
}

#[test]
fn loops_are_split_here() {
    let pool = &POOLS[1];
    let before = pool.stats().steals;
    let begun = Instant::now();
    while begun.elapsed().as_secs() < 60 {
        pool.install(|| check(|| (0..301_usize).into_par_iter(), &Vec::from_iter(0..301)));
        if pool.stats().steals > before {
            return;
        }
    }
    panic!("nothing has been taken");
}

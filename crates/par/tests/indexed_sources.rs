//! Indexed sources can be split anywhere, also at their ends, and run backwards.

use std::{
    collections::{BinaryHeap, VecDeque},
    fmt::Debug,
};
use sumac_par::{iter, prelude::*};
use sumac_test_support::{on_pools, work};

/// Adaptors that split at odd places, against std's.
fn check<I, J>(parallel: impl Fn() -> I + Sync, sequential: impl Fn() -> J + Sync)
where
    I: IndexedParallelIterator<Item: PartialEq + Debug>,
    J: DoubleEndedIterator<Item = I::Item>,
{
    on_pools(|| {
        let len = sequential().count();
        assert_eq!(parallel().len(), len);
        for n in [0, 1, len / 3, len.saturating_sub(1), len, len + 1] {
            assert!(vec(parallel().skip(n)).into_iter().eq(sequential().skip(n)));
            assert!(vec(parallel().take(n)).into_iter().eq(sequential().take(n)));
            let rest = vec(parallel().rev().skip(n));
            assert!(rest.into_iter().eq(sequential().rev().skip(n)));
            let zipped = vec(parallel().zip(0..n));
            assert!(zipped.into_iter().eq(sequential().zip(0..n)));
            let steps = vec(parallel().step_by(n + 1));
            assert!(steps.into_iter().eq(sequential().step_by(n + 1)));
        }
        let twice = vec(parallel().chain(parallel()).enumerate());
        assert!(
            twice
                .into_iter()
                .eq(sequential().chain(sequential()).enumerate())
        );
        assert_eq!(parallel().zip(parallel().rev()).count(), len);
    });
}

fn vec<I: IndexedParallelIterator>(items: I) -> Vec<I::Item> {
    items.map(|item| (work(), item).1).collect()
}

#[test]
fn ranges() {
    check(|| (3_u8..40).into_par_iter(), || 3_u8..40);
    check(|| (3_i32..3).into_par_iter(), || 3..3);
    check(|| (-20_i8..=i8::MAX).into_par_iter(), || -20_i8..=i8::MAX);
    check(|| (0..=u8::MAX).into_par_iter(), || 0..=u8::MAX);
    check(
        || (i16::MAX..=i16::MAX).into_par_iter(),
        || i16::MAX..=i16::MAX,
    );
    check(
        || ('\u{d7f0}'..'\u{e010}').into_par_iter(),
        || '\u{d7f0}'..'\u{e010}',
    );
    check(
        || ('x'..=char::MAX).into_par_iter().take(30),
        || ('x'..=char::MAX).take(30).collect::<Vec<_>>().into_iter(),
    );
}

#[test]
fn collections() {
    for len in [0_usize, 1, 2, 30] {
        let v: Vec<usize> = (0..len).collect();
        check(|| v.par_iter(), || v.iter());
        check(|| v.clone().into_par_iter(), || v.clone().into_iter());
        let mut deque: VecDeque<usize> = v.clone().into();
        deque.rotate_left(len / 3);
        deque.push_front(7);
        check(|| deque.par_iter(), || deque.iter());
        check(
            || deque.clone().into_par_iter(),
            || deque.clone().into_iter(),
        );
        let heap: BinaryHeap<usize> = v.clone().into();
        check(
            || heap.par_iter(),
            || heap.iter().collect::<Vec<_>>().into_iter(),
        );
        check(|| v.par_chunks(4), || v.chunks(4));
        check(|| v.par_rchunks(4), || v.rchunks(4));
        check(|| v.par_chunks_exact(4), || v.chunks_exact(4));
        check(|| v.par_rchunks_exact(4), || v.rchunks_exact(4));
        check(|| v.par_windows(4), || v.windows(4));
        check(|| iter::repeat_n(1, len), || std::iter::repeat_n(1, len));
    }
    check(
        || [1, 2, 3, 4, 5].into_par_iter(),
        || [1, 2, 3, 4, 5].into_iter(),
    );
    check(|| Some(1).into_par_iter(), || Some(1).into_iter());
    check(|| None::<u8>.into_par_iter(), || None::<u8>.into_iter());
}

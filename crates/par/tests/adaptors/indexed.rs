//! Adaptors that keep positions.

use super::{LENGTHS, check, check_indexed, on_pools, spin};
use proptest::prelude::*;
use sumac_par::prelude::*;

/// Numbers from 0 to so many.
fn numbers(len: usize) -> Vec<usize> {
    (0..len).collect()
}

#[test]
fn item_by_item() {
    for len in LENGTHS {
        let v = numbers(len);
        let more = v.iter().map(|n| n + 1).collect::<Vec<_>>();
        check_indexed(|| v.par_iter().copied(), &v);
        check_indexed(|| v.par_iter().cloned(), &v);
        check_indexed(|| v.par_iter().map(|n| n + 1), &more);
        check_indexed(|| v.par_iter().copied().update(|n| *n += 1), &more);
        check_indexed(|| v.par_iter().copied().inspect(|_| ()), &v);
        check_indexed(|| v.par_iter().copied().panic_fuse(), &v);
        check_indexed(|| v.par_iter().map_with(1, |one, n| n + *one), &more);
        check_indexed(|| v.par_iter().map_init(|| 1, |one, n| n + *one), &more);
        check_indexed(|| v.par_iter().copied().with_min_len(7), &v);
        check_indexed(|| v.par_iter().copied().with_max_len(7), &v);
        check(|| v.par_iter().copied().by_uniform_blocks(7), &v);
        check(|| v.par_iter().copied().by_exponential_blocks(), &v);
    }
}

#[test]
fn order_and_number() {
    for len in LENGTHS {
        let v = numbers(len);
        let all = || v.iter().copied();
        let ours = || v.par_iter().copied();
        check_indexed(|| ours().rev(), &Vec::from_iter(all().rev()));
        check_indexed(|| ours().enumerate(), &Vec::from_iter(all().enumerate()));
        for n in [0, 1, 5, len] {
            check_indexed(|| ours().take(n), &Vec::from_iter(all().take(n)));
            check_indexed(|| ours().skip(n), &Vec::from_iter(all().skip(n)));
            let steps = Vec::from_iter(all().step_by(n + 1));
            check_indexed(|| ours().step_by(n + 1), &steps);
            let even = Vec::from_iter((n..len).step_by(2));
            check(|| ours().positions(|i| i >= n && (i - n) % 2 == 0), &even);
        }
    }
}

#[test]
fn groups() {
    for len in LENGTHS {
        let v = numbers(len);
        let ours = || v.par_iter().copied();
        for size in [1, 2, 5, 1000] {
            let chunks = v.chunks(size).map(<[_]>::to_vec).collect::<Vec<_>>();
            check_indexed(|| ours().chunks(size), &chunks);
            // The order within a group matters.
            let fold = |text: String, n: usize| format!("{text} {n}");
            let folded = chunks
                .iter()
                .map(|chunk| chunk.iter().copied().fold(String::from(">"), fold))
                .collect::<Vec<_>>();
            check_indexed(|| ours().fold_chunks(size, || ">".into(), fold), &folded);
            check_indexed(|| ours().fold_chunks_with(size, ">".into(), fold), &folded);
        }
    }
}

#[test]
fn pairs() {
    for len in LENGTHS {
        for other in [0, 1, 2, len, len + 1, 2 * len] {
            let (v, w) = (numbers(len), numbers(other));
            let zipped = v.iter().zip(&w).map(|(a, b)| (*a, *b));
            let zipped = zipped.collect::<Vec<_>>();
            let ours = || v.par_iter().copied();
            let theirs = || w.par_iter().copied();
            check_indexed(|| ours().zip(theirs()), &zipped);
            let chained = Vec::from_iter(v.iter().chain(&w).copied());
            check_indexed(|| ours().chain(theirs()), &chained);
            let (interleaved, shortest) = interleave(&v, &w);
            check_indexed(|| ours().interleave(theirs()), &interleaved);
            check_indexed(|| ours().interleave_shortest(theirs()), &shortest);
        }
        let v = numbers(len);
        let same = Vec::from_iter(v.iter().map(|n| (n, n)));
        check_indexed(|| v.par_iter().zip_eq(&v), &same);
    }
}

/// All, and until one has no more.
fn interleave(v: &[usize], w: &[usize]) -> (Vec<usize>, Vec<usize>) {
    let (mut all, mut until) = (Vec::new(), None);
    for i in 0..v.len().max(w.len()) {
        for side in [v, w] {
            match side.get(i) {
                Some(item) => all.push(*item),
                None => {
                    until.get_or_insert(all.len());
                }
            }
        }
    }
    let shortest = all[..until.unwrap_or(all.len())].to_vec();
    (all, shortest)
}

#[test]
#[should_panic(expected = "iterators must have the same length")]
fn zip_eq_of_different_lengths() {
    let _ = (0..3).into_par_iter().zip_eq(0..4);
}

#[test]
fn nothing_times_nothing() {
    use std::panic::catch_unwind;
    let numbers = || (0..3_usize).into_par_iter();
    assert!(catch_unwind(|| drop(numbers().chunks(0))).is_err());
    assert!(catch_unwind(|| drop(numbers().step_by(0))).is_err());
    assert!(catch_unwind(|| drop(numbers().fold_chunks(0, || 0, |a, b| a + b))).is_err());
    assert!(catch_unwind(|| drop(numbers().fold_chunks_with(0, 0, |a, b| a + b))).is_err());
    assert!(catch_unwind(|| drop(numbers().by_uniform_blocks(0))).is_err());
}

#[test]
fn separators() {
    for len in LENGTHS {
        let v = numbers(len);
        let mut separated = Vec::new();
        for n in &v {
            separated.extend([*n, 777]);
        }
        separated.pop();
        check_indexed(|| v.par_iter().copied().intersperse(777), &separated);
        check(
            || v.par_iter().copied().filter(|_| true).intersperse(777),
            &separated,
        );
        let none = |_: &usize| false;
        check(|| v.par_iter().copied().filter(none).intersperse(777), &[]);
    }
}

#[test]
fn tuples() {
    for len in LENGTHS {
        let v = numbers(len);
        let three = Vec::from_iter(v.iter().map(|n| (n, *n, (*n, n))));
        check_indexed(
            || (&v, 0..len, v.par_iter().copied().zip(&v)).into_par_iter(),
            &three,
        );
        check_indexed(
            || (&v,).into_par_iter(),
            &Vec::from_iter(v.iter().map(|n| (n,))),
        );
    }
    let mut sums = (vec![0; 3], vec![0; 4]);
    (&mut sums, (1..9, 0..5)).into_par_iter_twice();
    assert_eq!(sums, (vec![1, 2, 3], vec![0, 1, 2, 0]));
    let sum = |(a, b): (&usize, &usize)| a + b;
    assert_eq!(sums.par_iter().map(sum).sum::<usize>(), 6 + 3);
    let t = (
        0..9,
        1..9,
        2..9,
        3..9,
        4..9,
        5..9,
        6..9,
        7..9,
        0..9,
        0..9,
        0..9,
        0..9,
    );
    let all = t.into_par_iter().collect::<Vec<_>>();
    assert_eq!(all[1], (1, 2, 3, 4, 5, 6, 7, 8, 1, 1, 1, 1));
    assert_eq!(all.len(), 2);
}

trait Twice {
    fn into_par_iter_twice(self);
}

type Ranges = (std::ops::Range<usize>, std::ops::Range<usize>);

impl Twice for (&mut (Vec<usize>, Vec<usize>), Ranges) {
    fn into_par_iter_twice(self) {
        let pairs = self.0.into_par_iter().zip(self.1);
        pairs.for_each(|((a, b), (c, d))| {
            *a = c;
            *b = d;
        });
    }
}

#[test]
fn floats_add_up_to_the_same_everywhere() {
    let sum = || {
        let sines = (0..100_000).into_par_iter().map(|n| f64::from(n).sin());
        sines
            .inspect(|n| (*n > 0.999).then(spin).unwrap_or(()))
            .deterministic()
    };
    let sums = || {
        let folded = sum().fold(|| 1.0, |a, b| a * 0.5 + b).sum::<f64>();
        let products = sum().fold(|| 0.0, |a, b| a + b).product::<f64>();
        [
            sum().sum::<f64>(),
            folded,
            products,
            sum().reduce(|| 0.0, |a, b| a + b / 2.0),
        ]
        .map(f64::to_bits)
    };
    let expected = sums();
    on_pools(|| {
        for _ in 0..20 {
            assert_eq!(sums(), expected);
        }
    });
    let none = || (0..0).into_par_iter().map(f64::from).deterministic();
    assert_eq!(none().sum::<f64>(), 0.0);
    assert_eq!(none().product::<f64>(), 1.0);
    assert_eq!(none().reduce(|| 7.0, f64::max), 7.0);
    assert_eq!(none().reduce_with(f64::max), None);
}

/// A sum of results ends at its first error, in the middle of a group.
#[test]
fn deterministic_sums_of_results() {
    const LEN: usize = 20_001;
    for errors in [LEN, LEN - 1, 7, 0] {
        let item = |n| if n < errors { Ok(1) } else { Err(n) };
        let expected = (0..LEN).map(item).sum::<Result<usize, usize>>();
        on_pools(|| {
            let ours = (0..LEN).into_par_iter().map(item).deterministic();
            assert_eq!(ours.clone().sum::<Result<usize, usize>>(), expected);
            assert_eq!(ours.product::<Result<usize, usize>>(), expected.map(|_| 1));
        });
    }
}

#[test]
fn deterministic_keeps_order() {
    for len in [0, 1, 2, 4095, 4096, 8192, 20_001] {
        let text = |n: &usize| format!("{n},");
        let expected = numbers(len).iter().map(text).collect::<String>();
        on_pools(|| {
            let ours = numbers(len)
                .par_iter()
                .map(text)
                .deterministic()
                .reduce_with(|a, b| a + &b);
            assert_eq!(ours.unwrap_or_default(), expected);
        });
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// Towers of adaptors, long enough for blocks of many items.
    #[test]
    fn towers(len in 0..20_000_usize, other in 0..20_000_usize, a in 0..100_usize, b in 1..100_usize) {
        let expected = (0..len)
            .skip(a).chain((0..other).rev()).step_by(b).zip((0..other).chain(0..len))
            .enumerate().collect::<Vec<_>>();
        on_pools(|| {
            let range = |n: usize| (0..n).into_par_iter();
            let ours = || range(len)
                .skip(a).chain(range(other).rev()).step_by(b).zip(range(other).chain(range(len)))
                .enumerate();
            assert_eq!(ours().collect::<Vec<_>>(), expected);
            assert!(ours().rev().collect::<Vec<_>>().iter().rev().eq(&expected));
            let chunks = ours().chunks(b).flat_map_iter(|chunk| chunk);
            assert_eq!(chunks.collect::<Vec<_>>(), expected);
            let units = ours().map(|_| ()).interleave(range(a).map(|_| ())).intersperse(());
            assert_eq!(units.len(), (2 * (expected.len() + a)).saturating_sub(1));
            assert_eq!(units.collect::<Vec<()>>().len(), (2 * (expected.len() + a)).saturating_sub(1));
        });
    }
}

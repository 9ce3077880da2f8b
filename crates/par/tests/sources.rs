//! Sources yield what std's iterators yield; by value, each item is dropped once.

use proptest::prelude::*;
use std::{
    collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
};
use sumac_par::{iter, prelude::*};
use sumac_test_support::{Counted, LENS, on_pools, with_steals, work};

/// In order, once not at all split and once probably.
fn check<I, J>(parallel: impl Fn() -> I + Sync, sequential: impl Fn() -> J + Sync)
where
    I: ParallelIterator<Item: PartialEq + std::fmt::Debug>,
    J: Iterator<Item = I::Item>,
{
    on_pools(|| {
        let expected: Vec<_> = sequential().collect();
        assert_eq!(parallel().collect::<Vec<_>>(), expected);
        assert_eq!(
            parallel()
                .map(|item| (slow(), item).1)
                .filter(|_| true)
                .collect::<Vec<_>>(),
            expected
        );
    });
}

/// Every now and then, some time.
fn slow() {
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    if CALLS.fetch_add(1, Relaxed) % 64 == 0 {
        work();
    }
}

macro_rules! ranges {
    ($($t:ty)*) => {$(
        check(|| (3..100 as $t).into_par_iter(), || 3..100 as $t);
        check(|| (3..=100 as $t).into_par_iter(), || 3..=100 as $t);
        check(|| (<$t>::MAX - 9..=<$t>::MAX).into_par_iter(), || <$t>::MAX - 9..=<$t>::MAX);
        check(|| (<$t>::MIN..=<$t>::MIN).into_par_iter(), || <$t>::MIN..=<$t>::MIN);
        #[allow(clippy::reversed_empty_ranges)]
        check(|| (9..3 as $t).into_par_iter(), || 9..3 as $t);
        #[allow(clippy::reversed_empty_ranges)]
        check(|| (9..=3 as $t).into_par_iter(), || 9..=3 as $t);
        assert!((0..=<$t>::MAX).into_par_iter().any(|x| x > 5));
    )*};
}

#[test]
fn ranges() {
    ranges! { u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize }
    check(|| (i8::MIN..=i8::MAX).into_par_iter(), || i8::MIN..=i8::MAX);
    check(
        || (i16::MIN..i16::MAX).into_par_iter(),
        || i16::MIN..i16::MAX,
    );
    check(
        || ('\u{d000}'..'\u{f000}').into_par_iter(),
        || '\u{d000}'..'\u{f000}',
    );
    check(
        || ('\u{0}'..=char::MAX).into_par_iter(),
        || '\u{0}'..=char::MAX,
    );
    assert_eq!(('a'..='z').into_par_iter().len(), 26);
    assert_eq!((i8::MIN..=i8::MAX).into_par_iter().len(), 256);
}

/// More positions than a `usize` counts: they do not overflow when such a range is split again and
/// again.
#[test]
fn huge_ranges_can_be_split() {
    with_steals(|| {
        let found = (0..u128::MAX)
            .into_par_iter()
            .find_first(|&i| (work(), i >= 500).1);
        assert_eq!(found, Some(500));
        let found = (i128::MIN..=i128::MAX)
            .into_par_iter()
            .find_any(|&i| (work(), i.rem_euclid(500) == 7).1);
        assert!(found.is_some());
    });
}

#[test]
fn vectors_slices_and_arrays() {
    for len in LENS {
        let v: Vec<usize> = (0..len).collect();
        check(|| v.par_iter(), || v.iter());
        check(|| v.as_slice().into_par_iter(), || v.iter());
        check(|| v.clone().into_par_iter(), || v.clone().into_iter());
        check(
            || v.clone().into_boxed_slice().into_par_iter(),
            || v.clone().into_iter(),
        );
        check(
            || v.clone().into_par_iter().zip(v.par_iter()),
            || v.clone().into_iter().zip(v.iter()),
        );
        on_pools(|| {
            let mut w = v.clone();
            w.par_iter_mut().for_each(|x| *x += 1);
            assert!(w.into_iter().eq(1..=len));
        });
    }
    let array: [usize; 300] = std::array::from_fn(|i| i);
    check(|| array.into_par_iter(), || array.into_iter());
    check(|| array.par_iter(), || array.iter());
}

/// An untouched vector is collected as it is.
#[test]
fn a_vector_is_passed_on() {
    let v = vec![1, 2, 3];
    let place = v.as_ptr();
    let w: Vec<_> = v.into_par_iter().collect();
    assert_eq!(w.as_ptr(), place);
}

#[test]
fn one_or_none() {
    check(|| Some(1).into_par_iter(), || Some(1).into_iter());
    check(|| None::<u8>.into_par_iter(), || None.into_iter());
    check(
        || Ok::<_, ()>(1).into_par_iter(),
        || Ok::<_, ()>(1).into_iter(),
    );
    check(
        || Err::<u8, _>(1).into_par_iter(),
        || Err::<u8, _>(1).into_iter(),
    );
    let mut option = Some(1);
    option.par_iter_mut().for_each(|x| *x = 2);
    assert_eq!(option.par_iter().collect::<Vec<_>>(), [&2]);
    check(|| iter::once(7).zip([1]), || std::iter::once(7).zip([1]));
    check(iter::empty::<u8>, std::iter::empty::<u8>);
    for n in LENS {
        check(
            || iter::repeat_n("x".to_string(), n),
            || std::iter::repeat_n("x".to_string(), n),
        );
        check(
            || iter::repeat(5).zip(0..n),
            || std::iter::repeat(5).zip(0..n),
        );
    }
}

/// The collections of std from the same items, by reference and by value.
#[test]
fn collections() {
    for len in LENS {
        let items = || (0..len).map(|i| i * 7919 % 20_011);
        macro_rules! collections {
            ($($c:ident: $Collection:ty;)*) => {$(
                let $c: $Collection = items().collect();
                check(|| $c.par_iter(), || $c.iter());
                check(|| $c.clone().into_par_iter(), || $c.clone().into_iter());
            )*};
        }
        collections! {
            deque: VecDeque<usize>;
            list: LinkedList<usize>;
            heap: BinaryHeap<usize>;
            hash_set: HashSet<usize>;
            set: BTreeSet<usize>;
        }
        let mut turned = deque;
        turned.rotate_left(len / 3);
        turned.extend(items());
        check(|| turned.par_iter(), || turned.iter());
        let pairs = || items().map(|i| (i, i));
        let mut map: BTreeMap<usize, usize> = pairs().collect();
        check(|| map.par_iter(), || map.iter());
        check(|| map.clone().into_par_iter(), || map.clone().into_iter());
        map.par_iter_mut().for_each(|(key, value)| *value += key);
        assert!(map.par_iter().all(|(key, value)| *value == 2 * key));
        let mut map: HashMap<usize, usize> = pairs().collect();
        check(|| map.par_iter(), || map.iter());
        map.par_iter_mut().for_each(|(key, value)| *value += key);
        assert!(map.par_iter().all(|(key, value)| *value == 2 * key));
        turned.par_iter_mut().for_each(|x| *x += 1);
        let mut list = list;
        list.par_iter_mut().for_each(|x| *x += 1);
        assert!(list.into_iter().eq(items().map(|i| i + 1)));
    }
}

#[test]
fn drains() {
    on_pools(|| {
        macro_rules! full {
            ($($Collection:ty, $items:expr;)*) => {$({
                let mut c: $Collection = $items.collect();
                let expected: BTreeSet<_> = $items.collect();
                assert_eq!(c.par_drain().collect::<BTreeSet<_>>(), expected);
                assert!(c.is_empty());
                c.extend($items);
                drop(c.par_drain());
                assert!(c.is_empty());
            })*};
        }
        full! {
            HashSet<usize>, 0..500;
            BTreeSet<usize>, 0..500;
            BinaryHeap<usize>, 0..500;
            LinkedList<usize>, 0..500;
            HashMap<usize, usize>, (0..500).map(|i| (i, i));
            BTreeMap<usize, usize>, (0..500).map(|i| (i, i));
        }
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn drained_ranges(len in 0..400_usize, a in 0..400_usize, b in 0..400_usize, way in 0..3) {
        let (start, end) = (a.min(b).min(len), a.max(b).min(len));
        on_pools(|| {
            let dropped = AtomicUsize::new(0);
            let items = || (0..len).map(|i| Counted(i, &dropped));
            let (mut v, mut deque): (Vec<_>, VecDeque<_>) = (items().collect(), items().collect());
            let expected: Vec<_> = (0..start).chain(end..len).collect();
            let numbers = |item: Counted<'_>| item.0;
            match way {
                0 => {
                    assert!(v.par_drain(start..end).map(numbers).collect::<Vec<_>>().into_iter().eq(start..end));
                    assert!(deque.par_drain(start..end).map(numbers).collect::<Vec<_>>().into_iter().eq(start..end));
                }
                1 => {
                    drop(v.par_drain(start..end));
                    drop(deque.par_drain(start..end));
                }
                _ => {
                    let short = end.saturating_sub(start) / 2;
                    v.par_drain(start..end).zip(0..short).for_each(|_| ());
                    deque.par_drain(start..end).zip(0..short).for_each(|_| ());
                }
            }
            assert!(v.iter().map(|item| item.0).eq(expected.iter().copied()));
            assert!(deque.iter().map(|item| item.0).eq(expected.iter().copied()));
            assert_eq!(dropped.load(Relaxed), 2 * (end - start));
            drop((v, deque));
            assert_eq!(dropped.load(Relaxed), 2 * len);
        });
    }
}

/// By value each item is dropped once: used or not, panic or not, split or not.
#[test]
fn items_by_value_are_dropped_once() {
    const LEN: usize = 300;
    with_steals(|| {
        for ending in 0..4 {
            let dropped = AtomicUsize::new(0);
            let mut v: Vec<_> = (0..LEN).map(|i| Counted(i, &dropped)).collect();
            let result = catch_unwind(AssertUnwindSafe(|| {
                let check = |item: Counted<'_>| {
                    work();
                    assert!(item.0 != 200, "as planned");
                };
                match ending {
                    0 => v.into_par_iter().for_each(check),
                    1 => assert!(v.into_par_iter().any(|item| item.0 == 77)),
                    2 => drop(v.into_par_iter()),
                    _ => {
                        let _ =
                            catch_unwind(AssertUnwindSafe(|| v.par_drain(100..).for_each(check)));
                        assert_eq!((v.len(), dropped.load(Relaxed)), (100, 200));
                    }
                }
            }));
            assert_eq!(result.is_err(), ending == 0);
            assert_eq!(dropped.load(Relaxed), LEN);
        }
    });
}

#[test]
#[should_panic = "behind 3 items"]
fn ranges_to_drain_must_exist() {
    let _ = vec![1, 2, 3].par_drain(2..4);
}

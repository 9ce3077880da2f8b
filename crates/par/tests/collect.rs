//! Collecting, extending, unzipping: all items, in order, each slot written once.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque},
    ffi::{OsStr, OsString},
    panic::{AssertUnwindSafe, catch_unwind},
    rc::Rc,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
};
use sumac_par::prelude::*;
use sumac_test_support::{Counted, LENS, on_pools, with_steals, work};

#[test]
fn collections() {
    on_pools(|| {
        for len in LENS {
            let all = || (0..len).into_par_iter();
            let even = || all().filter(|i| i % 2 == 0);
            let expected: Vec<usize> = (0..len).collect();
            let evens: Vec<usize> = (0..len).step_by(2).collect();
            assert_eq!(all().collect::<Vec<_>>(), expected);
            assert_eq!(even().collect::<Vec<_>>(), evens);
            assert_eq!(*all().collect::<Box<[_]>>(), *expected);
            assert_eq!(*all().collect::<Rc<[_]>>(), *expected);
            assert_eq!(*even().collect::<Arc<[_]>>(), *evens);
            assert_eq!(all().collect::<Cow<'_, [_]>>(), expected);
            assert_eq!(even().collect::<VecDeque<_>>(), evens);
            assert!(
                even()
                    .collect::<LinkedList<_>>()
                    .into_iter()
                    .eq(evens.clone())
            );
            assert_eq!(even().collect::<BinaryHeap<_>>().into_sorted_vec(), evens);
            assert!(
                even()
                    .collect::<BTreeSet<_>>()
                    .into_iter()
                    .eq(evens.clone())
            );
            assert_eq!(
                all().collect::<HashSet<_>>(),
                expected.iter().copied().collect()
            );
            let pairs = || all().map(|i| (i, i * i));
            let map: BTreeMap<_, _> = expected.iter().map(|&i| (i, i * i)).collect();
            assert_eq!(pairs().collect::<BTreeMap<_, _>>(), map);
            assert!(
                pairs()
                    .collect::<HashMap<_, _>>()
                    .into_iter()
                    .all(|(i, q)| map[&i] == q)
            );
            assert_eq!(pairs().collect::<HashMap<_, _>>().len(), len);
            let lists = even().collect_vec_list();
            assert_eq!(lists.into_iter().flatten().collect::<Vec<_>>(), evens);
            let both: Result<Vec<_>, ()> = even().map(Ok).collect();
            assert_eq!(both, Ok(evens));
            let pair: (Vec<_>, BTreeSet<_>) = pairs().collect();
            assert_eq!(pair.0, expected);
            assert!(pair.1.into_iter().eq(map.into_values()));
            all().map(|_| ()).collect::<()>();
        }
    });
}

#[test]
fn texts() {
    on_pools(|| {
        let text: String = ('a'..='z').cycle().take(3000).collect();
        let chars: Vec<char> = text.chars().collect();
        let words: Vec<String> = chars.iter().map(char::to_string).collect();
        assert_eq!(text.par_chars().collect::<String>(), text);
        assert_eq!(chars.par_iter().collect::<String>(), text);
        assert_eq!(
            words.par_iter().map(String::as_str).collect::<String>(),
            text
        );
        assert_eq!(
            words
                .par_iter()
                .map(|w| Cow::from(w.as_str()))
                .collect::<String>(),
            text
        );
        assert_eq!(
            words
                .clone()
                .into_par_iter()
                .map(String::into_boxed_str)
                .collect::<String>(),
            text
        );
        let mut twice = text.clone();
        twice.par_extend(words);
        assert_eq!(twice, text.repeat(2));
    });
}

/// What rayon collects texts into besides.
#[test]
fn boxed_texts_and_those_of_the_system() {
    on_pools(|| {
        let chars: Vec<char> = ('a'..='z').cycle().take(3000).collect();
        let words: Vec<String> = chars.iter().map(char::to_string).collect();
        let expected: Box<str> = chars.iter().collect();
        let strings = || words.clone().into_par_iter();
        let boxes: [Box<str>; 6] = [
            chars.clone().into_par_iter().collect(),
            chars.par_iter().collect(),
            words.par_iter().map(String::as_str).collect(),
            strings().collect(),
            strings().map(String::into_boxed_str).collect(),
            strings().map(Cow::<str>::Owned).collect(),
        ];
        assert!(boxes.into_iter().all(|text| text == expected));
        let system = || strings().map(OsString::from);
        let texts: [OsString; 3] = [
            words
                .par_iter()
                .map(|word| word.as_ref())
                .collect::<OsString>(),
            system().collect(),
            system().map(Cow::<OsStr>::Owned).collect(),
        ];
        assert!(texts.into_iter().all(|text| text == *expected));
        let mut twice = OsString::from(&*expected);
        twice.par_extend(system().filter(|_| true));
        assert_eq!(twice, *expected.repeat(2));
        assert_eq!(
            system().collect::<Cow<'_, OsStr>>(),
            *OsStr::new(&*expected)
        );
        let fine: Result<Box<str>, ()> = strings().map(Ok).collect();
        assert_eq!(fine, Ok(expected));
    });
}

#[test]
fn extending() {
    on_pools(|| {
        let some = [3, 1, 2];
        let more = || (10..2000_i32).into_par_iter();
        let refs: Vec<i32> = (10..2000).collect();
        macro_rules! check {
            ($($Collection:ty, $items:expr;)*) => {$({
                let mut expected: $Collection = some.into_iter().collect();
                expected.extend(10..2000);
                for way in 0..3 {
                    let mut target: $Collection = some.into_iter().collect();
                    match way {
                        0 => target.par_extend(more()),
                        1 => target.par_extend(more().filter(|_| true)),
                        _ => target.par_extend(&refs),
                    }
                    assert_eq!($items(target), $items(expected.clone()));
                }
            })*};
        }
        check! {
            Vec<i32>, std::convert::identity;
            VecDeque<i32>, std::convert::identity;
            LinkedList<i32>, std::convert::identity;
            BTreeSet<i32>, std::convert::identity;
            HashSet<i32>, std::convert::identity;
            BinaryHeap<i32>, BinaryHeap::into_sorted_vec;
        }
        let mut map = HashMap::from([(1, 1)]);
        map.par_extend(more().map(|i| (i, i)));
        assert_eq!(map.len(), 1991);
        let mut map = BTreeMap::from([(1, 1)]);
        map.par_extend(more().map(|i| (i, i)));
        assert_eq!(map.len(), 1991);
    });
}

#[test]
fn both_halves() {
    on_pools(|| {
        for len in LENS {
            let pairs = || (0..len).into_par_iter().map(|i| (i, i.to_string()));
            let expected: (Vec<_>, Vec<_>) = (0..len).map(|i| (i, i.to_string())).unzip();
            assert_eq!(pairs().unzip::<_, _, Vec<_>, Vec<_>>(), expected);
            assert_eq!(
                pairs().filter(|_| true).unzip::<_, _, Vec<_>, Vec<_>>(),
                expected
            );
            let (mut a, mut b) = (vec![7; 3], vec![String::new(); 30_000]);
            let place = b.as_ptr();
            pairs().unzip_into_vecs(&mut a, &mut b);
            assert_eq!((&a, &b), (&expected.0, &expected.1));
            assert_eq!(b.as_ptr(), place, "the allocation is used again");
            let nested = pairs().map(|(i, s)| (i, (s, i)));
            let (x, (y, z)): (Vec<_>, (Vec<_>, VecDeque<_>)) = nested.unzip();
            assert_eq!((&x, &y), (&expected.0, &expected.1));
            assert_eq!(z, x);
            let (even, odd): (Vec<_>, BTreeSet<_>) =
                (0..len).into_par_iter().partition(|i| i % 2 == 0);
            assert_eq!(even, (0..len).step_by(2).collect::<Vec<_>>());
            assert!(odd.into_iter().eq((1..len).step_by(2)));
            let mut c = Vec::with_capacity(30_000);
            let place = c.as_ptr();
            (0..len).into_par_iter().collect_into_vec(&mut c);
            assert_eq!(c, expected.0);
            assert_eq!(c.as_ptr(), place, "the allocation is used again");
        }
    });
}

/// Each item is made once and arrives at its place, also when the loop is split.
#[test]
fn each_slot_is_written_once() {
    with_steals(|| {
        let made = AtomicUsize::new(0);
        let dropped = AtomicUsize::new(0);
        let items: Vec<Counted<'_>> = (0..300)
            .into_par_iter()
            .map(|i| {
                work();
                made.fetch_add(1, Relaxed);
                Counted(i, &dropped)
            })
            .collect();
        assert!(items.iter().map(|item| item.0).eq(0..300));
        assert_eq!((made.load(Relaxed), dropped.load(Relaxed)), (300, 0));
        drop(items);
        assert_eq!(dropped.load(Relaxed), 300);
    });
}

/// What was collected before a panic, in either half of pairs too, is dropped, once.
#[test]
fn panics_drop_each_item_once() {
    with_steals(|| {
        for exact in [true, false] {
            let (made, dropped) = (AtomicUsize::new(0), AtomicUsize::new(0));
            let make = |i: usize| {
                work();
                assert!(i != 200, "as planned");
                made.fetch_add(2, Relaxed);
                (Counted(i, &dropped), Counted(i, &dropped))
            };
            let result = catch_unwind(AssertUnwindSafe(|| {
                let pairs = (0..300).into_par_iter().map(make);
                let _: (Vec<_>, Vec<_>) = if exact {
                    pairs.unzip()
                } else {
                    pairs.filter(|_| true).unzip()
                };
            }));
            assert!(result.is_err());
            assert_eq!(made.load(Relaxed), dropped.load(Relaxed));
        }
    });
}

#[test]
fn failures_drop_what_was_collected() {
    with_steals(|| {
        let (made, dropped) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let result: Result<Vec<_>, usize> = (0..300)
            .into_par_iter()
            .map(|i| {
                work();
                if i == 100 {
                    return Err(i);
                }
                made.fetch_add(1, Relaxed);
                Ok(Counted(i, &dropped))
            })
            .collect();
        assert_eq!(result.unwrap_err(), 100);
        assert_eq!(made.load(Relaxed), dropped.load(Relaxed));
    });
}

#[test]
fn items_without_size() {
    on_pools(|| {
        assert_eq!(
            (0..20_000)
                .into_par_iter()
                .map(|_| ())
                .collect::<Vec<()>>()
                .len(),
            20_000
        );
        let (a, b): (Vec<()>, Vec<u8>) = (0..999).into_par_iter().map(|_| ((), 1)).unzip();
        assert_eq!((a.len(), b.len()), (999, 999));
        assert_eq!(vec![(); 500].into_par_iter().count(), 500);
        let mut v = vec![(); 500];
        assert_eq!(v.par_drain(100..200).count(), 100);
        assert_eq!(v.len(), 400);
    });
}

//! What a program can see that rayon does in the same way: which items are made, how often closures
//! are called, what is printed.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering::Relaxed},
};
use sumac_par::{
    iter::{
        self, Either,
        plumbing::{Producer, ProducerCallback},
    },
    prelude::*,
};
use sumac_test_support::on_pools;

/// How many items loops have.
const N: usize = if cfg!(miri) { 60 } else { 1000 };

#[test]
fn what_is_skipped_is_made() {
    on_pools(|| {
        let made = AtomicUsize::new(0);
        let items = (0..N).into_par_iter().map(|n| {
            made.fetch_add(1, Relaxed);
            n
        });
        assert_eq!(items.clone().skip(50).sum::<usize>(), (50..N).sum());
        assert_eq!(made.swap(0, Relaxed), N);
        assert_eq!(items.skip(2 * N).count(), 0);
        assert_eq!(made.into_inner(), N);
    });
}

#[test]
fn neighbours_are_compared_once() {
    on_pools(|| {
        for len in [0, 1, 2, if cfg!(miri) { 100 } else { 30_000 }] {
            let mut v: Vec<usize> = (0..len).collect();
            for chunk in [1, 7, 10_000, usize::MAX] {
                let calls = AtomicUsize::new(0);
                let same = |a: &usize, b: &usize| {
                    calls.fetch_add(1, Relaxed);
                    a / chunk == b / chunk
                };
                let seq: Vec<_> = v.chunk_by(|a, b| a / chunk == b / chunk).collect();
                assert_eq!(v.par_chunk_by(same).collect::<Vec<_>>(), seq);
                assert_eq!(calls.swap(0, Relaxed), len.saturating_sub(1));
                let chunks = seq.len();
                assert_eq!(v.par_chunk_by_mut(same).count(), chunks);
                assert_eq!(calls.into_inner(), len.saturating_sub(1));
            }
        }
    });
}

#[test]
fn as_few_clones_as_can_be() {
    #[derive(Debug)]
    struct Counted(Arc<AtomicUsize>);
    impl Clone for Counted {
        fn clone(&self) -> Self {
            self.0.fetch_add(1, Relaxed);
            Counted(Arc::clone(&self.0))
        }
    }
    on_pools(|| {
        let clones = Arc::new(AtomicUsize::new(0));
        let item = || Counted(Arc::clone(&clones));
        let none = iter::repeat_n(item(), 0);
        assert_eq!(Arc::strong_count(&clones), 1);
        assert_eq!(none.clone().count() + none.rev().count(), 0);
        assert_eq!(iter::repeat_n(item(), N).count(), N);
        assert_eq!(clones.swap(0, Relaxed), N - 1);
        let all: Vec<_> = iter::repeat_n(item(), N).rev().collect();
        assert_eq!(all.len(), N);
        assert_eq!(clones.swap(0, Relaxed), N - 1);
        drop(all);
        assert_eq!(iter::repeat_n(item(), 100).step_by(99).count(), 2);
        assert!(clones.load(Relaxed) <= 2);
        assert_eq!(Arc::strong_count(&clones), 1);
    });
}

#[test]
fn a_search_among_what_is_folded_ends_early() {
    on_pools(|| {
        let seen = AtomicUsize::new(0);
        let sums = (0..1_000_000).into_par_iter().fold(
            || 0,
            |sum, n: usize| {
                seen.fetch_add(1, Relaxed);
                sum + n
            },
        );
        assert!(sums.find_any(|_| true).is_some());
        assert!(seen.into_inner() < 1_000_000);
    });
}

/// More items than can be counted, where the loops inside would go on for ages.
#[test]
fn searches_among_flat_ones_begin_where_they_should() {
    on_pools(|| {
        let many = 1_u64 << 40;
        let flat = || {
            let lines = (0..many).into_par_iter();
            lines.flat_map(move |y| (0..many).into_par_iter().map(move |x| (y, x)))
        };
        assert_eq!(flat().find_last(|_| true), Some((many - 1, many - 1)));
        let last = flat().find_last(|&(_, x)| x < many - 9);
        assert_eq!(last, Some((many - 1, many - 10)));
        assert_eq!(flat().find_first(|&(y, _)| y == 0), Some((0, 0)));
        assert!(flat().fold(|| (), |(), _| ()).find_any(|()| true).is_some());
    });
}

#[test]
fn folds_of_so_many_at_most() {
    on_pools(|| {
        for max in [0, 1, 3, 1000] {
            let items = (0..N).into_par_iter().with_max_len(max);
            let pieces = items.filter(|n| n % 5 != 0).fold(Vec::new, |mut piece, n| {
                piece.push(n);
                piece
            });
            let pieces: Vec<Vec<usize>> = pieces.collect();
            let all: Vec<usize> = pieces.concat();
            assert_eq!(all, (0..N).filter(|n| n % 5 != 0).collect::<Vec<_>>());
            assert!(pieces.iter().all(|piece| piece.len() <= max.max(1)));
        }
        let ones = (0..32).into_par_iter().with_max_len(1);
        let ones = ones.fold_with(0, |sum, n| sum + n).collect::<Vec<_>>();
        assert_eq!(ones, (0..32).collect::<Vec<_>>());
        let with = (0..32)
            .into_par_iter()
            .with_max_len(1)
            .map_with((), |(), n| n);
        assert_eq!(with.fold(|| 0, |sum, n| sum + n).collect::<Vec<_>>(), ones);
    });
}

#[test]
fn either_is_indexed_if_both_are() {
    on_pools(|| {
        for down in [true, false] {
            let up = (0..N).into_par_iter();
            let either = match down {
                true => Either::Left(up.rev()),
                false => Either::Right(up),
            };
            let first = if down { N - 1 } else { 0 };
            assert_eq!((either.len(), either.opt_len()), (N, Some(N)));
            let pairs: Vec<_> = either.clone().enumerate().collect();
            assert_eq!((pairs.len(), pairs[0]), (N, (0, first)));
            let odd = either.filter(|n| n % 2 == 1);
            assert_eq!((odd.opt_len(), odd.count()), (None, N / 2));
        }
        let sides = (0..N).into_par_iter().map(|n| match n % 3 {
            0 => Either::Left(n),
            _ => Either::Right(n.to_string()),
        });
        let (left, right): (Vec<_>, String) = sides.clone().collect();
        assert_eq!(left, (0..N).step_by(3).collect::<Vec<_>>());
        let others: String = (0..N)
            .filter(|n| n % 3 != 0)
            .map(|n| n.to_string())
            .collect();
        assert_eq!(right, others);
        let mut list: Either<Vec<usize>, Vec<usize>> = Either::Right(vec![7]);
        list.par_extend(0..3);
        assert_eq!(list, Either::Right(vec![7, 0, 1, 2]));
    });
}

/// A search for the last begins at the end, but for adaptors that want their items from left to
/// right.
#[test]
fn the_last_is_found_wherever_a_loop_begins() {
    on_pools(|| {
        let pairs = |n| [2 * n, 2 * n + 1].into_par_iter();
        let is_odd = |n: &usize| n % 2 == 1;
        let items = || (0..N).into_par_iter();
        let last = Some(2 * N - 1);
        assert_eq!(items().flat_map(pairs).find_last(is_odd), last);
        let fused = items().panic_fuse().flat_map(pairs);
        assert_eq!(fused.find_last(is_odd), last);
        let whiles = items().take_any_while(|_| true).flat_map(pairs);
        assert_eq!(whiles.flat_map(Some).find_last(is_odd), last);
        let folded = items().with_max_len(2).fold(Vec::new, |mut piece, n| {
            piece.push(n);
            piece
        });
        let folded = folded.flat_map(|piece| piece).flat_map(pairs);
        assert_eq!(folded.find_last(is_odd), last);
    });
}

#[test]
fn producers_divide_where_they_are_told() {
    struct Thirds;
    impl<T> ProducerCallback<T> for Thirds {
        type Output = Vec<T>;
        fn callback<P: Producer<Item = T>>(self, producer: P) -> Vec<T> {
            let (left, right) = producer.split_at(4);
            let (middle, right) = right.split_at(0);
            let right = right.into_iter();
            assert_eq!((middle.into_iter().len(), right.len()), (0, 8));
            left.into_iter().chain(right.rev()).collect()
        }
    }
    let items = vec![1; 6].into_par_iter().chain(0..6).enumerate().map_init(
        || 10,
        |x, (i, n)| {
            *x += 1;
            i * 100 + n
        },
    );
    let expected = [1, 101, 201, 301, 1105, 1004, 903, 802, 701, 600, 501, 401];
    assert_eq!(items.with_producer(Thirds), expected);
    assert_eq!([1, 2, 3, 4].par_array_windows::<3>().len(), 2);
    assert_eq!([1, 2].par_array_windows::<3>().count(), 0);
}

#[test]
fn closures_are_not_printed() {
    let items = (0..3).into_par_iter().map(|n| n + 1).filter(|_| true);
    let text = "Filter { base: Map { base: Iter { range: 0..3 } } }";
    assert_eq!(format!("{items:?}"), text);
    let with = iter::empty::<i32>().fold_with(7, |sum, n| sum + n);
    assert_eq!(format!("{with:?}"), "FoldWith { base: Empty, item: 7 }");
    let each = [1].par_iter().copied().inspect(|_| ()).update(|_| ());
    let text = "Update { base: Inspect { base: Copied { base: Iter { slice: [1] } } } }";
    assert_eq!(format!("{each:?}"), text);
    let each = iter::empty::<&i32>().cloned().map_init(|| 1, |_, n| n);
    let each = each.map_with("x", |_, n| n).clone();
    let text = "MapWith { base: MapInit { base: Cloned { base: Empty } }, item: \"x\" }";
    assert_eq!(format!("{each:?}"), text);
    let chunks = [1, 2].par_chunk_by(|a, b| a == b).clone();
    assert_eq!(format!("{chunks:?}"), "ChunkBy { slice: [1, 2] }");
}

/// Types can be named, and are types of their own: traits of users can be implemented for each.
#[test]
fn adaptors_of_single_items_are_types() {
    trait Named {
        const NAME: &'static str;
    }
    fn name<T: Named>(_: T) -> &'static str {
        T::NAME
    }
    macro_rules! named {
        ($($Name:ident [$($param:ident),*])*) => { $(
            impl<$($param),*> Named for iter::$Name<$($param),*> {
                const NAME: &'static str = stringify!($Name);
            }
        )* };
    }
    named! { Map[I, F] Copied[I] Cloned[I] Inspect[I, F] Update[I, F] MapWith[I, X, F] MapInit[I, N, F] }
    let items = || [1, 2].par_iter();
    assert_eq!(name(items().map(|n| n)), "Map");
    assert_eq!(name(items().copied()), "Copied");
    assert_eq!(name(items().cloned()), "Cloned");
    assert_eq!(name(items().inspect(|_| ())), "Inspect");
    assert_eq!(name(items().update(|_| ())), "Update");
    assert_eq!(name(items().map_with(1, |_, n| n)), "MapWith");
    assert_eq!(name(items().map_init(|| 1, |_, n| n)), "MapInit");
}

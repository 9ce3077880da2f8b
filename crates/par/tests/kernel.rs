//! The loop kernel under attack: user code that panics where only the kernel sees it, and merges
//! that do not commute.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::atomic::{AtomicUsize, Ordering::SeqCst},
};
use sumac_par::{iter::repeat_n, prelude::*};
use sumac_test_support::{dawdle, pool};

/// Its clones count, and the last of them panics.
struct Fuse<'c>(&'c AtomicUsize);

impl Clone for Fuse<'_> {
    fn clone(&self) -> Self {
        let lit = self
            .0
            .fetch_update(SeqCst, SeqCst, |left| left.checked_sub(1));
        assert!(lit != Ok(1), "clone");
        Fuse(self.0)
    }
}

#[test]
fn a_panic_while_splitting_is_the_loops() {
    const ITEMS: usize = if cfg!(miri) { 6 } else { 40 };
    let pool = pool(2);
    for clones in 1..2 * ITEMS {
        let fuse = AtomicUsize::new(clones);
        let items = AtomicUsize::new(0);
        let attempt = || {
            repeat_n(Fuse(&fuse), ITEMS).for_each(|_| {
                items.fetch_add(1, SeqCst);
                dawdle();
            });
        };
        match pool.install(|| catch_unwind(AssertUnwindSafe(attempt))) {
            Ok(()) => {
                assert_eq!(items.load(SeqCst), ITEMS);
                assert_ne!(fuse.load(SeqCst), 0, "a panic was lost");
            }
            Err(payload) => assert_eq!(payload.downcast_ref(), Some(&"clone")),
        }
    }
}

/// Counts the living, so that what is lost or dropped twice shows.
struct Alive<'c>(&'c AtomicUsize, String);

impl<'c> Alive<'c> {
    fn new(alive: &'c AtomicUsize, text: String) -> Self {
        alive.fetch_add(1, SeqCst);
        Alive(alive, text)
    }
}

impl Drop for Alive<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, SeqCst);
    }
}

const ITEMS: u32 = if cfg!(miri) { 10 } else { 100 };

#[test]
fn merges_need_not_commute_nor_begin_in_place() {
    for threads in [1, 2, 4] {
        pool(threads).install(|| {
            let texts = (0..ITEMS).into_par_iter().map(|i| {
                dawdle();
                i.to_string()
            });
            let one_by_one: Vec<String> = (0..ITEMS).map(|i| i.to_string()).collect();
            let concatenated = texts.clone().reduce(String::new, |a, b| a + &b);
            assert_eq!(concatenated, one_by_one.concat());
            assert_eq!(texts.clone().collect::<Vec<_>>(), one_by_one);
            assert_eq!(texts.filter(|_| true).collect::<Vec<_>>(), one_by_one);
        });
    }
}

#[test]
fn loops_inside_loops_collect_in_order() {
    pool(3).install(|| {
        let rows = (0..ITEMS / 2).into_par_iter().map(|row| {
            let cells = (0..row % 7).into_par_iter().map(|cell| {
                dawdle();
                (row, cell)
            });
            cells.collect::<Vec<_>>()
        });
        let expected = (0..ITEMS / 2).map(|row| (0..row % 7).map(|cell| (row, cell)).collect());
        assert_eq!(rows.collect::<Vec<_>>(), expected.collect::<Vec<Vec<_>>>());
    });
}

#[test]
fn a_collection_that_panics_drops_each_item_once() {
    let pool = pool(3);
    let alive = AtomicUsize::new(0);
    for bad in [0, ITEMS / 2, ITEMS - 1, ITEMS] {
        let item = |i: u32| {
            dawdle();
            assert!(i != bad, "bad");
            Alive::new(&alive, i.to_string())
        };
        let collect = || (0..ITEMS).into_par_iter().map(item).collect::<Vec<_>>();
        let result = pool.install(|| catch_unwind(AssertUnwindSafe(collect)));
        match result {
            Ok(items) => {
                assert_eq!(bad, ITEMS);
                assert_eq!(alive.load(SeqCst), items.len());
                assert!(
                    (0..ITEMS)
                        .zip(&items)
                        .all(|(i, item)| item.1 == i.to_string())
                );
            }
            Err(payload) => assert_eq!(payload.downcast_ref(), Some(&"bad")),
        }
        assert_eq!(alive.load(SeqCst), 0);
    }
}

/// Their number is all there is to see of them.
#[test]
fn items_without_size_are_counted() {
    static ALIVE: AtomicUsize = AtomicUsize::new(0);
    struct Nothing;
    impl Drop for Nothing {
        fn drop(&mut self) {
            ALIVE.fetch_sub(1, SeqCst);
        }
    }
    let item = |i: u32| {
        dawdle();
        assert!(i != ITEMS / 2, "bad");
        ALIVE.fetch_add(1, SeqCst);
        Nothing
    };
    let pool = pool(2);
    for items in [ITEMS / 2, ITEMS] {
        let collect = || (0..items).into_par_iter().map(item).collect::<Vec<_>>();
        let result = pool.install(|| catch_unwind(AssertUnwindSafe(collect)));
        let found = result.as_ref().map_or(0, Vec::len);
        assert_eq!(ALIVE.load(SeqCst), found);
        assert_eq!(result.is_ok(), items < ITEMS);
    }
    assert_eq!(ALIVE.load(SeqCst), 0);
}

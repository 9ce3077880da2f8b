//! Tests of iterators with wrong lengths: users cannot write one, and if we did, `collect` would
//! panic and do nothing worse.

use crate::{
    iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator},
    shape::{Producer, Seal, Sink, drive_indexed},
    vec,
};
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::atomic::{AtomicUsize, Ordering::SeqCst},
};

/// Counts live items, and owns memory, so that a double drop or a leak is found.
struct Item<'c>(&'c AtomicUsize, Box<usize>);

impl<'c> Item<'c> {
    fn some(count: usize, alive: &'c AtomicUsize) -> Vec<Self> {
        alive.fetch_add(count, SeqCst);
        (0..count).map(|n| Item(alive, Box::new(n))).collect()
    }
}

impl Clone for Item<'_> {
    fn clone(&self) -> Self {
        self.0.fetch_add(1, SeqCst);
        Item(self.0, self.1.clone())
    }
}

impl Drop for Item<'_> {
    fn drop(&mut self) {
        assert_ne!(self.0.fetch_sub(1, SeqCst), 0, "dropped twice");
    }
}

/// Claims a number of items, and another number for its producer when it is created.
#[derive(Clone)]
struct Liar<'c> {
    items: vec::IntoIter<Item<'c>>,
    said: usize,
    produced: usize,
}

impl<'c> ParallelIterator for Liar<'c> {
    type Item = Item<'c>;

    drive_indexed!();
}

impl<'c> IndexedParallelIterator for Liar<'c> {
    type Producer<'p>
        = LyingProducer<<vec::IntoIter<Item<'c>> as IndexedParallelIterator>::Producer<'p>>
    where
        Self: 'p;

    fn len(&self) -> usize {
        self.said
    }

    fn producer(&mut self, seal: Seal) -> Self::Producer<'_> {
        LyingProducer {
            items: self.items.producer(seal),
            said: self.produced,
        }
    }
}

struct LyingProducer<P> {
    items: P,
    said: usize,
}

impl<P: Producer> Producer for LyingProducer<P> {
    type Item = P::Item;
    type State = P::State;
    type Iter = P::Iter;

    fn len(&self) -> usize {
        self.said
    }

    fn split_at(self, at: usize) -> (Self, Self) {
        // Where it lies, all items but one stay on the left.
        let len = self.items.len();
        let wrong = len.saturating_sub(1);
        let (left, right) = self
            .items
            .split_at(if self.said == len { at } else { wrong });
        let lying = |items, said| LyingProducer { items, said };
        (lying(left, at), lying(right, self.said - at))
    }

    fn state(&self) -> P::State {
        self.items.state()
    }

    fn iter(self, state: &P::State) -> P::Iter {
        self.items.iter(state)
    }
}

/// Runs `f` on liars of all sorts, and on honest ones. All items are dropped once, whether `f`
/// panics or not.
fn with_liars(f: impl for<'c> Fn(Liar<'c>, Vec<Item<'c>>)) {
    let lens = if cfg!(miri) { [0, 1, 3] } else { [0, 1, 40] };
    for (has, said, produced) in lens.into_iter().flat_map(|has| {
        lens.into_iter()
            .flat_map(move |said| lens.map(|produced| (has, said, produced)))
    }) {
        let alive = AtomicUsize::new(0);
        let items = Item::some(has, &alive).into_par_iter();
        let others = Item::some(7, &alive);
        let liar = Liar {
            items,
            said,
            produced,
        };
        let outcome = catch_unwind(AssertUnwindSafe(|| f(liar, others)));
        let honest = has == said && said == produced;
        assert!(outcome.is_ok() || !honest);
        assert_eq!(alive.into_inner(), 0, "each is dropped once");
    }
}

#[test]
fn alone() {
    with_liars(|liar, _| drop(liar.collect::<Vec<_>>()));
    with_liars(|liar, _| drop(liar.rev().collect::<Vec<_>>()));
}

#[test]
fn in_chains() {
    with_liars(|liar, others| drop(liar.rev().chain(others).collect::<Vec<_>>()));
    with_liars(|liar, others| drop(others.into_par_iter().chain(liar).collect::<Vec<_>>()));
    with_liars(|liar, others| {
        let chain = liar.clone().chain(others).chain(liar);
        drop(chain.collect::<Vec<_>>());
    });
}

#[test]
fn with_separators() {
    with_liars(|liar, mut others| {
        let spaced = liar.intersperse(others.remove(0));
        drop(spaced.chain(others).collect::<Vec<_>>());
    });
}

#[test]
fn in_pairs() {
    with_liars(|liar, others| {
        let pairs = liar.chain(others).map(|item| (item.clone(), item));
        drop(pairs.unzip::<_, _, Vec<_>, Vec<_>>());
    });
}

/// Two items, and a run between them whose rest was given away before it had begun: the next one
/// begins where it does.
struct Overtaken<'c>(Item<'c>, Item<'c>);

impl<'c> ParallelIterator for Overtaken<'c> {
    type Item = Item<'c>;

    fn drive<S: Sink<Item<'c>>>(self, sink: &S) -> S::Output {
        let run = |position, item: Option<Item<'c>>| {
            let mut acc = sink.begin(position);
            sink.allot(&mut acc, usize::from(item.is_some()));
            sink.push_all(&mut acc, item.into_iter());
            sink.finish(acc)
        };
        let first = sink.merge(run(0, Some(self.0)), run(1, None));
        sink.merge(first, run(1, Some(self.1)))
    }

    fn exact_len(&self, _: Seal) -> Option<usize> {
        Some(2)
    }
}

/// None of these lies.
#[test]
fn separators_behind_empty_runs() {
    let alive = AtomicUsize::new(0);
    let mut items = Item::some(3, &alive).into_iter().rev();
    let (Some(c), Some(b), Some(a)) = (items.next(), items.next(), items.next()) else {
        unreachable!("three items");
    };
    let all: Vec<_> = Overtaken(a, c).intersperse(b).collect();
    let numbers: Vec<_> = all.iter().map(|item| *item.1).collect();
    assert_eq!(numbers, [0, 1, 2]);
    drop(all);
    assert_eq!(alive.load(SeqCst), 0, "each is dropped once");
}

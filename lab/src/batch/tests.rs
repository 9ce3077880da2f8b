//! The experiments under test: that a structure that cheats is caught.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};

use super::Drive;
use super::counters::{self, SharedCounter};
use super::maps::{Bench, shared};
use super::place::Pools;
use crate::structure::work::{Keys, Kind, Op, Preset, Work, first_value};
use crate::structure::{Owned, Shared};

const SMALL: Kind = Kind {
    family: "maps",
    preset: 500,
    operations: 2_000,
    inserts: 50,
    keys: Keys::Zipf,
};

/// A counter that forgets one increment in a hundred.
struct Forgetful(AtomicI64, AtomicI64);

impl SharedCounter for Forgetful {
    fn zero() -> Self {
        Forgetful(AtomicI64::new(0), AtomicI64::new(0))
    }

    fn add(&self) -> i64 {
        let forgets = self.1.fetch_add(1, Relaxed) % 100 == 99;
        self.0.fetch_add(i64::from(!forgets), Relaxed)
    }

    fn value(&self) -> i64 {
        self.0.load(Relaxed)
    }
}

#[test]
fn a_counter_that_forgets_is_caught() {
    let mut pools = Pools::default();
    for drive in [Drive::Loop, Drive::Tasks(10)] {
        let pool = pools.get(drive, 2).expect("a pool");
        let repeat = |count| counters::repeat::<Forgetful>(pool, drive, count);
        assert!(repeat(99).is_ok());
        let failure = repeat(1_000).expect_err("increments are lost").to_string();
        assert!(failure.contains("1000 increments made 990"), "{failure}");
    }
}

/// A map that does something wrong with one operation: it loses it, answers with what was never a
/// value or with an old one, or loses another key. With `4` it is right.
struct Wrong<const HOW: u32>(std::sync::Mutex<BTreeMap<u64, u64>>);

impl<const HOW: u32> Shared for Wrong<HOW> {
    type Owned = BTreeMap<u64, u64>;

    fn of(map: Self::Owned) -> Self {
        Wrong(map.into())
    }

    fn into_owned(self) -> Self::Owned {
        self.0.into_inner().expect("no caller panics")
    }

    fn act(&self, op: Op) -> Option<u64> {
        let mut map = self.0.lock().expect("no caller panics");
        let how = if op.insert == Some(77) { HOW } else { 4 };
        if how == 0 {
            return map.find(op.key);
        }
        let before = map.act(op);
        match how {
            1 => Some(12_345_678),
            2 => Some(first_value(op.key ^ 4)),
            3 => map.pop_last().and(before),
            _ => before,
        }
    }
}

fn caught<const HOW: u32>() -> bool {
    [Keys::Uniform, Keys::Zipf].into_iter().all(|keys| {
        let inserts = 100;
        let kind = Kind {
            inserts,
            keys,
            ..SMALL
        };
        let mut preset = Arc::new(Preset::new(kind.preset));
        let work = Arc::new(Work::new(kind, &mut preset, 0));
        let mut places = Drive::Tasks(20).on_each("wrong", &[2], ());
        let (place, ()) = places.next().expect("one");
        shared::<Wrong<HOW>>(&mut Bench::default(), place, &work).is_err()
    })
}

#[test]
fn a_map_that_is_wrong_once_is_caught() {
    assert!(caught::<0>() && caught::<1>() && caught::<2>() && caught::<3>());
    assert!(!caught::<4>());
}

/// Carries out the work in order, and returns the contents.
fn oracle(work: &Work, preset: &Preset) -> BTreeMap<u64, u64> {
    let mut map: BTreeMap<_, _> = preset.keys.iter().map(|&k| (k, first_value(k))).collect();
    for (number, op) in work.ops.iter().enumerate() {
        work.answer(number, map.act(*op));
    }
    map
}

#[test]
fn what_comes_in_another_order_is_right_only_without_one() {
    let mut preset = Arc::new(Preset::new(SMALL.preset));
    let work = Work::new(SMALL, &mut preset, 3);
    let check = |map: &BTreeMap<u64, u64>, in_order| {
        work.check(map.iter().map(|(&k, &v)| (k, v)), in_order)
    };
    let mut map = oracle(&work, &preset);
    assert_eq!(check(&map, true), Ok(()));
    assert_eq!(check(&map, false), Ok(()));

    // The first two insertions of a key change places.
    let key = preset.keys[0];
    let is_one = |&n: &usize| work.ops[n].key == key && work.ops[n].insert.is_some();
    let mut insertions = (0..work.ops.len()).filter(is_one);
    let [a, b, third] = [(); 3].map(|()| insertions.next().expect("it is a frequent key"));
    work.answer(b, Some(first_value(key)));
    work.answer(a, work.ops[b].insert);
    work.answer(third, work.ops[a].insert);
    assert!(check(&map, true).is_err());
    assert_eq!(check(&map, false), Ok(()));

    // A circle, and the last value comes from nowhere.
    work.answer(b, work.ops[a].insert);
    assert!(check(&map, false).is_err());

    let right = oracle(&work, &preset);
    assert_eq!(check(&right, true), Ok(()));
    for change in [(key, None), (1, Some(1)), (key, Some(first_value(key)))] {
        map.clone_from(&right);
        map.remove(&change.0);
        map.extend(change.1.map(|value| (change.0, value)));
        assert!(check(&map, false).is_err(), "{change:?}");
    }
}

#[test]
fn a_set_that_loses_a_key_is_caught() {
    let kind = Kind {
        family: "sets",
        keys: Keys::Uniform,
        ..SMALL
    };
    let mut preset = Arc::new(Preset::new(kind.preset));
    let work = Work::new(kind, &mut preset, 2);
    let mut set: BTreeSet<u64> = preset.keys.iter().copied().collect();
    for (number, &op) in work.ops.iter().enumerate() {
        work.answer(number, set.act(op));
    }
    let check = |set: &BTreeSet<u64>| {
        [true, false].map(|o| work.check(set.entries().into_iter(), o).is_ok())
    };
    assert_eq!(check(&set), [true; 2]);
    let inserted = work.ops.iter().find(|op| op.insert.is_some());
    for key in [inserted.expect("half are").key, preset.keys[3]] {
        assert!(set.remove(&key));
        assert_eq!(check(&set), [false; 2]);
        assert!(set.insert(key));
    }
    assert!(set.insert(1));
    assert_eq!(check(&set), [false; 2]);
}

//! The sets of integers. They are told no values, and answer whether a key was there.

use std::collections::BTreeSet;
use std::sync::Mutex;

use sumac::batch::{Contains, InsertKey, IntSet};

use super::batched::InBatches;
use super::map::{NO_PANIC, Owned, Shared};
use super::work::{Op, UNTOLD, Work, first_value};

/// What a map would answer whose every key has its first value.
fn as_of_a_map(key: u64, was_there: bool) -> Option<u64> {
    was_there.then(|| first_value(key))
}

/// `Owned` for a set, and `Shared` for it in a lock: how it finds and removes a key.
macro_rules! set {
    ($set:ty, $name:literal, $locked:literal, $it:ident, $key:ident:
     $contains:expr, $remove:expr, $keys:expr) => {
        impl Owned for $set {
            const NAME: &'static str = $name;

            fn act(&mut self, op: Op, number: usize, work: &Work) {
                let ($it, $key) = (self, op.key);
                let was_there = match op.insert {
                    Some(_) => !$it.insert($key),
                    None => $contains,
                };
                work.answer(number, as_of_a_map(op.key, was_there));
            }

            fn put(&mut self, key: u64, _value: u64) {
                self.insert(key);
            }

            fn take(&mut self, $key: u64) {
                let $it = self;
                $remove;
            }

            fn entries(&self) -> impl Iterator<Item = (u64, u64)> {
                let $it = self;
                $keys.map(|key| (key, UNTOLD))
            }
        }

        impl Shared for Mutex<$set> {
            const NAME: &'static str = $locked;
            type Owned = $set;

            fn of(set: $set) -> Self {
                Mutex::new(set)
            }

            fn into_owned(self) -> $set {
                self.into_inner().expect(NO_PANIC)
            }

            fn act(&self, op: Op, number: usize, work: &Work) {
                self.lock().expect(NO_PANIC).act(op, number, work);
            }
        }
    };
}

set!(IntSet, "int set", "Mutex<IntSet>", it, key:
    it.contains(key), it.remove(key), it.iter());
set!(BTreeSet<u64>, "BTreeSet", "Mutex<BTreeSet>", it, key:
    it.contains(&key), it.remove(&key), it.iter().copied());

impl InBatches for IntSet {
    type Insert = InsertKey;
    type Search = Contains<u64>;

    fn insert(key: u64, _value: u64) -> InsertKey {
        InsertKey(key)
    }

    fn search(key: u64) -> Contains<u64> {
        Contains(key)
    }

    fn before(key: u64, is_new: bool) -> Option<u64> {
        as_of_a_map(key, !is_new)
    }

    fn found(key: u64, is_there: bool) -> Option<u64> {
        as_of_a_map(key, is_there)
    }
}

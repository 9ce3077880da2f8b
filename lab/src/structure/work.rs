//! What is done to a map in one repetition: operations on random keys, the answers that came, and
//! whether those and the map's contents are right. Each insertion's value is its number, so the
//! answers say who came after whom: the insertions of a key must form one chain from its first
//! value to its last. Where the order of the operations is known, every answer must be a
//! `BTreeMap`'s.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use rand_distr::{Distribution, Zipf};

use crate::program::random::{Random, scatter};

/// Where the numbers of keys begin that are no presets; their keys are `scatter`'s, which never
/// repeats itself.
const FRESH: u64 = 1 << 40;
/// Where each round's random choices begin.
const CHOICES: u64 = 1 << 50;
/// Distance between two rounds' numbers.
const ROUND: u64 = 1 << 32;
/// The exponent of Zipf's law, as benchmarks of databases have it.
const EXPONENT: f64 = 0.99;
/// The answer that there was nothing.
const NOTHING: u64 = u64::MAX;
/// The answer of a map that does not tell, and the value of a set that has none.
pub(crate) const UNTOLD: u64 = u64::MAX - 1;
/// No answer yet.
const MISSING: u64 = u64::MAX - 2;

/// Which keys operations are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keys {
    /// Insertions bring new keys, searches look for preset ones.
    Uniform,
    /// Zipf's law over twice as many keys as are preset; every other one is preset.
    Zipf,
}

/// A kind of workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kind {
    /// Done to what.
    pub(crate) family: &'static str,
    /// Keys that are there before.
    pub(crate) preset: usize,
    /// Operations.
    pub(crate) operations: usize,
    /// Insertions among a hundred operations; the others are searches.
    pub(crate) inserts: u64,
    /// Which keys.
    pub(crate) keys: Keys,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = |n: usize| match n {
            n if n % 1_000_000 == 0 => format!("{} M", n / 1_000_000),
            n if n % 1000 == 0 => format!("{} k", n / 1000),
            n => n.to_string(),
        };
        let keys = match self.keys {
            Keys::Uniform => "uniform",
            Keys::Zipf => "Zipf",
        };
        let (family, inserts, searches) = (self.family, self.inserts, 100 - self.inserts);
        let (preset, operations) = (count(self.preset), count(self.operations));
        write!(
            f,
            "{family} of {preset}, {operations} × {inserts}/{searches}, {keys}"
        )
    }
}

/// An operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Op {
    /// About this key.
    pub(crate) key: u64,
    /// The value to insert, or nothing to be searched for.
    pub(crate) insert: Option<u64>,
}

/// What every map is filled with.
#[derive(Debug)]
pub(crate) struct Preset {
    /// The keys, in the order in which maps are filled.
    pub(crate) keys: Vec<u64>,
    /// In their own order.
    sorted: Vec<u64>,
    /// Knows the right answers.
    oracle: BTreeMap<u64, u64>,
}

impl Preset {
    /// So many random keys.
    pub(crate) fn new(size: usize) -> Preset {
        let keys: Vec<u64> = (0..size as u64).map(scatter).collect();
        let mut sorted = keys.clone();
        sorted.sort_unstable();
        let oracle = sorted.iter().map(|&key| (key, first_value(key))).collect();
        Preset {
            keys,
            sorted,
            oracle,
        }
    }
}

/// A preset key's value: no insertion has it, and no special answer.
pub(crate) fn first_value(key: u64) -> u64 {
    1 << 63 | key >> 2
}

/// The operations about one key.
#[derive(Debug)]
struct Group {
    key: u64,
    /// The value before.
    first: Option<u64>,
    /// The numbers of its operations, ascending.
    numbers: Vec<u32>,
    /// Whether there is an insertion among them.
    changed: bool,
}

/// One round's operations.
#[derive(Debug)]
pub(crate) struct Work {
    /// In their order, where they have one.
    pub(crate) ops: Vec<Op>,
    answers: Vec<AtomicU64>,
    /// What answers in that order are.
    expected: Vec<Option<u64>>,
    groups: Vec<Group>,
    pub(crate) preset: Arc<Preset>,
}

impl Work {
    /// The operations of the round of this number.
    pub(crate) fn new(kind: Kind, preset: &mut Arc<Preset>, round: usize) -> Work {
        let ops = ops(kind, &preset.keys, round as u64);
        let oracle = &mut Arc::get_mut(preset).expect("the last round is over").oracle;
        let mut by_key: BTreeMap<u64, Group> = BTreeMap::new();
        for (number, op) in ops.iter().enumerate() {
            let group = by_key.entry(op.key).or_insert_with(|| Group {
                key: op.key,
                first: oracle.get(&op.key).copied(),
                numbers: Vec::new(),
                changed: false,
            });
            group.numbers.push(number as u32);
            group.changed |= op.insert.is_some();
        }
        let groups: Vec<Group> = by_key.into_values().collect();
        let answer = |op: &Op| match op.insert {
            Some(value) => oracle.insert(op.key, value),
            None => oracle.get(&op.key).copied(),
        };
        let expected = ops.iter().map(answer).collect();
        for group in groups.iter().filter(|group| group.changed) {
            match group.first {
                Some(value) => oracle.insert(group.key, value),
                None => oracle.remove(&group.key),
            };
        }
        Work {
            answers: ops.iter().map(|_| AtomicU64::new(MISSING)).collect(),
            ops,
            expected,
            groups,
            preset: Arc::clone(preset),
        }
    }

    /// Notes an answer.
    pub(crate) fn answer(&self, number: usize, answer: Option<u64>) {
        self.answers[number].store(answer.unwrap_or(NOTHING), Relaxed);
    }

    /// Forgets all answers.
    pub(crate) fn forget(&self) {
        for answer in &self.answers {
            answer.store(MISSING, Relaxed);
        }
    }

    /// What takes the insertions back: keys with the values that they had.
    pub(crate) fn undo(&self) -> impl Iterator<Item = (u64, Option<u64>)> {
        let changed = self.groups.iter().filter(|group| group.changed);
        changed.map(|group| (group.key, group.first))
    }

    /// Whether these are the right contents, in order, and the answers are right, with or without
    /// an order of the operations.
    pub(crate) fn check(
        &self,
        contents: impl Iterator<Item = (u64, u64)>,
        in_order: bool,
    ) -> Result<(), String> {
        let mut presets = self.preset.sorted.iter().copied().peekable();
        let mut groups = self.groups.iter().peekable();
        for (key, value) in contents {
            // Groups without a value of their own must not be in the map.
            while let Some(group) = groups.next_if(|g| g.key < key) {
                self.check_group(group, None, in_order)?;
            }
            let preset = presets.next_if_eq(&key).is_some();
            if let Some(lost) = presets.next_if(|&preset| preset < key) {
                return Err(format!("the preset key {lost} is lost"));
            }
            match groups.next_if(|group| group.key == key) {
                Some(group) => self.check_group(group, Some(value), in_order)?,
                None if preset && (value == first_value(key) || value == UNTOLD) => {}
                None => return Err(format!("{key} was never inserted with the value {value}")),
            }
        }
        if let Some(lost) = presets.next() {
            return Err(format!("the preset key {lost} is lost"));
        }
        groups.try_for_each(|group| self.check_group(group, None, in_order))
    }

    fn check_group(&self, group: &Group, last: Option<u64>, in_order: bool) -> Result<(), String> {
        let answer = |number: u32| self.answers[number as usize].load(Relaxed);
        let inserts = |number: &u32| self.ops[*number as usize].insert.is_some();
        let code = |value: Option<u64>| value.unwrap_or(NOTHING);
        let wrong = |what: &str| Err(format!("{what} of the key {}", group.key));
        let told = |number: u32| answer(number) != UNTOLD;
        if in_order {
            let right = |&n: &u32| answer(n) == code(self.expected[n as usize]) || !told(n);
            let inserted = group.numbers.iter().rev().find(|n| inserts(n));
            let value = inserted.map_or(group.first, |&n| self.ops[n as usize].insert);
            let is_last = value == last || (value.is_some() && last == Some(UNTOLD));
            return match is_last && group.numbers.iter().all(right) {
                true => Ok(()),
                false => wrong("a wrong answer or last value"),
            };
        }
        let op = |value: u64| self.ops.get(usize::try_from(value).ok()?);
        let inserted =
            |value: u64| op(value).is_some_and(|op| op.key == group.key && op.insert.is_some());
        let insertions = group.numbers.iter().filter(|n| inserts(n)).count();
        let searches = group.numbers.iter().filter(|n| !inserts(n));
        // A map that does not tell the value before also removes it before it inserts the new one.
        let may_be_gone = group.numbers.iter().any(|n| !told(*n));
        let mine = |value: u64| {
            value == code(group.first) || inserted(value) || (value == NOTHING && may_be_gone)
        };
        if !searches.copied().all(|n| mine(answer(n))) {
            return wrong("a search found what was never a value");
        }
        if last == Some(UNTOLD) {
            return match group.changed || group.first.is_some() {
                true => Ok(()),
                false => wrong("a presence that was never inserted"),
            };
        }
        if group.changed != last.is_some_and(|value| value != code(group.first)) {
            return wrong("a wrong last value");
        }
        // From the last value back to the first.
        let mut value = code(last);
        for _ in 0..insertions {
            if !inserted(value) {
                return wrong("the insertions are no chain");
            }
            let before = answer(value as u32);
            if before == UNTOLD {
                return Ok(());
            }
            value = before;
        }
        if value == code(group.first) {
            Ok(())
        } else {
            wrong("the insertions are no chain")
        }
    }
}

/// Random operations.
fn ops(kind: Kind, presets: &[u64], round: u64) -> Vec<Op> {
    let mut random = Random::at(CHOICES + round * ROUND);
    let count = presets.len() as u64;
    let zipf = Zipf::new(2.0 * count as f64, EXPONENT).expect("it is a distribution");
    let op = |number: usize| {
        let insert = random.below(100) < kind.inserts;
        let key = match kind.keys {
            Keys::Uniform if insert => scatter(FRESH + round * ROUND + number as u64),
            Keys::Uniform => presets[random.below(count) as usize],
            Keys::Zipf => {
                // Ranks count from one.
                let rank = zipf.sample(&mut random) as u64 - 1;
                match rank % 2 {
                    0 => presets[(rank / 2) as usize],
                    _ => scatter(FRESH + rank),
                }
            }
        };
        Op {
            key,
            insert: insert.then_some(number as u64),
        }
    };
    (0..kind.operations).map(op).collect()
}

//! What sets of integers answer, by std's; and any operations for them.

use super::{IntSetAnswer, IntSetOp};
use proptest::prelude::*;
use std::{
    collections::BTreeSet,
    ops::{Bound, RangeBounds},
};

/// What an operation answers by itself.
pub(crate) fn answer(set: &mut BTreeSet<u64>, op: &IntSetOp) -> IntSetAnswer {
    let inside = |bounds: &(Bound<u64>, Bound<u64>), n: usize| {
        let keys = set.iter().filter(|&key| bounds.contains(key));
        IntSetAnswer::Keys(keys.take(n).copied().collect())
    };
    match op {
        IntSetOp::Insert(key) => IntSetAnswer::Yes(set.insert(*key)),
        IntSetOp::Remove(key) => IntSetAnswer::Yes(set.remove(key)),
        IntSetOp::Contains(key) => IntSetAnswer::Yes(set.contains(key)),
        IntSetOp::Successor(key) => {
            let mut later = set.range((Bound::Excluded(*key), Bound::Unbounded));
            IntSetAnswer::Key(later.next().copied())
        }
        IntSetOp::Predecessor(key) => IntSetAnswer::Key(set.range(..key).next_back().copied()),
        IntSetOp::Range(bounds) => inside(bounds, usize::MAX),
        IntSetOp::TakeRange(n, bounds) => inside(bounds, *n),
        IntSetOp::First => IntSetAnswer::Key(set.first().copied()),
        IntSetOp::Last => IntSetAnswer::Key(set.last().copied()),
        IntSetOp::Len => IntSetAnswer::Len(set.len()),
        #[allow(unreachable_patterns, reason = "the crate's own tests know all")]
        _ => unreachable!("an operation that the oracle does not know"),
    }
}

/// What the operations of a batch answer: those that look see the set as it was.
#[allow(dead_code, reason = "some programs have no batches")]
pub(crate) fn answers(set: &mut BTreeSet<u64>, ops: &[IntSetOp]) -> Vec<IntSetAnswer> {
    let mut before = set.clone();
    let answers = ops.iter().map(|op| match op {
        IntSetOp::Insert(_) | IntSetOp::Remove(_) => answer(set, op),
        _ => answer(&mut before, op),
    });
    answers.collect()
}

/// Numbers that are close to each other or far apart, also at both ends of what there is.
#[allow(dead_code, reason = "some programs have operations of their own")]
pub(crate) fn key() -> impl Strategy<Value = u64> {
    let digits = (0..11_u32, 0..64_u64, 0..70_u64);
    prop_oneof![
        0..20_u64,
        0..300_u64,
        0..20_000_u64,
        digits.prop_map(|(level, digit, below)| (digit << (6 * level)).wrapping_add(below)),
        (0..200_u64).prop_map(|key| u64::MAX - key),
        any::<u64>(),
    ]
}

/// Any operation on such numbers; so many of ten changes take numbers out.
#[allow(dead_code, reason = "some programs have operations of their own")]
pub(crate) fn op(removals: u32) -> impl Strategy<Value = IntSetOp> {
    let bound = || {
        prop_oneof![
            key().prop_map(Bound::Included),
            key().prop_map(Bound::Excluded),
            Just(Bound::Unbounded),
        ]
    };
    let bounds = || (bound(), bound()).prop_map(Box::new);
    prop_oneof![
        2 * (10 - removals) => key().prop_map(IntSetOp::Insert),
        2 * removals => key().prop_map(IntSetOp::Remove),
        3 => key().prop_map(IntSetOp::Contains),
        2 => key().prop_map(IntSetOp::Successor),
        2 => key().prop_map(IntSetOp::Predecessor),
        1 => bounds().prop_map(IntSetOp::Range),
        1 => (0..9_usize, bounds()).prop_map(|(n, bounds)| IntSetOp::TakeRange(n, bounds)),
        1 => prop_oneof![Just(IntSetOp::First), Just(IntSetOp::Last), Just(IntSetOp::Len)],
    ]
}

//! Many light items and a heavy one among them that lasts as long as all the others together, at
//! the front, in the middle or at the end. Ideally one thread does it while the others do the rest.

use std::time::Duration;

use super::{by_library, each_library};
use crate::contender::Contender;
use crate::problem::Problem;
use crate::problem::spin::{rounds_for, spin};

/// A light item.
const LIGHT: Duration = Duration::from_micros(5);

/// Items, each with its rounds.
pub(crate) struct Heavy {
    items: Vec<u64>,
    expected: u64,
}

impl Heavy {
    /// The heavy one comes first.
    pub(crate) fn first(size: usize) -> Heavy {
        Heavy::new(size, 0)
    }

    /// The heavy one comes in the middle.
    pub(crate) fn middle(size: usize) -> Heavy {
        Heavy::new(size, size / 2)
    }

    /// The heavy one comes last.
    pub(crate) fn last(size: usize) -> Heavy {
        Heavy::new(size, size)
    }

    fn new(size: usize, place: usize) -> Heavy {
        let light = rounds_for(LIGHT);
        let mut items = vec![light; size];
        items.insert(place, light * size as u64);
        let expected = work(&items);
        Heavy { items, expected }
    }
}

fn item(rounds: &u64) -> u64 {
    spin(*rounds, *rounds) >> 32
}

fn work(items: &[u64]) -> u64 {
    items.iter().map(item).sum()
}

each_library! {
    pub(super) fn work(items: &[u64]) -> u64 {
        items.par_iter().map(item).sum()
    }
}

impl Problem for Heavy {
    fn solve<C: Contender>(&self, _cx: &mut C::Cx<'_>) -> u64 {
        by_library!(C => work(&self.items))
    }

    fn expected(&self) -> u64 {
        self.expected
    }
}

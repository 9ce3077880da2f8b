//! A stable sort of strings: comparisons that go through pointers. Each string comes with a number,
//! which shows whether equal strings have kept their order.

use super::random::{digest, scatter};
use super::work::Work;
use super::{by_library, each_library};
use crate::contender::Contender;
use crate::problem::Problem;

/// A string, and its number.
type Entry = (String, u32);

/// Strings to be sorted.
pub(crate) struct Strings {
    work: Work<Vec<Entry>>,
    expected: u64,
}

impl Strings {
    /// So many, a third of them equal to another.
    pub(crate) fn new(size: usize) -> Strings {
        let entry = |n: usize| {
            let text = format!("{:x}", scatter(n as u64) % (size as u64 * 2));
            (text, n as u32)
        };
        let entries: Vec<Entry> = (0..size).map(entry).collect();
        let mut sorted = entries.clone();
        sorted.sort();
        Strings {
            expected: order(&sorted),
            work: Work::new(entries),
        }
    }
}

fn order(entries: &[Entry]) -> u64 {
    digest(entries.iter().map(|entry| u64::from(entry.1)))
}

fn sort(entries: &mut [Entry]) {
    entries.sort_by(|a, b| a.0.cmp(&b.0));
}

each_library! {
    pub(super) fn sort(entries: &mut [Entry]) {
        entries.par_sort_by(|a, b| a.0.cmp(&b.0));
    }
}

impl Problem for Strings {
    fn solve<C: Contender>(&self, _cx: &mut C::Cx<'_>) -> u64 {
        by_library!(C => sort(&mut self.work.lock()));
        0
    }

    fn expected(&self) -> u64 {
        self.expected
    }

    fn in_place(&self) -> bool {
        true
    }

    fn reset(&self) {
        self.work.reset();
    }

    fn answer(&self, _returned: u64) -> u64 {
        order(&self.work.lock())
    }
}

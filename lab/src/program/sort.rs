//! The libraries' own sorts: unstable ones of numbers; a stable one of strings, whose comparisons
//! go through pointers. Each string comes with a number, which shows whether equal strings have
//! kept their order.

use super::library::{InPlace, each_library, texts};
use super::random::{digest, scatter};

/// A string, and its number.
type Entry = (String, u32);

/// These numbers.
pub(super) fn sort(values: Vec<u64>) -> InPlace<[u64]> {
    let mut sorted = values.clone();
    sorted.sort();
    let digest_of = |values: &[u64]| digest(values.iter().copied());
    InPlace::new(values, texts!(unstable), digest_of, digest(sorted))
}

/// So many strings, a third of them equal to another.
pub(super) fn strings(size: usize) -> InPlace<[Entry]> {
    let entry = |n: usize| {
        let text = format!("{:x}", scatter(n as u64) % (size as u64 * 2));
        (text, n as u32)
    };
    let entries: Vec<Entry> = (0..size).map(entry).collect();
    let mut sorted = entries.clone();
    sorted.sort();
    InPlace::new(entries, texts!(stable), order, order(&sorted))
}

fn order(entries: &[Entry]) -> u64 {
    digest(entries.iter().map(|entry| u64::from(entry.1)))
}

fn unstable(values: &mut [u64]) {
    values.sort_unstable();
}

fn stable(entries: &mut [Entry]) {
    entries.sort_by(|a, b| a.0.cmp(&b.0));
}

each_library! {
    pub(super) fn unstable(values: &mut [u64]) {
        values.par_sort_unstable();
    }

    pub(super) fn stable(entries: &mut [Entry]) {
        entries.par_sort_by(|a, b| a.0.cmp(&b.0));
    }
}

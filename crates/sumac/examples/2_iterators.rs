//! Parallel iterators: how often each word occurs, and which are the most frequent.
//!
//!     cargo run --release -p sumac --example 2_iterators

use std::collections::HashMap;
use sumac::prelude::*;

type Counts<'a> = HashMap<&'a str, usize>;

fn count<'a>(mut counts: Counts<'a>, word: &'a str) -> Counts<'a> {
    *counts.entry(word).or_default() += 1;
    counts
}

fn merge<'a>(mut left: Counts<'a>, right: Counts<'a>) -> Counts<'a> {
    for (word, n) in right {
        *left.entry(word).or_default() += n;
    }
    left
}

fn main() {
    let text =
        "the oldest fork becomes a job when the idle thread asks for the job\n".repeat(10_000);

    // One map for each run that a thread works on, not one for each piece: there is no grain size
    // to choose.
    let counts = text
        .par_split_whitespace()
        .fold(Counts::new, count)
        .reduce(Counts::new, merge);

    let mut words: Vec<(&str, usize)> = counts.into_iter().collect();
    words.par_sort_unstable_by_key(|(word, n)| (std::cmp::Reverse(*n), *word));
    assert_eq!(words[0], ("the", 30_000));

    let longest = text.par_lines().map(str::len).max();
    assert_eq!(longest, Some(67));

    for (word, n) in words.iter().take(3) {
        println!("{n:6} {word}");
    }
}

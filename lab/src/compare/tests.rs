//! What was planted is found, and noise is not.

use super::*;
use crate::page::tests::fixture::{cell, line, machine, visit};
use crate::page::{Loaded, load};
use crate::program::random::Random;
use crate::results::{Line, Outcome};

const CELLS: u64 = 40;
const VISITS: u32 = 5;

/// Results of many cells with the same noise, `slower` in cell 7.
fn lines(seed: u64, slower: f64) -> Vec<Line> {
    let random = &mut Random::at(seed * 1_000_003);
    let mut lines = Vec::new();
    for size in 1..=CELLS {
        for round in 0..VISITS {
            let ns = 1e4 * if size == 7 { slower } else { 1.0 };
            let outcome = Outcome::Measured(Box::new(visit(random, ns, 0.03, 1.0, size)));
            lines.push(line("e", cell("tree", size, "rayon", 2), round, outcome));
        }
    }
    lines
}

fn loaded(name: &str, lines: &[Line]) -> Loaded {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let path = folder.path().join(name).with_extension("jsonl");
    std::fs::write(&path, crate::page::tests::fixture::text(lines)).expect("a temporary file");
    load(&[path]).expect("the lines are results")
}

fn changed(comparison: &Comparison) -> Vec<(&str, Change)> {
    let changed = comparison.both.iter().filter(|c| c.change != Change::Same);
    changed.map(|c| (c.name.as_str(), c.change)).collect()
}

#[test]
fn a_cell_that_got_slower_is_found_and_no_other() {
    let before = loaded("before", &lines(1, 1.0));
    let slower = compare(&before, &loaded("slower", &lines(2, 1.4)), 0.02);
    assert_eq!(changed(&slower), [("e: tree 7 rayon x2", Change::Slower)]);
    let faster = compare(&before, &loaded("faster", &lines(2, 0.7)), 0.02);
    assert_eq!(changed(&faster), [("e: tree 7 rayon x2", Change::Faster)]);
    let bounded = compare(&before, &loaded("slower", &lines(2, 1.4)), 0.6);
    assert!(changed(&bounded).is_empty());
}

#[test]
fn noise_is_not_a_change() {
    let before = loaded("noise", &lines(1, 1.0));
    // At 5 % each, uncorrected, some 2 of 40 cells would be called changed in every run.
    let (mut corrected, mut uncorrected) = (0, 0);
    for seed in 3..8 {
        let after = loaded(&format!("noise-{seed}"), &lines(seed, 1.0));
        let comparison = compare(&before, &after, 0.0);
        corrected += changed(&comparison).len();
        uncorrected += comparison
            .both
            .iter()
            .filter(|c| c.ratio.p < CHANCE)
            .count();
    }
    assert_eq!(corrected, 0);
    assert!((1..=30).contains(&uncorrected), "{uncorrected} of 200");
}

#[test]
fn one_visit_says_nothing() {
    let mut before = lines(1, 1.0);
    before.retain(|line| line.round == 0);
    let comparison = compare(
        &loaded("once", &before),
        &loaded("often", &lines(2, 2.0)),
        0.02,
    );
    assert!(comparison.both.iter().all(|c| c.change == Change::Unknown));
}

#[test]
fn cells_of_one_file_and_failures_are_listed() {
    let (mut before, mut after) = (lines(1, 1.0), lines(2, 1.0));
    before.retain(|line| line.cell.size != 1);
    after.retain(|line| line.cell.size != 2);
    let kind = crate::results::FailureKind::Crash;
    let outcome = Outcome::Failed {
        kind,
        message: "signal 11".into(),
    };
    after.push(line("e", cell("tree", 2, "rayon", 2), 0, outcome));
    let comparison = compare(
        &loaded("lacks-1", &before),
        &loaded("lacks-2", &after),
        0.02,
    );
    assert_eq!(comparison.only_before, ["e: tree 2 rayon x2"]);
    assert_eq!(comparison.only_after, ["e: tree 1 rayon x2"]);
    assert_eq!(comparison.failed, ["e: tree 2 rayon x2"]);
}

#[test]
fn different_machines_are_told() {
    let before = lines(1, 1.0);
    let mut after = lines(2, 1.0);
    for line in &mut after {
        line.machine.cores = 64;
        line.machine.optimised = false;
    }
    let comparison = compare(&loaded("here", &before), &loaded("there", &after), 0.02);
    let told = comparison.differences.join("; ");
    assert!(
        told.contains("different cores: 2, 64") && told.contains("without optimisation"),
        "{told}"
    );
    // Another version of sumac is what one compares, and no warning.
    let mut newer = machine();
    newer.versions.insert("sumac".into(), "0.2.0".into());
    for line in &mut after {
        line.machine = newer.clone();
    }
    let comparison = compare(&loaded("here", &before), &loaded("newer", &after), 0.02);
    assert!(comparison.differences.is_empty());
}

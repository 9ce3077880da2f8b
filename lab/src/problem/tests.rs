//! Every workload on everybody who can run it: the answer is the oracle's. Where there is a closed
//! form the oracle gives it, and what is divided by hand comes to the same.

use std::time::Duration;

use super::Problem;
use super::fib::Fib;
use super::leaves::{Leaves, Split};
use super::sha1_tree::Sha1Tree;
use super::spin::spin;
use super::tree::Tree;
use crate::contender::Id;
use crate::experiment::{Limits, Rounds, seats};
use crate::workload::{Parameters, all};

#[test]
fn every_workload_agrees_with_its_oracle() {
    let limits = Limits {
        rounds: 1,
        time: Duration::from_millis(1),
    };
    for workload in all() {
        let ids = [&[Id::Baseline], workload.contenders].concat();
        for (size, threads) in [(*workload.sizes.start(), 1), (workload.quick, 3)] {
            let seats = seats(&ids, &[threads]);
            let problem = (workload.make)(Parameters(""), size);
            let records = problem.measure(workload.name, &Rounds::hot(&seats, limits));
            let records = records.unwrap_or_else(|why| panic!("{}: {why}", workload.name));
            assert_eq!(records.iter().count(), seats.len());
        }
    }
}

fn check<P: Problem>(problem: &P, answer: u64) {
    assert_eq!(problem.expected(), answer);
    for parts in 1..=9 {
        let sum = (0..parts).fold(0u64, |sum, p| sum.wrapping_add(problem.part(p, parts)));
        assert_eq!(sum, answer, "in {parts} parts");
    }
}

#[test]
fn fib_is_fibonacci() {
    for (n, answer, forks) in [(2, 1, 1), (10, 55, 88), (15, 610, 986)] {
        check(&Fib(n), answer);
        assert_eq!(Fib(n).pieces(), forks);
    }
}

#[test]
fn a_balanced_tree_has_any_number_of_nodes() {
    for n in (1..40).chain([1000, 1023]) {
        check(&Tree::new(n), n * (n + 1) / 2);
    }
}

#[test]
fn units_of_work_are_digests() {
    check(&Sha1Tree::new(1000, 0), 500_500);
    // From `sha1sum` of the eight bytes of 1, little-endian.
    check(&Sha1Tree::new(1, 1), 0x3da8_9ee2_73be_1343);
    let [once, more] = [1, 3].map(|work| Sha1Tree::new(10, work));
    assert_ne!(once.expected(), more.expected());
    check(&more, more.expected());
}

#[test]
fn leaves_are_summed_once_each_under_every_split() {
    let sum = (0..37).fold(0, |sum: u64, i| sum.wrapping_add(spin(10, i)));
    for split in [
        Split::Halves,
        Split::Random,
        Split::LeafRest,
        Split::RestLeaf,
    ] {
        check(&Leaves::of_rounds(37, 10, split), sum);
    }
}

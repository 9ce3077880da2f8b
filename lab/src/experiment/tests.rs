//! The harness itself under test: that it is fair.

use super::*;
use crate::problem::fib::Fib;

const QUICK: Limits = Limits {
    rounds: 4,
    time: Duration::from_millis(50),
};

#[test]
fn every_contender_takes_part_in_every_round() {
    let ids = [
        Id::Baseline,
        Id::RightFirst,
        Id::StaticSplit,
        Id::SumacScope,
    ];
    let seats = seats(&ids, &[1, 2]);
    assert_eq!(seats.len(), 6);
    let records = Rounds::hot(&seats, QUICK).measure("fib", &Fib(10));
    let records = records.expect("all answers are right");
    for record in records.iter() {
        assert!(record.samples.len() >= 3);
    }
    let [baseline, right] = [Id::Baseline, Id::RightFirst].map(|id| records.get(id, 7));
    let (baseline, right) = baseline.zip(right).expect("threads do not matter");
    assert!(records.sequential().eq([baseline.median(), right.median()]));
    assert!(baseline.batch > 1, "a call this short is batched");
}

#[test]
fn after_a_pause_calls_are_timed_one_by_one() {
    let seats = seats(Id::RUNTIMES, &[2]);
    let hot = Rounds::hot(&seats, QUICK);
    let pause = Some(Duration::from_millis(1));
    let records = Rounds { pause, ..hot }.measure("fib", &Fib(5));
    let records = records.expect("all answers are right");
    assert!(records.iter().all(|record| record.batch == 1));
}

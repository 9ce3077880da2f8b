//! The lists fit together, and figures are read as they are meant.

use super::catalogue::LOOPS;
use super::goals::{Figure, GOALS};
use crate::contender::Id;
use crate::experiment::{Record, Records, Seat};
use crate::program::tests::check;

#[test]
fn every_loop_agrees_with_its_oracle() {
    for program in LOOPS {
        check(program, &[2, program.quick]);
    }
}

#[test]
fn every_goal_is_about_a_loop_and_every_loop_has_one() {
    let mut unknown = GOALS
        .iter()
        .filter(|goal| LOOPS.iter().all(|l| l.name != goal.name));
    assert!(unknown.next().is_none());
    let without = LOOPS
        .iter()
        .find(|l| GOALS.iter().all(|goal| goal.name != l.name));
    assert!(without.is_none());
}

#[test]
fn figures_are_ratios_of_medians() {
    let record = |id, ns| Record::new("", "", Seat { id, threads: 2 }, 1, vec![ns]);
    let records = Records::new(vec![
        record(Id::Baseline, 100.0),
        record(Id::StaticSplit, 57.0),
        record(Id::Rayon, 120.0),
        record(Id::SumacJoin, 60.0),
    ]);
    let sumac = records.get(Id::SumacJoin, 2).expect("it took part");
    let read = |figure: Figure| figure.read(sumac, &records).expect("all took part");
    assert_eq!(read(Figure::SpeedUp), 100.0 / 60.0);
    assert_eq!(read(Figure::AgainstRayon), 2.0);
    assert_eq!(read(Figure::AgainstSplit), 0.95);
    assert_eq!(read(Figure::AgainstIdeal), 50.0 / 60.0);
    assert!((read(Figure::NsBeyondPlain) + 50.0).abs() < 1e-9);
}

//! The lists fit together.

use super::catalogue::LOOPS;
use crate::goals::list::LOOPS as GOALS;
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
        .filter(|goal| LOOPS.iter().all(|l| l.name != goal.experiment));
    assert!(unknown.next().is_none());
    let without = LOOPS
        .iter()
        .find(|l| GOALS.iter().all(|goal| goal.experiment != l.name));
    assert!(without.is_none());
}

//! Every program, and every loop, on everybody who can run it: the answer is the oracle's.

use std::time::Duration;

use super::catalogue::PROGRAMS;
use crate::contender::Id;
use crate::experiment::{Limits, Rounds, seats};
use crate::workload::{Parameters, Workload};

/// Runs it at some sizes on one thread and on three.
fn check(program: &Workload, sizes: &[usize]) {
    let mut ids = vec![Id::Baseline];
    ids.extend(program.contenders);
    let seats = seats(&ids, &[1, 3]);
    for &size in sizes {
        let limits = Limits {
            rounds: 1,
            time: Duration::from_millis(1),
        };
        let rounds = Rounds::hot(&seats, limits);
        let records = (program.make)(Parameters(""), size).measure(program.name, &rounds);
        let records = records.unwrap_or_else(|why| panic!("{}: {why}", program.name));
        assert_eq!(records.iter().count(), seats.len());
    }
}

#[test]
fn every_program_agrees_with_its_oracle() {
    for program in PROGRAMS {
        check(program, &[2, program.quick]);
    }
}

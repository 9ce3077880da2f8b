//! The harness itself under test: that it catches a contender that cheats, and that it is fair.

use std::error::Error;

use super::entrant::Seated;
use super::*;
use crate::contender::Contender;
use crate::problem::fib::Fib;
use crate::problem::tree::Tree;

const QUICK: Limits = Limits {
    rounds: 4,
    time: Duration::from_millis(50),
};

/// A contender that forgets one call in a thousand: it answers at once, and wrongly.
struct Forgetful(std::sync::atomic::AtomicUsize);

impl Contender for Forgetful {
    type Cx<'s> = ();

    fn with_threads(_threads: usize) -> Result<Self, Box<dyn Error>> {
        Ok(Forgetful(Default::default()))
    }

    crate::contender::plain!(cx, a, b => (a(cx), b(cx)));

    fn run<P: Problem>(
        &self,
        problem: &P,
        plan: &Plan<'_>,
    ) -> Result<Vec<f64>, crate::sample::WrongAnswer> {
        crate::sample::take(plan, problem, || {
            let calls = self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            problem.solve::<Self>(&mut ()) - u64::from(calls % 1000 == 999)
        })
    }
}

#[test]
fn a_wrong_contender_is_caught_and_named() {
    let seat = Seat {
        id: Id::Chili,
        threads: 3,
    };
    let pool = Forgetful(Default::default());
    let entrants: Vec<Box<dyn Entrant<Tree>>> = vec![Box::new(Seated { seat, pool })];
    let rounds = Rounds::hot(&[], QUICK);
    let failure = rounds.compare("planted", &Tree::new(7), &entrants);
    let failure = failure.expect_err("one call in a thousand is wrong");
    let exit_code = format!("{:?}", failure.exit_code());
    assert_eq!(exit_code, format!("{:?}", std::process::ExitCode::FAILURE));
    let message = failure.to_string();
    assert!(
        message.contains("wrong answer: chili on 3 threads"),
        "{message}"
    );
}

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

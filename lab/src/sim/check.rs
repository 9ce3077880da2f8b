//! The simulator against the real thing: some problems at one and two threads, measured here, and
//! simulated with costs measured here.
//!
//! Compared are the shortest runs: the simulated machine belongs to one program alone. The plain
//! program's time gives the work of a node. Everything else, also what a join costs, is the
//! simulator's own.

use std::time::Duration;

use super::{Dag, Node, Setup, Side, Split};
use crate::contender::Id;
use crate::experiment::{Failure, Limits, Records, Rounds, Seat, seats};
use crate::machine;
use crate::problem::catalogue::SHAPES;
use crate::problem::fib::Fib;
use crate::problem::tree::Tree;
use crate::progress::Progress;

/// A time measured, and the same simulated.
#[derive(Clone, Debug, serde::Serialize)]
pub(crate) struct Checked {
    pub(crate) problem: String,
    pub(crate) workers: usize,
    pub(crate) measured: f64,
    pub(crate) simulated: f64,
}

impl Checked {
    /// By how much the simulation is too long, as a part of what was measured.
    pub(crate) fn error(&self) -> f64 {
        self.simulated / self.measured - 1.0
    }
}

/// Measures and simulates.
pub(crate) fn check(setup: &Setup, quick: bool) -> Result<Vec<Checked>, Failure> {
    let progress = Progress::new(2 + SHAPES.len());
    let (nodes, n) = if quick { (1 << 14, 18) } else { (1 << 24, 32) };
    let mut all = Vec::new();
    let mut add =
        |name: &str, problem: &dyn Fn(&[Seat], Limits) -> Measured, dag: &dyn Fn(f64) -> Dag| {
            let threads: &[usize] = if machine::cores() > 1 { &[1, 2] } else { &[1] };
            let seats = seats(&[Id::Baseline, Id::SumacScope], threads);
            let limits = Limits {
                rounds: if quick { 3 } else { 15 },
                time: Duration::from_secs(if quick { 1 } else { 5 }),
            };
            let (plain, times) = problem(&seats, limits)?;
            let dag = dag(plain);
            for (workers, measured) in times {
                let setup = Setup { workers, ..*setup };
                let simulated = setup.simulate(&dag)?.time as f64;
                all.push(Checked {
                    problem: name.into(),
                    workers,
                    measured,
                    simulated,
                });
            }
            Ok::<_, Failure>(())
        };
    let tree = Tree::balanced(nodes - 1);
    let name = format!("tree of {} nodes", tree.nodes());
    let of_tree = |plain: f64| Dag::new(Node::Tree(nodes - 1), plain / (nodes - 1) as f64);
    add(
        &name,
        &|seats, limits| {
            Rounds::hot(seats, limits, &progress)
                .measure(&name, &tree)
                .map(times)
        },
        &of_tree,
    )?;
    drop(tree);
    let (fib, name) = (Fib(n), format!("fib({n})"));
    let of_fib = |plain: f64| Dag::new(Node::Fib(n), plain / (2 * fib.forks() + 1) as f64);
    add(
        &name,
        &|seats, limits| {
            Rounds::hot(seats, limits, &progress)
                .measure(&name, &fib)
                .map(times)
        },
        &of_fib,
    )?;
    for leaves in &SHAPES {
        let dag = |plain| shape(leaves.name, leaves.size as u32, plain);
        let measured = |seats: &[Seat], limits| {
            let rounds = Rounds::hot(seats, limits, &progress);
            leaves.measure(leaves.size, &rounds).map(times)
        };
        add(leaves.name, &measured, &dag)?;
    }
    Ok(all)
}

type Measured = Result<(f64, Vec<(usize, f64)>), Failure>;

/// The plain program's shortest time, and sumac's by threads.
fn times(records: Records) -> (f64, Vec<(usize, f64)>) {
    let plain = records
        .get(Id::Baseline, 1)
        .map_or(1.0, |record| record.summary.min);
    let mine = records
        .iter()
        .filter(|record| record.contender == Id::SumacScope);
    let times = mine.map(|record| (record.threads, record.summary.min));
    (plain, times.collect())
}

/// The shape of that name, whose plain program takes so long.
fn shape(name: &str, count: u32, plain: f64) -> Dag {
    let split = match name {
        _ if name.starts_with("random") => Split::Random,
        _ if name.starts_with("join(leaf") => Split::LeafRest,
        _ if name.starts_with("join(rest, leaf") => Split::RestLeaf,
        _ => Split::Halves,
    };
    let decoys = match name {
        _ if name.starts_with("3 ×") => 3,
        _ if name.starts_with("16 ×") => 16,
        _ => 0,
    };
    let side = if name.contains("rest, tiny") {
        Side::Right
    } else {
        Side::Left
    };
    Dag::leaves(count, plain / f64::from(count), split, decoys, side)
}

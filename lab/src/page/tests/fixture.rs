//! Results that were never measured: a machine made up, with every contender, threads beyond its
//! cores, failures, a cell that was never visited, tunings and units of work. What tests and
//! `ci/report.sh` make pages of.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::machine::Machine;
use crate::program::random::Random;
use crate::results::{Cell, CellTimes, Events, FailureKind, Line, Measured, Outcome, Scheduler};
use rand::RngExt;

const CORES: usize = 2;
const THREADS: [usize; 6] = [1, 2, 4, 8, 16, 32];
const CONTENDERS: [&str; 5] = [
    "static-split",
    "rayon",
    "chili",
    "sumac-join",
    "sumac-scope",
];
const VISITS: u32 = 3;
const SAMPLES: usize = 5;

/// The file that is committed, made by `write_results`.
pub(crate) fn committed() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/results.jsonl")
}

/// The machine that does not exist.
pub(crate) fn machine() -> Machine {
    Machine {
        cpu: "Imaginary 9000 <test & \"quotes\">".into(),
        cores: CORES,
        memory_mib: 16 * 1024,
        kernel: "Linux 6.18".into(),
        rustc: "rustc 1.95.0 (imaginary)".into(),
        optimised: true,
        profile: "release".into(),
        versions: [("sumac", "0.1.0"), ("rayon", "1.12.0"), ("chili", "0.2.1")]
            .map(|(name, version)| (name.into(), version.into()))
            .into(),
    }
}

/// A cell.
pub(crate) fn cell(problem: &str, size: u64, contender: &str, threads: usize) -> Cell {
    Cell {
        problem: problem.into(),
        size,
        parameters: String::new(),
        contender: contender.into(),
        tuning: String::new(),
        threads,
    }
}

/// A line with this outcome.
pub(crate) fn line(experiment: &str, cell: Cell, round: u32, outcome: Outcome) -> Line {
    Line {
        in_turns: false,
        experiment: experiment.into(),
        cell,
        round,
        ended_at: 1_780_000_000 + u64::from(round) * 60,
        outcome,
        command: vec!["run".into(), experiment.into()],
        cores_of_others: Some(0.03),
        machine: machine(),
    }
}

/// A visit with samples of about `ns` per call; `busy` cores were kept so.
pub(crate) fn visit(random: &mut Random, ns: f64, noise: f64, busy: f64, pieces: u64) -> Measured {
    // A sum of uniform numbers is nearly normal.
    let mut normal = || (0..6).map(|_| random.random::<f64>()).sum::<f64>() - 3.0;
    let here = ns * (noise / 2.0 * normal()).exp();
    let tenths = |x: f64| (x * 10.0).round() / 10.0;
    let samples: Vec<f64> = (0..SAMPLES)
        .map(|_| tenths(here * (noise * normal()).exp()))
        .collect();
    let batch = (2e6 / ns).ceil().clamp(1.0, 1e6);
    let wall = (samples.iter().sum::<f64>() * batch).round();
    Measured {
        pieces,
        batch: batch as u32,
        samples,
        warm_up_calls: 10,
        answer: 499_500,
        spent: CellTimes {
            wall,
            user: (wall * busy * 0.97).round(),
            system: (wall * busy * 0.03).round(),
            voluntary: 4,
            involuntary: 2,
        },
        scheduler: None,
        events: Events {
            missing: Some("not available: no such device".into()),
            ..Events::default()
        },
        further: BTreeMap::new(),
    }
}

/// Nanoseconds per call, and how many cores are busy.
fn model(contender: &str, pieces: f64, unit: f64, threads: usize) -> (f64, f64) {
    let plain = pieces * unit;
    if contender == "baseline" {
        return (plain, 1.0);
    }
    let fork = match contender {
        "rayon" => 15.0,
        "chili" => 2.1,
        "sumac-join" => 0.55,
        "sumac-scope" => 0.12,
        _ => 0.0,
    };
    let cores = threads.min(CORES) as f64;
    let alone = plain + pieces * fork;
    if plain > 20_000.0 {
        let shared = alone / cores.powf(0.94) * if threads > CORES { 1.04 } else { 1.0 };
        return (shared, cores * 0.97);
    }
    let more = threads as f64 - 1.0;
    match contender {
        "rayon" => (alone * (1.0 + 0.12 * more * more.sqrt()), cores * 0.95),
        "static-split" => (alone + 900.0 * more, cores * 0.9),
        "chili" => (alone, 1.05),
        _ => (alone * (1.0 + 0.012 * more), 1.0 + 0.1 * more.min(1.0)),
    }
}

/// All visits to a cell.
fn visits(
    random: &mut Random,
    lines: &mut Vec<Line>,
    experiment: &str,
    cell: &Cell,
    unit: f64,
    slower: f64,
) {
    let (ns, busy) = model(&cell.contender, cell.size as f64, unit, cell.threads);
    for round in 0..VISITS {
        let mut visit = visit(random, ns * slower, 0.02, busy, cell.size);
        if cell.contender.starts_with("sumac") {
            let threads_time = visit.spent.wall * cell.threads as f64;
            visit.scheduler = Some(Scheduler {
                ticks: 900,
                promotions: 400,
                steals: 380,
                reclaims: 20,
                parks: 30,
                wakes: 30,
                working: Some((visit.spent.wall * busy * 0.96) as u64),
                searching: Some((visit.spent.wall * busy * 0.03) as u64),
                parked: Some((threads_time - visit.spent.wall * busy).max(0.0) as u64),
                ..Scheduler::default()
            });
        }
        let outcome = Outcome::Measured(Box::new(visit));
        lines.push(line(experiment, cell.clone(), round, outcome));
    }
}

/// All results.
pub(crate) fn results() -> Vec<Line> {
    let random = &mut Random::new();
    let mut lines = Vec::new();
    for (size, unit) in [(1000, 1.5), (100_000_000, 2.9)] {
        visits(
            random,
            &mut lines,
            "study",
            &cell("tree", size, "baseline", 1),
            unit,
            1.0,
        );
        for contender in CONTENDERS {
            for threads in THREADS
                .into_iter()
                .filter(|n| contender != "static-split" || (2..=8).contains(n))
            {
                let cell = cell("tree", size, contender, threads);
                match (contender, size, threads) {
                    ("chili", 1000, 16) => continue,
                    ("chili", 100_000_000, 32) => lines.push(failure(
                        "study",
                        cell,
                        FailureKind::TimeOut,
                        "ended after 60 s",
                    )),
                    ("rayon", 1000, 32) => lines.push(failure(
                        "study",
                        cell,
                        FailureKind::WrongAnswer,
                        "1 <instead> of 499500",
                    )),
                    _ => visits(random, &mut lines, "study", &cell, unit, 1.0),
                }
            }
        }
    }
    for work in [0, 1, 10, 100, 1000] {
        let unit = 3.0 + f64::from(work) * 95.0;
        for contender in ["baseline", "rayon", "chili", "sumac-join", "sumac-scope"] {
            for threads in if contender == "baseline" {
                vec![1]
            } else {
                vec![1, 2]
            } {
                let mut cell = cell("sha1-tree", 1023, contender, threads);
                cell.parameters = format!("work={work}");
                visits(random, &mut lines, "unit", &cell, unit, 1.0);
            }
        }
    }
    visits(
        random,
        &mut lines,
        "tuning",
        &cell("tree", 1000, "baseline", 1),
        1.5,
        1.0,
    );
    for (tuning, slower) in [
        ("", 1.0),
        ("interval=2000", 1.2),
        ("interval=20000", 1.0),
        ("spin=300", 1.06),
        ("order=newest", 1.7),
    ] {
        for threads in [1, 2] {
            let mut cell = cell("tree", 1000, "sumac-scope", threads);
            cell.tuning = tuning.into();
            let slower = if threads == 1 { 1.0 } else { slower };
            visits(random, &mut lines, "tuning", &cell, 1.5, slower);
        }
    }
    for (problem, size, unit) in [
        ("fib", 30, 9e4),
        ("queens", 11, 4e6),
        ("quicksort", 1_000_000, 40.0),
        ("uts-t1", 4_130_071, 60.0),
    ] {
        for contender in ["baseline", "rayon", "sumac-join"] {
            let threads = if contender == "baseline" { 1 } else { 2 };
            visits(
                random,
                &mut lines,
                "programs",
                &cell(problem, size, contender, threads),
                unit,
                1.0,
            );
        }
    }
    lines
}

fn failure(experiment: &str, cell: Cell, kind: FailureKind, message: &str) -> Line {
    let message = message.into();
    line(experiment, cell, 0, Outcome::Failed { kind, message })
}

/// Lines as a file has them.
pub(crate) fn text(lines: &[Line]) -> String {
    let lines = lines
        .iter()
        .map(|line| serde_json::to_string(line).expect("a line is JSON"));
    lines.map(|line| line + "\n").collect()
}

/// Makes the committed file anew: `cargo test -p sumac-lab write_results -- --ignored`.
#[test]
#[ignore = "writes into the source tree"]
fn write_results() {
    fs::create_dir_all(committed().parent().expect("it is in a folder"))
        .expect("the folder can be made");
    fs::write(committed(), text(&results())).expect("the file can be written");
}

#[test]
fn the_committed_results_are_these() {
    let held = fs::read_to_string(committed()).expect("the file is there");
    assert!(
        held == text(&results()),
        "run `cargo test -p sumac-lab write_results -- --ignored`"
    );
}

//! Results that were never measured, of a machine made up: what tests are made of.

use rand::RngExt;

use crate::machine::Machine;
use crate::program::random::Random;
use crate::results::{Cell, CellTimes, FailureKind, Line, Measured, Outcome};

/// The machine that does not exist.
pub(crate) fn machine() -> Machine {
    Machine {
        cpu: "Imaginary(R) 9000 <test> CPU @ 2.00GHz".into(),
        cores: 2,
        memory_mib: 16 * 1024,
        kernel: "Linux 6.18".into(),
        rustc: "rustc 1.95.0 (imaginary)".into(),
        optimised: true,
        profile: "release".into(),
        versions: [
            ("sumac", "0.1.0+123456789"),
            ("rayon", "1.12.0"),
            ("chili", "0.2.1"),
        ]
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
    let samples: Vec<f64> = (0..5).map(|_| here * (noise * normal()).exp()).collect();
    let wall = samples.iter().sum::<f64>();
    Measured {
        pieces,
        batch: 1,
        samples,
        spent: CellTimes {
            wall,
            user: wall * busy,
            ..CellTimes::default()
        },
        ..Measured::default()
    }
}

/// Visits without noise.
pub(crate) fn visits(experiment: &str, cell: &Cell, ns: f64) -> Vec<Line> {
    let random = &mut Random::new();
    let mut visit = || Box::new(visit(random, ns, 0.0, 1.0, cell.size));
    let line = |round| line(experiment, cell.clone(), round, Outcome::Measured(visit()));
    (0..2).map(line).collect()
}

/// A tree on some threads, of which one cell failed, and units of work.
pub(crate) fn results() -> Vec<Line> {
    let mut lines = visits("study", &cell("tree", 1000, "baseline", 1), 1500.0);
    for (contender, each) in [
        ("rayon", 9000.0),
        ("sumac-scope", 2000.0),
        ("static-split", 750.0),
    ] {
        for threads in [1, 2] {
            let cell = cell("tree", 1000, contender, threads);
            lines.extend(match (contender, threads) {
                ("rayon", 2) => {
                    let wrong = Outcome::failed(FailureKind::WrongAnswer, "1 of 2".into());
                    vec![line("study", cell, 0, wrong)]
                }
                _ => visits("study", &cell, each),
            });
        }
    }
    for (work, unit) in [(1, 10_000.0), (10, 100_000.0)] {
        // Divided by hand it takes half of the time; forks cost as much as the small unit.
        for (contender, threads, ns) in [
            ("baseline", 1, unit),
            ("static-split", 2, unit / 2.0),
            ("sumac-scope", 2, unit / 2.0 + 5000.0),
        ] {
            let mut cell = cell("sha1-tree", 1000, contender, threads);
            cell.parameters = format!("work={work}");
            lines.extend(visits("unit", &cell, ns));
        }
    }
    lines
}

/// Lines as a file has them.
pub(crate) fn text(lines: &[Line]) -> String {
    let text = |line| serde_json::to_string(line).expect("a line is JSON") + "\n";
    lines.iter().map(text).collect()
}

//! Results that were never measured, of a machine made up: what tests are made of.

use crate::machine::Machine;
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
        size,
        ..Cell::of(problem, contender, threads)
    }
}

/// A line with this outcome.
pub(crate) fn line(experiment: &str, cell: Cell, round: u32, outcome: Outcome) -> Line {
    Line {
        in_turns: false,
        round,
        ended_at: 1_780_000_000,
        outcome,
        command: vec!["run".into(), experiment.into()],
        cores_of_others: Some(0.03),
        machine: machine(),
        ..Line::new(experiment, cell, Measured::default())
    }
}

/// Visits without noise, on one core.
pub(crate) fn visits(experiment: &str, cell: &Cell, ns: f64) -> Vec<Line> {
    let visit = Measured {
        pieces: cell.size,
        batch: 1,
        samples: vec![ns; 5],
        spent: CellTimes {
            wall: 5.0 * ns,
            user: 5.0 * ns,
            ..CellTimes::default()
        },
        ..Measured::default()
    };
    let outcome = Outcome::Measured(Box::new(visit));
    let line = |round| line(experiment, cell.clone(), round, outcome.clone());
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

//! Simulated machines: sumac's scheduler itself, on more workers than there are processors, in the
//! order that clocks decide. `crates/core/src/explore/simulate.rs` says how, with which prices, and
//! what it leaves out. It takes a build of core with `--cfg explore`, which cargo makes; the
//! programs are those of core's example `simulate`, which prints a record for each simulation.

pub(crate) mod check;
mod prices;

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::elsewhere::Elsewhere;
use crate::experiment::{Failure, distinct};
use crate::machine::Machine;
use crate::patched::{cargo, said};
use crate::report::Section;
use crate::stats::Summary;
use crate::table::{Table, digits, grouped, ratio, time};

/// After which cargo, or the simulations of a program, have failed.
const LIMIT: Duration = Duration::from_secs(3600);
/// The workspace, and where cargo puts this build.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
const TARGET: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../target/explore");

/// A program of the example's, and its usual size.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Program {
    pub(crate) name: &'static str,
    pub(crate) size: u64,
    /// The work of a node, a call or a leaf, in nanoseconds.
    pub(crate) piece: f64,
    /// How many calls are simulated, after one that is not told.
    calls: u32,
}

/// The tree with the work per node that its document tells, fib, and leaves in eight shapes, of
/// which the lab has the first four.
pub(crate) const PROGRAMS: [Program; 10] = [
    program("tree", 100_000_000, 7.5, 1),
    program("fib", 32, 2.0, 5),
    program("leaves", 256, 20e3, 15),
    program("random-leaves", 400, 20e3, 15),
    program("leaf-rest", 400, 20e3, 15),
    program("rest-leaf", 400, 20e3, 15),
    program("3-tiny-rest", 32, 100e3, 15),
    program("3-rest-tiny", 32, 100e3, 15),
    program("16-tiny-rest", 32, 100e3, 15),
    program("16-rest-tiny", 32, 100e3, 15),
];

const fn program(name: &'static str, size: u64, piece: f64, calls: u32) -> Program {
    Program {
        name,
        size,
        piece,
        calls,
    }
}

/// What a price is, in picoseconds, by its name.
pub(crate) type Price = (&'static str, f64);

/// A simulation, with its times in nanoseconds.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Simulated {
    /// True.
    simulated: bool,
    pub(crate) program: String,
    size: u64,
    /// The work of a piece, in picoseconds.
    piece: u64,
    workers: usize,
    seed: u64,
    /// The time without joins.
    plain: f64,
    /// The time of each call.
    times: Vec<f64>,
    promotions: u64,
    steals: u64,
    wakes: u64,
    /// How long all workers together looked for work, and slept, in all calls.
    searching: f64,
    parked: f64,
    prices: String,
    real_seconds: f64,
    /// For a check: the times measured, and where.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    measured: Vec<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    machine: Option<Machine>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cores_of_others: Option<f64>,
}

impl Simulated {
    fn median(&self) -> f64 {
        Summary::of(&self.times).median
    }

    fn speed_up(&self) -> f64 {
        self.plain / self.median()
    }
}

impl Program {
    /// Simulates it on each of these numbers of workers.
    ///
    /// # Errors
    ///
    /// There is no cargo, or it cannot build the example; or a simulation fails.
    pub(crate) fn simulate(
        &self,
        workers: &[usize],
        seed: u64,
        prices: &[Price],
    ) -> Result<Vec<Simulated>, Failure> {
        let workers: Vec<_> = workers.iter().map(usize::to_string).collect();
        let piece = (self.piece * 1e3).round();
        let numbers = [
            self.size.to_string(),
            piece.to_string(),
            self.calls.to_string(),
        ];
        let prices = prices
            .iter()
            .map(|(name, picos)| format!("{name}={picos:.0}"));
        let mut command = cargo();
        command
            .current_dir(ROOT)
            .env("RUSTFLAGS", "--cfg explore")
            .env_remove("CARGO_ENCODED_RUSTFLAGS")
            .args(["run", "--quiet", "--release", "--package", "sumac-core"])
            .args(["--example", "simulate", "--target-dir", TARGET, "--"])
            .arg(self.name)
            .args(numbers)
            .args([seed.to_string(), workers.join(",")])
            .args(prices);
        let said = said(command, LIMIT).map_err(|why| why.of(format!("simulate {}", self.name)))?;
        let read = |line: &str| serde_json::from_str(line).map_err(Failure::from);
        said.lines().map(read).collect()
    }
}

/// What there is to read about them.
pub(crate) fn sections(rows: &[Simulated]) -> Vec<Section> {
    let (free, checked): (Vec<_>, Vec<_>) = rows.iter().partition(|row| row.measured.is_empty());
    let (trees, _) = free
        .iter()
        .partition::<Vec<_>, _>(|row| row.program == "tree");
    let note = "Everything here is simulated; speed-ups are over the plain program.";
    let all = [
        ("SIMULATED: trees", of_trees(&trees), note),
        ("SIMULATED: programs by workers", by_workers(&free), note),
        (
            "simulated against measured, here",
            of_checks(&checked),
            check::NOTE,
        ),
    ];
    let some = all.into_iter().filter(|(_, table, _)| !table.is_empty());
    some.map(|(title, table, note)| Section::new(title, table, note))
        .collect()
}

fn of_trees(rows: &[&Simulated]) -> Table {
    let mut table = Table::headed(
        "nodes|workers|time|speed-up|over one|rayon's, published|Spice's, published|\
        searching|parked|promotions|steals|wakes",
    );
    for row in rows {
        let same = |other: &&&Simulated| other.size == row.size && other.workers == 1;
        let one = rows
            .iter()
            .find(same)
            .map(|one| row.speed_up() / one.speed_up());
        let published = |who| {
            let of = Elsewhere::of(row.size).find(|of| of.who == who)?;
            Some(ratio(of.on(1)? / of.on(row.workers)?))
        };
        let all: f64 = row.times.iter().sum();
        let part = |spent: f64| format!("{:.1} %", 100.0 * spent / all / row.workers as f64);
        table.row([
            grouped(row.size),
            row.workers.to_string(),
            time(row.median()),
            ratio(row.speed_up()),
            one.map(ratio).unwrap_or_default(),
            published("rayon, published").unwrap_or_default(),
            published("Spice, published").unwrap_or_default(),
            part(row.searching),
            part(row.parked),
            grouped(row.promotions),
            grouped(row.steals),
            grouped(row.wakes),
        ]);
    }
    table
}

fn by_workers(rows: &[&Simulated]) -> Table {
    let workers = distinct(rows.iter().map(|row| row.workers));
    let head = workers.iter().map(|workers| format!("×{workers}"));
    let mut table = Table::new(["program".to_string()].into_iter().chain(head));
    for program in distinct(rows.iter().map(|row| (&row.program, row.size))) {
        let name = format!("{} {}", program.0, grouped(program.1));
        table.across(name, &workers, |&workers| {
            let here =
                |row: &&&Simulated| (&row.program, row.size) == program && row.workers == workers;
            rows.iter().find(here).map(|row| ratio(row.speed_up()))
        });
    }
    table
}

fn of_checks(rows: &[&Simulated]) -> Table {
    let mut table = Table::headed(
        "program|workers|shortest, measured|simulated|error|median, measured|simulated|error|\
        cores of others",
    );
    for row in rows {
        let program = format!("{} {}", row.program, grouped(row.size));
        let [measured, simulated] = [&row.measured, &row.times].map(|all| Summary::of(all));
        let pairs = [
            (measured.min, simulated.min),
            (measured.median, simulated.median),
        ];
        let cells = pairs.map(|(measured, simulated)| {
            let error = 100.0 * (simulated / measured - 1.0);
            [time(measured), time(simulated), format!("{error:+.1} %")]
        });
        let name = [program, row.workers.to_string()];
        let others = row.cores_of_others.map(digits).unwrap_or_default();
        table.row(
            name.into_iter()
                .chain(cells.into_iter().flatten())
                .chain([others]),
        );
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_findings_show_what_was_recorded() {
        let [records, findings] = ["sim.json", "FINDINGS.md"].map(|name| {
            let path = format!("{ROOT}/results/{name}");
            std::fs::read_to_string(path).expect("a file of the repository")
        });
        let rows: Vec<Simulated> = serde_json::from_str(&records).expect("records");
        assert!(rows.iter().all(|row| row.simulated));
        let sections = sections(&rows);
        assert_eq!(sections.len(), 3);
        for section in sections {
            let table = section.table.to_string();
            assert!(findings.contains(&table), "not in the findings:\n{table}");
        }
    }
}

//! The visits, in order: group by group, round by round, who comes after whom changing from round
//! to round. What the file holds already is not visited again. A cell that fails says so at once
//! and is not visited any more in this run; a later run tries it again, and its line takes the
//! failure's place.

use std::collections::HashSet;
use std::env;
use std::path::Path;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use super::bar::Bar;
use super::plan::Planned;
use super::{Log, Plan, Task, child};
use crate::experiment::{Failure, order};
use crate::machine::Machine;
use crate::others::Watch;
use crate::results::{Cell, Line, Outcome};

/// What came of a run.
#[derive(Debug, Default)]
pub(crate) struct Summary {
    /// Visits that were measured.
    pub(crate) measured: usize,
    /// Visits that the file held already.
    pub(crate) held: usize,
    /// What failed, in words.
    pub(crate) failed: Vec<String>,
    /// How many cores other programs used meanwhile, visit by visit where it is known.
    pub(crate) others: Vec<f64>,
}

/// Makes the visits of a plan that the file does not hold.
pub(crate) fn run(
    name: &str,
    plan: &Plan,
    log: &mut Log,
    before: &[Line],
) -> Result<Summary, Failure> {
    let machine = Machine::this();
    let done = done(name, log.path(), before, &machine)?;
    let all = schedule(plan);
    let is_done = |(planned, round): &(&Planned, u32)| done.contains(&(&planned.cell, *round));
    let (held, visits): (Vec<_>, Vec<_>) = all.into_iter().partition(is_done);
    let mut bar = Bar::new(visits.iter().map(|(p, _)| p.cell.clone()).collect());
    let mut summary = Summary {
        held: held.len(),
        ..Summary::default()
    };
    if !held.is_empty() {
        let visits = held.len();
        bar.say(&format!(
            "{name}: {visits} visits are in the file already and are not repeated"
        ));
    }
    let mut failed = HashSet::new();
    for (planned, round) in visits {
        let cell = &planned.cell;
        if failed.contains(cell) {
            continue;
        }
        bar.begin();
        let (begun, watch) = (Instant::now(), Watch::start());
        let outcome = child::visit(&Task::new(planned), planned.timeout)?;
        bar.end(begun.elapsed());
        let line = Line {
            experiment: name.into(),
            cell: cell.clone(),
            round,
            ended_at: seconds_since_1970(),
            outcome,
            command: env::args().skip(1).collect(),
            cores_of_others: watch.cores_of_others(),
            machine: machine.clone(),
        };
        summary.others.extend(line.cores_of_others);
        log.append(&line)?;
        match &line.outcome {
            Outcome::Measured(_) => summary.measured += 1,
            Outcome::Failed { message, .. } => {
                let what = format!("{name}: {cell}: {message}");
                bar.say(&format!("FAILED: {what}"));
                bar.strike(cell);
                summary.failed.push(what);
                failed.insert(cell);
            }
        }
    }
    Ok(summary)
}

/// Every visit of a plan, in order.
fn schedule(plan: &Plan) -> Vec<(&Planned, u32)> {
    let mut visits = Vec::new();
    for group in &plan.groups {
        let rounds = group.iter().map(|planned| planned.rounds).max();
        for round in 0..rounds.unwrap_or(0) {
            let places = order(group.len(), round as usize).map(|place| &group[place]);
            visits.extend(
                places
                    .filter(|planned| round < planned.rounds)
                    .map(|planned| (planned, round)),
            );
        }
    }
    visits
}

/// Why a file is not gone on with: one line that says what to do.
pub(crate) fn another_build(file: &str, what: &str) -> Failure {
    Failure::Usage(format!(
        "{file} holds results of another build or machine: --out names another place, --restart puts it aside ({what})"
    ))
}

/// The visits that were measured before. Those of another build or machine are nothing to go on
/// with.
fn done<'l>(
    name: &str,
    file: &Path,
    lines: &'l [Line],
    machine: &Machine,
) -> Result<HashSet<(&'l Cell, u32)>, Failure> {
    let own = || lines.iter().filter(|line| line.experiment == name);
    if let Some(what) = own().find_map(|line| line.machine.difference(machine)) {
        return Err(another_build(&format!("{name}: {}", file.display()), &what));
    }
    let measured = own().filter(|line| matches!(line.outcome, Outcome::Measured(_)));
    Ok(measured.map(|line| (&line.cell, line.round)).collect())
}

fn seconds_since_1970() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |time| time.as_secs())
}

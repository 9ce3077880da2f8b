//! The visits, in order: group by group, round by round, who comes after whom changing from round
//! to round. What the file holds already is not visited again. A cell that fails says so at once
//! and is not visited any more in this run; a later run tries it again, and its line takes the
//! failure's place.

use std::collections::HashSet;
use std::env;
use std::iter;
use std::path::Path;

use sumac_record::{order, seconds_since_1970};

use super::plan::Planned;
use super::{Log, Plan};
use crate::experiment::Failure;
use crate::machine::Machine;
use crate::others::Watch;
use crate::progress::tell;
use crate::report::WORTH_SAYING;
use crate::results::{Cell, Line, Outcome};
use crate::table::plural;

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

impl Summary {
    /// It in a sentence.
    pub(crate) fn sentence(&self, name: &str, out: &Path) -> String {
        let failures = match self.failed.len() {
            0 => String::new(),
            cells => format!(", {} FAILED", plural(cells, "cell")),
        };
        let held = match self.held {
            0 => String::new(),
            visits => format!(", {visits} were there already"),
        };
        let mean = self.others.iter().sum::<f64>() / self.others.len().max(1) as f64;
        let others = match mean >= WORTH_SAYING {
            true => format!("; other programs used {mean:.2} cores meanwhile"),
            false => String::new(),
        };
        let (measured, out) = (self.measured, out.display());
        format!("{name}: {measured} visits measured{held}{failures}: {out}{others}")
    }
}

/// Makes the visits of a plan that the file does not hold, each by `visit`, which gets the cells of
/// the visit and the number of the round. Of cells that are visited together, none is measured
/// without the others.
///
/// # Errors
///
/// The file is of another build or machine or cannot be written, or `visit` fails otherwise than by
/// a process that failed.
pub(crate) fn run(
    name: &str,
    plan: &Plan,
    (log, before): &mut (Log, Vec<Line>),
    mut visit: impl FnMut(&[&Planned], u32) -> Result<Vec<Outcome>, Failure>,
) -> Result<Summary, Failure> {
    let machine = Machine::this();
    let done = done(name, log.path(), before, &machine)?;
    let all = schedule(plan);
    let is_done = |(together, round): &(Vec<&Planned>, u32)| {
        let mut cells = together.iter().map(|planned| &planned.cell);
        cells.all(|cell| done.contains(&(cell, *round)))
    };
    let (held, visits): (Vec<_>, Vec<_>) = all.into_iter().partition(is_done);
    let mut summary = Summary {
        held: held.len(),
        ..Summary::default()
    };
    if !held.is_empty() {
        let visits = held.len();
        eprintln!("lab: {name}: {visits} visits are in the file already and are not repeated");
    }
    let mut failed = HashSet::new();
    let count = visits.len();
    for (number, (together, round)) in (1..).zip(visits) {
        let first = &together[0].cell;
        if failed.contains(first) {
            continue;
        }
        let more = match together.len() {
            1 => String::new(),
            cells => format!(" and others, {cells} in turns"),
        };
        tell(&format!("{number}/{count} {first}{more}"));
        let watch = Watch::start();
        let outcomes = match visit(&together, round) {
            Err(Failure::Process(kind, message)) => {
                let failed = || Outcome::failed(kind, message.clone());
                iter::repeat_with(failed).take(together.len()).collect()
            }
            visited => visited?,
        };
        for (planned, outcome) in together.iter().zip(outcomes) {
            let cell = &planned.cell;
            let line = Line {
                experiment: name.into(),
                cell: cell.clone(),
                in_turns: together.len() > 1,
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
                    eprintln!("lab: FAILED: {what}");
                    summary.failed.push(what);
                    failed.insert(cell);
                }
            }
        }
    }
    Ok(summary)
}

/// Every visit of a plan, in order: its cells, and its round.
fn schedule(plan: &Plan) -> Vec<(Vec<&Planned>, u32)> {
    let mut visits = Vec::new();
    for group in &plan.groups {
        let mut units: Vec<Vec<&Planned>> = Vec::new();
        for planned in group {
            match units.iter_mut().find(|unit| unit[0].is_beside(planned)) {
                Some(unit) => unit.push(planned),
                None => units.push(vec![planned]),
            }
        }
        let rounds = group.iter().map(|planned| planned.rounds).max();
        for round in 0..rounds.unwrap_or(0) {
            let places = order(units.len(), round as usize).map(|place| &units[place]);
            let wanted = places.filter(|unit| round < unit[0].rounds);
            visits.extend(wanted.map(|unit| (unit.clone(), round)));
        }
    }
    visits
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
    if let Some(other) = own().find(|line| !line.machine.is_as(machine)) {
        let file = file.display();
        return Err(Failure::Usage(format!(
            "{name}: {file} holds results of another build or machine: --out names another place, \
             --restart puts it aside. It is of\n{}",
            other.machine
        )));
    }
    let measured = own().filter(|line| matches!(line.outcome, Outcome::Measured(_)));
    Ok(measured.map(|line| (&line.cell, line.round)).collect())
}

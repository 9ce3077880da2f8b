//! From a document to cells: every combination of what its blocks list, checked. Cells of one
//! problem and size form a group, whose visits are interleaved; a cell that two blocks name is
//! visited once, as the first one says.

use std::ops::RangeInclusive;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::file::{Block, Document, Threads};
use crate::adders::BYTES;
use crate::contender::{Id, Planted, check_tuning};
use crate::experiment;
use crate::machine;
use crate::names::unknown;
use crate::results::Cell;
use crate::workload::{Workload, all, find};

/// What will be measured.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plan {
    /// The groups, one after the other.
    pub(crate) groups: Vec<Group>,
    /// What is not as the file says, in words.
    pub(crate) remarks: Vec<String>,
}

/// Cells whose visits are interleaved.
pub(crate) type Group = Vec<Planned>;

/// A cell, and how it is visited.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub(crate) struct Planned {
    pub(crate) cell: Cell,
    /// Whether one process visits it and all others of its problem, size and parameters, in turns.
    pub(crate) together: bool,
    /// How often, each time in a process of its own.
    pub(crate) rounds: u32,
    /// Samples of a visit at most.
    pub(crate) samples: u32,
    /// After so long no further sample is begun.
    pub(crate) visit: Duration,
    /// Untimed calls for at least so long.
    pub(crate) warm_up: Duration,
    /// A visit that takes longer has failed.
    pub(crate) timeout: Duration,
}

impl Planned {
    /// Whether one process visits both.
    pub(super) fn is_beside(&self, other: &Planned) -> bool {
        let place = |Planned { cell, .. }: &Planned| {
            (cell.problem.clone(), cell.size, cell.parameters.clone())
        };
        self.together && other.together && place(self) == place(other)
    }
}

impl Plan {
    /// The plan for a document; `rounds` is for all cells.
    pub(crate) fn of(
        document: &Document,
        quick: bool,
        rounds: Option<u32>,
    ) -> Result<Plan, String> {
        let mut plan = Plan::default();
        for (index, block) in document.cells.iter().enumerate() {
            let mut block = block.clone();
            if quick {
                block = block.changed_by(&document.quick);
                let own = block.quick.take();
                block = own.map_or(block.clone(), |own| block.changed_by(&own));
            }
            block.rounds = rounds.or(block.rounds);
            let number = index + 1;
            plan.add(&block, quick)
                .map_err(|why| format!("cells, block {number}: {why}"))?;
        }
        if plan.groups.is_empty() {
            return Err([&["there are no cells".to_string()], &*plan.remarks]
                .concat()
                .join("; "));
        }
        Ok(plan)
    }

    /// Leaves the cells that are wanted.
    pub(crate) fn retain(&mut self, wanted: impl Fn(&Planned) -> bool) {
        for group in &mut self.groups {
            group.retain(&wanted);
        }
        self.groups.retain(|group| !group.is_empty());
    }

    /// How many cells there are.
    pub(crate) fn cells(&self) -> usize {
        self.groups.iter().map(Vec::len).sum()
    }

    fn add(&mut self, block: &Block, quick: bool) -> Result<(), String> {
        let problems = match (&block.problem, &block.problems) {
            (Some(one), None) => vec![one.clone()],
            (None, Some(some)) if !some.is_empty() => some.clone(),
            _ => return Err("name either a problem or some problems".into()),
        };
        if let (None, Some(share)) = (&block.sizes, block.size_per_thread) {
            for threads in threads(block)? {
                let own = Block {
                    sizes: Some(vec![share.saturating_mul(threads as u64)]),
                    threads: Some(vec![Threads::Number(threads as i64)]),
                    ..block.clone()
                };
                self.add(&own, quick)?;
            }
            return Ok(());
        }
        for problem in &problems {
            let kind = find(all().chain([&BYTES]), problem)?;
            if block.together == Some(true) && !(kind.programs)().is_empty() {
                return Err(format!(
                    "{problem}: processes of their own cannot be together"
                ));
            }
            let sizes = match &block.sizes {
                Some(sizes) => sizes.clone(),
                None => vec![if quick { kind.quick } else { kind.size } as u64],
            };
            for size in sizes {
                let of_problem = |why: String| format!("{problem}: {why}");
                within("a size", size as usize, &kind.sizes).map_err(of_problem)?;
                if let Err(short) = (kind.memory)(size as usize) {
                    self.remarks
                        .push(of_problem(format!("without {size}: {short}")));
                    continue;
                }
                let cells = cells(block, problem, kind, size).map_err(of_problem)?;
                if cells.is_empty() {
                    return Err(of_problem("a list is empty".into()));
                }
                for cell in cells {
                    self.insert(planned(block, cell)?);
                }
            }
        }
        Ok(())
    }

    fn insert(&mut self, new: Planned) {
        let place = |cell: &Cell| (cell.problem.clone(), cell.size);
        let same = |group: &&mut Group| place(&group[0].cell) == place(&new.cell);
        match self.groups.iter_mut().find(same) {
            Some(group) if group.iter().any(|known| known.cell == new.cell) => {}
            Some(group) => group.push(new),
            None => self.groups.push(vec![new]),
        }
    }
}

fn cells(block: &Block, problem: &str, kind: &Workload, size: u64) -> Result<Vec<Cell>, String> {
    let threads = threads(block)?;
    let tunings = block.tuning.clone().unwrap_or_else(|| vec![String::new()]);
    let mut cells = Vec::new();
    for parameters in parameters(block, kind)? {
        for (contender, id) in contenders(block, kind)? {
            let sequential = id.is_some_and(Id::is_sequential);
            let threads: &[usize] = if sequential { &[1] } else { &threads };
            for &threads in threads {
                for tuning in tunings_of(id, &tunings)? {
                    cells.push(Cell {
                        problem: problem.into(),
                        size,
                        parameters: parameters.clone(),
                        contender: contender.clone(),
                        tuning,
                        threads,
                    });
                }
            }
        }
    }
    Ok(cells)
}

fn threads(block: &Block) -> Result<Vec<usize>, String> {
    let Some(listed) = &block.threads else {
        return Ok(vec![machine::cores()]);
    };
    let number = |threads: &Threads| match threads {
        Threads::Word(word) if word == "cores" => Ok(machine::cores()),
        Threads::Word(word) => Err(format!("threads: {word} is neither a number nor \"cores\"")),
        Threads::Number(number) => experiment::threads(&number.to_string())
            .map_err(|why| format!("threads: {why}, not {number}")),
    };
    listed.iter().map(number).collect()
}

/// Who takes part, by name: contenders, or programs of their own.
fn contenders(block: &Block, kind: &Workload) -> Result<Vec<(String, Option<Id>)>, String> {
    let own = (kind.programs)()
        .into_iter()
        .map(|name| (name.into(), None));
    let mut able: Vec<(String, Option<Id>)> = own.collect();
    if able.is_empty() {
        let ids = [&[Id::Baseline], kind.contenders].concat().into_iter();
        able.extend(ids.map(|id| (id.name(), Some(id))));
    }
    let Some(listed) = &block.contenders else {
        return Ok(able);
    };
    let one = |name: &String| {
        let named = Id::named(name);
        let is_it = |(own, id): &&(String, Option<Id>)| own == name || id.is_some() && *id == named;
        match able.iter().find(is_it) {
            Some(found) => Ok(found.clone()),
            None if named == Some(Id::Planted) && Planted::allowed() => Ok((name.clone(), named)),
            None => Err(unknown(
                "contender",
                name,
                able.iter().map(|(name, _)| &**name),
            )),
        }
    };
    listed.iter().map(one).collect()
}

/// The tunings that concern the contender: all of them if it can be tuned, else only none.
fn tunings_of(id: Option<Id>, tunings: &[String]) -> Result<Vec<String>, String> {
    match id {
        Some(Id::SumacJoin | Id::SumacScope) => {
            let checked = tunings.iter().map(|tuning| {
                check_tuning(tuning)
                    .map(|()| tuning.clone())
                    .map_err(|why| format!("tuning: {why}"))
            });
            checked.collect()
        }
        Some(Id::Planted) => Ok(tunings.to_vec()),
        _ => Ok(vec![String::new()]),
    }
}

/// Every combination of the parameters' values, as a cell names it.
fn parameters(block: &Block, kind: &Workload) -> Result<Vec<String>, String> {
    let mut all = vec![String::new()];
    let known = kind.parameters;
    for (name, values) in block.parameters.iter().flatten() {
        let parameter = known.iter().find(|p| p.name == name).ok_or_else(|| {
            let names: Vec<&str> = known.iter().map(|p| p.name).collect();
            format!("has no parameter {name}, but {}", names.join(", "))
        })?;
        let mut longer = Vec::new();
        for before in &all {
            for value in values {
                within(name, *value, &parameter.range)?;
                let comma = if before.is_empty() { "" } else { "," };
                longer.push(format!("{before}{comma}{name}={value}"));
            }
        }
        all = longer;
    }
    Ok(all)
}

fn planned(block: &Block, cell: Cell) -> Result<Planned, String> {
    let rounds = block.rounds.unwrap_or(5);
    let samples = block.samples.unwrap_or(20);
    let visit = block.visit_seconds.unwrap_or(2.0);
    let warm_up = block.warm_up_ms.unwrap_or(50.0);
    let timeout = block.timeout_seconds.unwrap_or(300.0);
    within("rounds", rounds, &(1..=1000))?;
    within("samples", samples, &(1..=10_000))?;
    within("visit_seconds", visit, &(0.001..=3600.0))?;
    within("warm_up_ms", warm_up, &(0.0..=60_000.0))?;
    within("timeout_seconds", timeout, &(0.001..=86_400.0))?;
    Ok(Planned {
        cell,
        together: block.together.unwrap_or(false),
        rounds,
        samples,
        visit: Duration::from_secs_f64(visit),
        warm_up: Duration::from_secs_f64(warm_up / 1e3),
        timeout: Duration::from_secs_f64(timeout),
    })
}

fn within<T: PartialOrd + std::fmt::Display>(
    name: &str,
    value: T,
    range: &RangeInclusive<T>,
) -> Result<(), String> {
    match range.contains(&value) {
        true => Ok(()),
        false => Err(format!(
            "{name} is between {} and {}, not {value}",
            range.start(),
            range.end()
        )),
    }
}

//! What a pool costs while it is not used. Every case is a process of its own, so that
//! no other pool's threads are counted; the processes sleep side by side. See `idle/child.rs` for
//! what is read where.

mod child;

pub(crate) use child::child;

use std::env;
use std::path::Path;
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use sumac_record::{Cell, Line, Measured};

use crate::contender::Id;
use crate::experiment::Failure;
use crate::progress::tell;
use crate::report::Section;
use crate::table::{Table, digits};
use crate::tied;

/// How often an idle pool is watched again.
const RETRIES: usize = 3;
/// How much longer than asked for no sleep takes on a machine that runs.
const OVERSLEPT: Duration = Duration::from_millis(50);

/// An idle pool.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Case {
    /// Whose.
    #[serde(rename = "contender")]
    pub(crate) id: Id,
    /// Of how many threads.
    pub(crate) threads: usize,
    /// Whether a sleeping caller is inside, as the holder of a scope is.
    pub(crate) held: bool,
}

/// What an idle pool cost.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct IdleRecord {
    /// Which.
    #[serde(flatten)]
    pub(crate) case: Case,
    /// How long it was watched.
    pub(crate) seconds: f64,
    /// CPU time of all of its threads, and the caller's, in milliseconds.
    pub(crate) cpu_ms: f64,
    /// How often one of them went back to sleep.
    pub(crate) switches: u64,
}

impl IdleRecord {
    /// It as a line of a result file: processor time in a second.
    pub(crate) fn line(&self) -> Line {
        let cell = Cell {
            parameters: self.case.inside().into(),
            ..Cell::of("idle", &self.case.id.name(), self.case.threads)
        };
        let measured = Measured {
            pieces: 1,
            batch: 1,
            samples: vec![1e6 * self.cpu_ms / self.seconds],
            further: [("switches".into(), self.switches as f64 / self.seconds)].into(),
            ..Measured::default()
        };
        Line::new("", cell, measured)
    }
}

/// Every contender at every number of threads, without a caller inside and with a caller inside.
pub(crate) fn cases(ids: &[Id], threads: &[usize]) -> Vec<Case> {
    let mut cases = Vec::new();
    for held in [false, true] {
        for &threads in threads {
            cases.extend(ids.iter().map(|&id| Case { id, threads, held }));
        }
    }
    cases
}

/// Watches all cases for so long. Who overslept was on a machine that stood still for a while,
/// which wakes every thread: those are watched again.
pub(crate) fn measure(cases: &[Case], time: Duration) -> Result<Vec<IdleRecord>, Failure> {
    tell("idle pools");
    let mut records = watch(cases, time)?;
    for _ in 0..RETRIES {
        let overslept = |r: &IdleRecord| r.seconds > time.as_secs_f64() + OVERSLEPT.as_secs_f64();
        let again: Vec<usize> = (0..cases.len())
            .filter(|&i| overslept(&records[i]))
            .collect();
        let again_cases: Vec<Case> = again.iter().map(|&i| cases[i]).collect();
        for (i, record) in again.into_iter().zip(watch(&again_cases, time)?) {
            records[i] = record;
        }
    }
    Ok(records)
}

fn watch(cases: &[Case], time: Duration) -> Result<Vec<IdleRecord>, Failure> {
    if cases.is_empty() {
        return Ok(Vec::new());
    }
    let lab = env::current_exe()?;
    let start = Instant::now();
    let children = cases.iter().map(|case| case.watched(&lab, time));
    let children = children.collect::<Result<Vec<Child>, _>>()?;
    while start.elapsed() < time {
        thread::sleep(time / 20);
    }
    let record = |child: Child| {
        let output = child.wait_with_output()?;
        match output.status.success() {
            true => Ok(serde_json::from_slice(&output.stdout)?),
            false => Err(Failure::Other(format!("an idle pool: {}", output.status))),
        }
    };
    children.into_iter().map(record).collect()
}

impl Case {
    /// Who is inside.
    pub(crate) fn inside(&self) -> &'static str {
        if self.held {
            "a sleeping caller"
        } else {
            "no caller"
        }
    }

    /// The process that holds it, and watches it for so long.
    fn watched(self, lab: &Path, time: Duration) -> Result<Child, Failure> {
        let mut command = tied::command(lab);
        command
            .arg("idle-child")
            .arg(serde_json::to_string(&(self, time))?);
        let command = command.stdin(Stdio::null()).stdout(Stdio::piped());
        Ok(command.spawn()?)
    }
}

/// The table.
pub(crate) fn section(records: &[IdleRecord]) -> Section {
    let mut table = Table::headed("contender|threads|inside|CPU ms|CPU ms per s|wake-ups per s");
    for r in records {
        table.row([
            r.case.id.to_string(),
            r.case.threads.to_string(),
            r.case.inside().into(),
            digits(r.cpu_ms),
            digits(r.cpu_ms / r.seconds),
            digits(r.switches as f64 / r.seconds),
        ]);
    }
    let seconds = records.first().map_or(0.0, |r| r.seconds);
    let note = format!(
        "Watched for {seconds:.1} s, from 100 ms after the last call; \
         wake-ups are voluntary context switches."
    );
    Section::new("idle pools", table, note)
}

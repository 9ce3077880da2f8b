//! `lab idle`: what a pool costs while nobody needs it. Every case is a process of its own, so that
//! no other pool's threads are counted; the processes sleep side by side. See `idle/child.rs` for
//! what is read where.

mod child;

pub(crate) use child::{ChildArgs, child};

use std::env;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};

use crate::cli;
use crate::contender::Id;
use crate::experiment::Failure;
use crate::progress::Progress;
use crate::report::{Report, Section};
use crate::table::{Table, digits};
use crate::tied;

/// How often an idle pool is watched again.
const RETRIES: usize = 3;
/// How much longer than asked for no sleep takes on a machine that runs.
const OVERSLEPT: Duration = Duration::from_millis(50);

/// How long, who.
#[derive(Args, Clone, Debug)]
pub(crate) struct IdleArgs {
    /// Seconds to watch
    #[arg(long, value_parser = cli::seconds, default_value = "5", value_name = "S")]
    seconds: Duration,

    /// Numbers of threads
    #[arg(long, value_delimiter = ',', value_parser = cli::threads, value_name = "N,..", default_value = "2,64")]
    threads: Vec<usize>,

    /// Whose pools
    #[arg(long, value_delimiter = ',', value_enum, value_name = "WHO,..",
          default_values_t = Id::RUNTIMES)]
    contenders: Vec<Id>,

    /// One JSON document instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}

/// An idle pool.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Case {
    /// Whose.
    pub(crate) id: Id,
    /// Of how many threads.
    pub(crate) threads: usize,
    /// Whether a sleeping caller is inside, as the holder of a scope is.
    pub(crate) held: bool,
}

/// What an idle pool cost.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct IdleRecord {
    /// Whose.
    pub(crate) contender: Id,
    /// Of how many threads.
    pub(crate) threads: usize,
    /// Whether a sleeping caller was inside.
    pub(crate) held: bool,
    /// How long it was watched.
    pub(crate) seconds: f64,
    /// CPU time of all of its threads, and the caller's, in milliseconds.
    pub(crate) cpu_ms: f64,
    /// How often one of them went back to sleep.
    pub(crate) switches: u64,
}

/// Measures.
pub(crate) fn run(args: &IdleArgs) -> Result<Report, Failure> {
    if let Some(id) = args.contenders.iter().find(|id| !Id::RUNTIMES.contains(id)) {
        return Err(Failure::Usage(format!("the {id} has no pool")));
    }
    let progress = Progress::new(1);
    let mut report = Report {
        idle: measure(
            &cases(&args.contenders, &args.threads),
            args.seconds,
            &progress,
        )?,
        ..Report::default()
    };
    report.sections.push(section(&report.idle));
    Ok(report)
}

/// Every contender at every number of threads, with nobody inside and with a caller inside.
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
pub(crate) fn measure(
    cases: &[Case],
    time: Duration,
    progress: &Progress,
) -> Result<Vec<IdleRecord>, Failure> {
    progress.begin("idle pools");
    let mut records = watch(cases, time, progress)?;
    for _ in 0..RETRIES {
        let overslept = |r: &IdleRecord| r.seconds > time.as_secs_f64() + OVERSLEPT.as_secs_f64();
        let again: Vec<usize> = (0..cases.len())
            .filter(|&i| overslept(&records[i]))
            .collect();
        let again_cases: Vec<Case> = again.iter().map(|&i| cases[i]).collect();
        for (i, record) in again.into_iter().zip(watch(&again_cases, time, progress)?) {
            records[i] = record;
        }
    }
    progress.end();
    Ok(records)
}

fn watch(cases: &[Case], time: Duration, progress: &Progress) -> Result<Vec<IdleRecord>, Failure> {
    if cases.is_empty() {
        return Ok(Vec::new());
    }
    let other = |why: String| Failure::Other(format!("cannot watch an idle pool: {why}"));
    let lab = env::current_exe().map_err(|why| other(why.to_string()))?;
    let start = Instant::now();
    let children = cases
        .iter()
        .map(|case| case.command(&lab, time).spawn())
        .collect::<Result<Vec<Child>, _>>()
        .map_err(|why| other(why.to_string()))?;
    while start.elapsed() < time {
        progress.reached(start.elapsed().as_secs_f64() / time.as_secs_f64());
        thread::sleep(time / 20);
    }
    let record = |child: Child| {
        let output = child
            .wait_with_output()
            .map_err(|why| other(why.to_string()))?;
        if !output.status.success() {
            return Err(other(output.status.to_string()));
        }
        serde_json::from_slice(&output.stdout).map_err(|why| other(why.to_string()))
    };
    children.into_iter().map(record).collect()
}

impl Case {
    fn command(self, lab: &std::path::Path, time: Duration) -> Command {
        let name = self.id.to_possible_value();
        let mut command = tied::command(lab);
        command
            .args(["idle-child", "--contender"])
            .args(name.as_ref().map(|name| name.get_name()))
            .args(["--threads", &self.threads.to_string()])
            .args(["--seconds", &time.as_secs_f64().to_string()])
            .args(self.held.then_some("--held"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped());
        command
    }
}

/// The table.
pub(crate) fn section(records: &[IdleRecord]) -> Section {
    let mut table = Table::new([
        "contender",
        "threads",
        "inside",
        "CPU ms",
        "CPU ms per s",
        "wake-ups per s",
    ]);
    for r in records {
        table.row([
            r.contender.to_string(),
            r.threads.to_string(),
            if r.held {
                "a sleeping caller"
            } else {
                "nobody"
            }
            .to_string(),
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

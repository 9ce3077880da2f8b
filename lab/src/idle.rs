//! What a pool costs while it is not used. Every case is a process of its own, so that no other
//! pool's threads are counted; the processes sleep side by side. In each, the main thread only
//! watches, and is not counted; a second thread makes the pool, uses it for a while, and then
//! sleeps, outside or inside.

use std::env;
use std::process::{self, Child, Stdio};
use std::sync::mpsc::{self, Sender};
use std::thread;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use sumac_record::{Cell, Line, Measured, Outcome};

use crate::contender::{self, Contender, Id, Visit};
use crate::experiment::{Failure, Seat, pool};
use crate::problem::Problem;
use crate::problem::fib::Fib;
use crate::progress::tell;
use crate::report::Section;
use crate::results::CellTimes;
use crate::table::{Table, digits};
use crate::tied;
use crate::usage::{self, Whose};

/// How long the pool is used before it is left alone.
const USE: Duration = Duration::from_millis(20);
/// How long it may take to calm down.
const CALM: Duration = Duration::from_millis(100);
/// How long it is watched.
const WATCH: Duration = Duration::from_secs(2);

/// An idle pool.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Case {
    /// Whose.
    id: Id,
    /// Of how many threads.
    threads: usize,
    /// Whether a sleeping caller is inside, as the holder of a scope is.
    held: bool,
}

/// Pools of each of these with so many threads, without a caller inside and with one.
pub(crate) fn measure(ids: &[Id], threads: usize) -> Result<Vec<Line>, Failure> {
    tell("idle pools");
    let lab = env::current_exe()?;
    let held = [false, true].into_iter();
    let cases = held.flat_map(|held| ids.iter().map(move |&id| Case { id, threads, held }));
    let start = |case: Case| {
        let mut command = tied::command(&lab);
        command.arg("idle-child").arg(serde_json::to_string(&case)?);
        let command = command.stdin(Stdio::null()).stdout(Stdio::piped());
        Ok::<_, Failure>((case, command.spawn()?))
    };
    let children = cases.map(start).collect::<Result<Vec<_>, _>>()?;
    let line = |(case, child): (Case, Child)| {
        let output = child.wait_with_output()?;
        if !output.status.success() {
            return Err(Failure::Other(format!("an idle pool: {}", output.status)));
        }
        let (used, switches): (f64, f64) = serde_json::from_slice(&output.stdout)?;
        let inside = if case.held {
            "a sleeping caller"
        } else {
            "no caller"
        };
        let cell = Cell {
            parameters: inside.into(),
            ..Cell::of("idle", &case.id.name(), threads)
        };
        let measured = Measured {
            pieces: 1,
            batch: 1,
            samples: vec![used],
            further: [("switches".into(), switches)].into(),
            ..Measured::default()
        };
        Ok(Line::new("", cell, measured))
    };
    children.into_iter().map(line).collect()
}

/// The table.
pub(crate) fn section(lines: &[Line]) -> Section {
    let mut table = Table::headed("contender|threads|inside|CPU ms per s|wake-ups per s");
    for line in lines {
        let Outcome::Measured(measured) = &line.outcome else {
            continue;
        };
        let cell = &line.cell;
        table.row([
            cell.contender.clone(),
            cell.threads.to_string(),
            cell.parameters.clone(),
            digits(measured.samples[0] / 1e6),
            digits(measured.further["switches"]),
        ]);
    }
    let seconds = WATCH.as_secs();
    let note = format!(
        "Watched for {seconds} s, from 100 ms after the last call; \
         wake-ups are voluntary context switches."
    );
    Section::new("idle pools", table, note)
}

/// Watches, and prints what it saw: processor time in nanoseconds, and switches, each in a second.
pub(crate) fn child(task: &str) -> Result<(), Failure> {
    if !cfg!(target_os = "linux") {
        return Err(Failure::Other("only Linux tells what threads use".into()));
    }
    let Case { id, threads, held } = serde_json::from_str(task)?;
    let seat = Seat { id, threads };
    let (report, used) = mpsc::channel();
    thread::spawn(move || contender::visit(seat.id, User { seat, held, report }));
    used.recv()
        .map_err(|_| Failure::Other("the pool's user panicked".into()))??;
    thread::sleep(CALM);
    let before = used_by_others();
    let start = Instant::now();
    thread::sleep(WATCH);
    let seconds = start.elapsed().as_secs_f64();
    let used = used_by_others().since(before);
    let per_second = (
        (used.user + used.system) / seconds,
        used.voluntary as f64 / seconds,
    );
    println!("{}", serde_json::to_string(&per_second)?);
    // The user sleeps for ever.
    process::exit(0);
}

/// The thread that has a pool.
struct User {
    seat: Seat,
    held: bool,
    report: Sender<Result<(), Failure>>,
}

impl Visit for User {
    type Out = ();

    fn visit<C: Contender + 'static>(self) {
        let pool = match pool::<C>(self.seat, "") {
            Ok(pool) => pool,
            Err(failure) => return drop(self.report.send(Err(failure))),
        };
        pool.enter(|cx| {
            let start = Instant::now();
            while start.elapsed() < USE {
                Fib(20).solve::<C>(cx);
            }
            if self.held {
                self.rest();
            }
        });
        self.rest();
    }
}

impl User {
    fn rest(&self) {
        drop(self.report.send(Ok(())));
        loop {
            thread::sleep(Duration::from_secs(3600));
        }
    }
}

/// What all threads but this one have used so far.
fn used_by_others() -> CellTimes {
    usage::of(Whose::Own).0.since(usage::of(Whose::Thread).0)
}

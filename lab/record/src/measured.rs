//! What a program has measured: lines of a result file, or a table of them.

use std::env;
use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::machine::Machine;
use crate::stats::Summary;
use crate::table::{Table, time};
use crate::{Cell, Line, Measured, Outcome};

/// What a program that compares contenders in one process is asked for, by the words
/// `[--json] [--quick] [ROUNDS]`.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    /// Records, one line of JSON each, instead of a table.
    pub json: bool,
    /// Small inputs, only to see that it works.
    pub quick: bool,
    /// Rounds, in each of which each contender has one turn.
    pub rounds: usize,
}

impl Asked {
    /// What these words ask for, or so many rounds, but one if it is to be quick.
    ///
    /// # Errors
    /// They ask for something else.
    pub fn of(words: impl Iterator<Item = String>, usual: usize) -> Result<Asked, String> {
        let (mut json, mut quick, mut rounds) = (false, false, None);
        for word in words {
            match (&*word, word.parse()) {
                ("--json", _) => json = true,
                ("--quick", _) => quick = true,
                (_, Ok(number @ 1..)) => rounds = Some(number),
                _ => {
                    return Err(format!(
                        "{word}: only [--json] [--quick] [ROUNDS] are known"
                    ));
                }
            }
        }
        let usual = if quick { 1 } else { usual };
        Ok(Asked {
            json,
            quick,
            rounds: rounds.unwrap_or(usual),
        })
    }

    /// Measures what this program's words ask for, and prints the records.
    pub fn run(
        experiment: &'static str,
        usual: usize,
        measure: impl FnOnce(Asked, &mut Records) -> Result<(), Box<dyn Error>>,
    ) -> ExitCode {
        let run = || {
            let asked = Asked::of(env::args().skip(1), usual)?;
            let mut records = Records::new(experiment);
            measure(asked, &mut records)?;
            Ok::<_, Box<dyn Error>>(records.print(asked.json)?)
        };
        match run() {
            Ok(()) => ExitCode::SUCCESS,
            Err(why) => {
                eprintln!("{experiment}: {why}");
                ExitCode::FAILURE
            }
        }
    }
}

/// The records of one experiment whose contenders took turns in one process.
#[derive(Debug)]
pub struct Records {
    experiment: &'static str,
    lines: Vec<Line>,
}

impl Records {
    /// None so far.
    pub const fn new(experiment: &'static str) -> Records {
        Records {
            experiment,
            lines: Vec::new(),
        }
    }

    /// Adds the samples of a cell, in nanoseconds.
    pub fn add(&mut self, cell: Cell, samples: Vec<f64>) {
        let measured = Measured {
            pieces: 1,
            batch: 1,
            samples,
            ..Measured::default()
        };
        self.push(cell, measured);
    }

    /// Adds what was measured of a cell.
    pub fn push(&mut self, cell: Cell, measured: Measured) {
        self.lines.push(Line::new(self.experiment, cell, measured));
    }

    /// Prints them, as a table of medians or as records.
    ///
    /// # Errors
    /// If standard output does not take it.
    pub fn print(&self, json: bool) -> io::Result<()> {
        let mut out = io::stdout().lock();
        match json {
            false => write!(out, "{}\n\n{}", Machine::this(), table_of(&self.lines)),
            true => write_lines(&self.lines, &mut out),
        }
    }
}

/// The medians of records, a contender a column, with half of what lies between the 10th and the
/// 90th percentile.
pub fn table_of(lines: &[Line]) -> Table {
    let who = |line: &Line| line.cell.contender.clone();
    let contenders = distinct(lines.iter().map(who));
    let experiment = lines.first().map_or("", |line| &line.experiment);
    let head = [experiment.to_string()].into_iter();
    let mut table = Table::new(head.chain(contenders.clone()));
    for row in distinct(lines.iter().map(row_of)) {
        table.across(&row, &contenders, |contender| {
            let mut lines = lines.iter();
            let line = lines.find(|line| row_of(line) == row && who(line) == *contender)?;
            let summary = Summary::of(line.samples()?);
            Some(time(summary.median) + &summary.spread())
        });
    }
    table
}

/// What the row of a cell is called.
fn row_of(line: &Line) -> String {
    let cell = &line.cell;
    let size = match cell.size {
        1 => String::new(),
        size => format!(" {size}"),
    };
    let parameters = match &*cell.parameters {
        "" => String::new(),
        parameters => format!(", {parameters}"),
    };
    format!("{}{size}{parameters} x{}", cell.problem, cell.threads)
}

/// Each of them once, in the order in which they come.
pub fn distinct<T: PartialEq>(all: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut distinct = Vec::new();
    for one in all {
        if !distinct.contains(&one) {
            distinct.push(one);
        }
    }
    distinct
}

/// Writes records, one line of JSON each.
///
/// # Errors
/// If `out` does not take them.
pub fn write_lines(lines: &[Line], out: &mut impl Write) -> io::Result<()> {
    for line in lines {
        serde_json::to_writer(&mut *out, line)?;
        writeln!(out)?;
    }
    Ok(())
}

/// The time, for records.
pub fn seconds_since_1970() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |time| time.as_secs())
}

impl Line {
    /// What was measured of a cell just now, by this process.
    pub fn new(experiment: &str, cell: Cell, measured: Measured) -> Line {
        Line {
            experiment: experiment.into(),
            cell,
            in_turns: true,
            round: 0,
            ended_at: seconds_since_1970(),
            outcome: Outcome::Measured(Box::new(measured)),
            command: env::args().skip(1).collect(),
            cores_of_others: None,
            machine: Machine::this(),
        }
    }

    /// Its samples, if it has any.
    pub fn samples(&self) -> Option<&[f64]> {
        match &self.outcome {
            Outcome::Measured(measured) if !measured.samples.is_empty() => Some(&measured.samples),
            _ => None,
        }
    }
}

//! What a program has measured: lines of a result file, or a table of them.

use std::env;
use std::io::{self, Write};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::machine::Machine;
use crate::stats::{Summary, geometric_mean};
use crate::table::{Table, digits, time};
use crate::{Cell, Line, Measured, Outcome};

/// In which form a program prints its records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Print {
    /// A Markdown table of medians.
    Table,
    /// One line of JSON a record.
    Json,
}

impl Print {
    /// JSON if it is asked for.
    pub const fn json_if(asked: bool) -> Print {
        if asked { Print::Json } else { Print::Table }
    }

    /// JSON where the first of a program's words is `--json`, which is taken out.
    pub fn chosen(words: &mut Vec<String>) -> Print {
        match words.first().is_some_and(|word| word == "--json") {
            true => {
                words.remove(0);
                Print::Json
            }
            false => Print::Table,
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

    /// All of them.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// Prints them.
    ///
    /// # Errors
    /// If standard output does not take it.
    pub fn print(&self, how: Print) -> io::Result<()> {
        let mut out = io::stdout().lock();
        match how {
            Print::Table => write!(out, "{}\n\n{}", Machine::this(), table_of(&self.lines)),
            Print::Json => write_lines(&self.lines, &mut out),
        }
    }

    /// How many times faster a contender is than the best one of others, by rows: the geometric
    /// mean, and the least one with its row.
    pub fn faster(&self, who: &str, than: &[&str]) -> Option<(f64, f64, String)> {
        let of = |row: &str, who: &str| {
            let mut lines = self.lines.iter();
            let line = lines.find(|line| row_of(line) == row && line.cell.contender == who)?;
            Some(Summary::of(line.samples()?).median)
        };
        let ratio = |row: String| {
            let others = than.iter().filter_map(|who| of(&row, who));
            let best = others.min_by(f64::total_cmp)?;
            Some((best / of(&row, who)?, row))
        };
        let ratios: Vec<_> = distinct(self.lines.iter().map(row_of))
            .into_iter()
            .filter_map(ratio)
            .collect();
        let mean = geometric_mean(ratios.iter().map(|(ratio, _)| *ratio))?;
        let least = ratios.into_iter().min_by(|a, b| a.0.total_cmp(&b.0))?;
        Some((mean, least.0, least.1))
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
            Some(median_and_spread(line.samples()?))
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

fn median_and_spread(samples: &[f64]) -> String {
    let Summary {
        median, p10, p90, ..
    } = Summary::of(samples);
    let spread = 50.0 * (p90 - p10) / median;
    format!("{} ±{}%", time(median), digits(spread))
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

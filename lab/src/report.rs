//! What a command hands back: sections to read, and for `--json` all that it measured, in the lines
//! of a result file. These go to stdout in one write at the very end, and so does each section when
//! it is complete, so that what is printed is always whole.

use std::env;
use std::fmt::Display;
use std::io::{self, ErrorKind, Write};

use sumac_record::{Line, write_lines};

use crate::experiment::{Failure, Record};
use crate::machine::Machine;
use crate::others::Watch;
use crate::table::Table;

/// The part of a core that others may use without being mentioned.
pub(crate) const WORTH_SAYING: f64 = 0.02;

/// A table with its heading and what there is to say about it.
#[derive(Clone, Debug)]
pub(crate) struct Section {
    /// The heading.
    pub(crate) title: String,
    /// The table.
    pub(crate) table: Table,
    /// A line or two below it.
    pub(crate) note: String,
}

impl Section {
    /// A section.
    pub(crate) fn new(title: impl Into<String>, table: Table, note: impl Into<String>) -> Section {
        Section {
            title: title.into(),
            table,
            note: note.into(),
        }
    }
}

/// The result of a command.
#[derive(Debug, Default)]
pub(crate) struct Report {
    /// What is printed.
    pub(crate) sections: Vec<Section>,
    /// How many of the sections have been printed.
    pub(crate) printed: usize,
    /// What was measured, for `--json`.
    pub(crate) lines: Vec<Line>,
    /// What went wrong, though there is something to show.
    pub(crate) failed: Option<String>,
}

impl Report {
    /// Adds a section.
    pub(crate) fn add(&mut self, title: impl Into<String>, table: Table, note: impl Into<String>) {
        self.sections.push(Section::new(title, table, note));
    }

    /// Keeps results for `--json`.
    pub(crate) fn keep<'r>(&mut self, records: impl IntoIterator<Item = &'r Record>) {
        self.lines.extend(records.into_iter().map(Record::line));
    }

    /// Prints the sections that are complete, while the next ones are measured.
    pub(crate) fn print_so_far(&mut self) -> Result<(), Failure> {
        write(self.text().as_bytes())
    }

    /// Prints it, as JSON or what is left to be read.
    pub(crate) fn print(&mut self, watch: &Watch, json: bool) -> Result<(), Failure> {
        let cores = watch.cores_of_others();
        if json {
            // As an experiment of the command's name.
            let name = env::args().nth(1).filter(|word| !word.starts_with('-'));
            let name = name.unwrap_or("tour".into());
            for line in &mut self.lines {
                line.experiment.clone_from(&name);
                line.cores_of_others = cores;
            }
            let mut text = Vec::new();
            write_lines(&self.lines, &mut text).map_err(unwritten)?;
            return write(&text);
        }
        let mut text = self.text();
        if let Some(cores) = cores.filter(|&cores| cores >= WORTH_SAYING) {
            text += &format!("\n**Other programs used {cores:.2} cores meanwhile.**\n");
        }
        write(text.as_bytes())
    }

    /// The sections that have not been printed, and before the first one the machine.
    fn text(&mut self) -> String {
        let mut text = String::new();
        if self.printed == 0 {
            text += &format!("{}\n", Machine::this());
        }
        for Section { title, table, note } in &self.sections[self.printed..] {
            text += &format!("\n### {title}\n\n{table}");
            if !note.is_empty() {
                text += &format!("\n{note}\n");
            }
        }
        self.printed = self.sections.len();
        text
    }
}

fn write(text: &[u8]) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text).and(stdout.flush()) {
        // The reader has seen enough.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        result => result.map_err(unwritten),
    }
}

fn unwritten(why: impl Display) -> Failure {
    Failure::Other(format!("cannot write the result: {why}"))
}

//! `lab report`: tables, figures and sentences of the documents, made anew from results.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::experiment::Failure;
use crate::file::{ending, read, save};
use crate::page::{self, Loaded};

/// Where the documents' figures are.
const FIGURES: &str = "results/figures";

/// What `lab report` takes.
#[derive(Args, Debug)]
pub(crate) struct ReportArgs {
    /// Change nothing; fail if a document is not what the results say, or has numbers that were
    /// typed; warn of old records, and of tables that wait for one
    #[arg(long)]
    check: bool,
}

/// The documents.
fn documents() -> Vec<PathBuf> {
    let folders = ["results", "docs", "adders", "field", "lab"].map(PathBuf::from);
    let all = folders.into_iter().chain(within("crates"));
    let mut documents = vec![PathBuf::from("README.md")];
    documents.extend(all.flat_map(|folder| ending(&folder, "md")));
    documents
}

/// Where workloads and rules are described, and numbers are no measurements.
const DESCRIBED: [&str; 2] = ["lab/README.md", "lab/METHODOLOGY.md"];

/// What is in a folder, in order.
fn within(folder: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut all: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    all.sort();
    all
}

/// The results of each machine.
fn machines() -> Result<Vec<Loaded>, Failure> {
    let mut machines = Vec::new();
    for folder in within("results") {
        let files = ending(&folder, "jsonl");
        if let (Some(name), false) = (folder.file_name(), files.is_empty()) {
            let machine = name.to_string_lossy().into();
            let loaded = page::load(&files)?;
            machines.push(Loaded { machine, ..loaded });
        }
    }
    for warning in machines.iter().flat_map(|loaded| &loaded.warnings) {
        eprintln!("lab: warning: {warning}");
    }
    match machines.is_empty() {
        true => Err(Failure::Other(
            "no results/MACHINE/*.jsonl here; `lab run` makes some".into(),
        )),
        false => Ok(machines),
    }
}

/// Makes the documents of the repository anew, or says what is wrong with them.
pub(crate) fn run(args: &ReportArgs) -> Result<(), Failure> {
    let check = args.check;
    let machines = machines()?;
    let (mut files, mut faults) = (BTreeMap::new(), Vec::new());
    for path in documents() {
        let (name, text) = (path.display(), read(&path)?);
        let figures = "../".repeat(path.components().count() - 1) + FIGURES;
        let named = |why: String| Failure::Other(format!("{name}:{why}"));
        let made = page::splice(&text, &machines, &figures).map_err(named)?;
        if check && !DESCRIBED.map(Path::new).contains(&&*path) {
            let typed = page::typed(&text).map_err(named)?.into_iter();
            faults.extend(typed.map(|(line, what)| format!("{name}:{line}: {what}")));
        }
        for (line, what) in made.pending.iter().filter(|_| check) {
            eprintln!("lab: warning: {name}:{line}: `{what}` waits for its record");
        }
        let drawn = made.figures.into_iter();
        files.extend(drawn.map(|(name, svg)| (Path::new(FIGURES).join(name), svg)));
        files.insert(path, made.text);
    }
    let mut changed = 0;
    for (path, text) in &files {
        let held = fs::read_to_string(path).unwrap_or_default();
        if held == *text {
            continue;
        }
        changed += 1;
        let pairs = held.lines().zip(text.lines());
        let same = pairs.take_while(|(is, shall)| is == shall);
        let place = format!("{}:{}", path.display(), same.count() + 1);
        match check {
            true => faults.push(format!(
                "{place}: is not what the results say; see `lab report`"
            )),
            false => save(path, text.as_bytes())?,
        }
    }
    for path in ending(Path::new(FIGURES), "svg") {
        match (files.contains_key(&path), check) {
            (true, _) => {}
            (_, true) => faults.push(format!("{}: no document shows it", path.display())),
            _ => fs::remove_file(&path)?,
        }
    }
    if !check {
        println!("{changed} files changed");
        return Ok(());
    }
    let all = machines.iter().flat_map(|loaded| &loaded.experiments);
    for warning in all.filter_map(page::old) {
        eprintln!("lab: warning: {warning}");
    }
    match faults.is_empty() {
        true => Ok(()),
        false => Err(Failure::Other(format!(
            "documents are wrong:\n{}",
            faults.join("\n")
        ))),
    }
}

//! `lab report`: result files as a page, figures and CSV; or as a table in a document.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::adders;
use crate::experiment::Failure;
use crate::field;
use crate::file::{ending, save};
use crate::page::{self, Loaded, splice};

const RESULTS: &str = "results";

/// What `lab report` takes.
#[derive(Args, Debug)]
pub(crate) struct ReportArgs {
    /// Result files [default: all results/*.jsonl]
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Where index.html and the other pages, tables.md and figures/ go [default: results/report]
    #[arg(long, value_name = "DIR", conflicts_with = "splice")]
    out: Option<PathBuf>,

    /// Where the CSV files go [default: results/csv, with --out its folder csv]
    #[arg(long, value_name = "DIR", conflicts_with = "splice")]
    csv: Option<PathBuf>,

    /// Markdown that is to have a page, such as what `lab fork` prints [default: results/loops.md,
    /// results/shared.md, results/fork.md and results/simulated/tree.md if they are there]
    #[arg(long, value_name = "FILE", conflicts_with = "splice")]
    document: Vec<PathBuf>,

    /// Instead of a page: make the tables between the markers `<!-- lab:TABLE EXPERIMENT -->` and
    /// `<!-- /lab -->` of this document anew (tables are field, findings, nodes, threads, scaling
    /// and units),
    /// and the figures in its sentences, between `<!--= WHAT EXPERIMENT CELL -->` and `<!--/=-->`
    #[arg(long, value_name = "DOCUMENT")]
    splice: Option<PathBuf>,

    /// Change nothing; fail if the document is not what it would be made
    #[arg(long, requires = "splice")]
    check: bool,
}

/// Reports.
pub(crate) fn run(args: &ReportArgs) -> Result<(), Failure> {
    let files = match args.files.is_empty() {
        true => ending(Path::new(RESULTS), "jsonl"),
        false => args.files.clone(),
    };
    if files.is_empty() {
        let none = format!("no result file {RESULTS}/*.jsonl; `lab run` makes some");
        return Err(Failure::Other(none));
    }
    let loaded = page::load(&files)?;
    for warning in &loaded.warnings {
        eprintln!("lab: warning: {warning}");
    }
    if loaded.experiments.is_empty() {
        return Err(Failure::Other("there is no result to report".into()));
    }
    match &args.splice {
        Some(document) => put_into(document, args, &loaded),
        None => write(args, loaded),
    }
}

fn write(args: &ReportArgs, mut loaded: Loaded) -> Result<(), Failure> {
    let results = Path::new(RESULTS);
    let out = args.out.clone().unwrap_or(results.join("report"));
    let beside = args.out.as_deref().unwrap_or(results).join("csv");
    let csv = args.csv.clone().unwrap_or(beside);
    let findings = page::sentences(&loaded);
    let mut chapters = Vec::new();
    // These have pages of their own kind.
    for name in [adders::NAME, field::NAME] {
        let own = loaded.experiments.iter().filter(|e| e.name == name);
        chapters.extend(own.map(|experiment| match name {
            adders::NAME => adders::chapter(experiment),
            _ => field::chapter(experiment),
        }));
        loaded.experiments.retain(|e| e.name != name);
    }
    for document in args.documents() {
        chapters.push(page::text::chapter(&document)?);
    }
    let written = page::write(&loaded, chapters, &findings, &out, &csv)?;
    if written.failed > 0 {
        eprintln!(
            "lab: warning: {} cells failed; the first page lists them",
            written.failed
        );
    }
    println!(
        "{}: {} figures; {}: {} tables",
        out.join("index.html").display(),
        written.figures,
        csv.display(),
        written.tables
    );
    Ok(())
}

/// What has a page where no documents are named.
const DOCUMENTS: [&str; 4] = ["loops.md", "shared.md", "fork.md", "simulated/tree.md"];

impl ReportArgs {
    fn documents(&self) -> Vec<PathBuf> {
        if !self.document.is_empty() {
            return self.document.clone();
        }
        let usual = DOCUMENTS.map(|name| Path::new(RESULTS).join(name));
        usual.into_iter().filter(|file| file.exists()).collect()
    }
}

fn put_into(document: &Path, args: &ReportArgs, loaded: &Loaded) -> Result<(), Failure> {
    let name = document.display();
    let other = |why: String| Failure::Other(format!("{name}: {why}"));
    let text = fs::read_to_string(document).map_err(|error| other(error.to_string()))?;
    let spliced = splice::splice(&text, loaded).map_err(other)?;
    if spliced == text {
        println!("{name}: nothing changed");
        return Ok(());
    }
    if args.check {
        let lines = text.lines().zip(spliced.lines());
        let line = lines.take_while(|(is, shall)| is == shall).count() + 1;
        return Err(other(format!(
            "line {line} is not what the results say; `lab report --splice` makes it anew"
        )));
    }
    save(document, spliced.as_bytes())?;
    println!("{name}: spliced");
    Ok(())
}

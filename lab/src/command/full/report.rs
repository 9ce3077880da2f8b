//! `lab report`: result files as a page, figures and CSV; or as a table in a document.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::adders;
use crate::experiment::Failure;
use crate::field::{self, Found};
use crate::file::{ending, read_list, save};
use crate::page::{self, Experiment, Loaded, Source, splice};

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

    /// What `lab adders` measured, for a part of its own [default:
    /// results/adders/adders.jsonl if it is there]
    #[arg(long, value_name = "FILE")]
    adders: Option<PathBuf>,

    /// What `lab field` measured, for another part [default: results/field/field.json if it is
    /// there]
    #[arg(long, value_name = "FILE")]
    field: Option<PathBuf>,

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
        Some(document) => put_into(document, args, loaded),
        None => write(args, loaded),
    }
}

fn write(args: &ReportArgs, mut loaded: Loaded) -> Result<(), Failure> {
    let results = Path::new(RESULTS);
    let out = args.out.clone().unwrap_or(results.join("report"));
    let beside = args.out.as_deref().unwrap_or(results).join("csv");
    let csv = args.csv.clone().unwrap_or(beside);
    let (adders, field) = (args.adders()?, args.field()?);
    let mut chapters = Vec::new();
    let measured = loaded.experiments.len();
    if let Some((adders, file)) = adders {
        chapters.push(adders::chapter(&adders, &file));
        loaded.experiments.push(adders);
    }
    if let Some((found, file)) = &field {
        chapters.push(field::chapter(found, file));
    }
    for document in args.documents() {
        chapters.push(page::text::chapter(&document)?);
    }
    let findings = page::sentences(Source {
        loaded: &loaded,
        field: field.as_ref().map_or(&[], |(found, _)| found),
    });
    loaded.experiments.truncate(measured);
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

/// What is in the file named, or in the usual one if that is there; with the file.
fn found<T>(
    named: &Option<PathBuf>,
    usual: &str,
    read: impl FnOnce(&Path) -> Result<T, String>,
) -> Result<Option<(T, PathBuf)>, String> {
    let usual = || Some(Path::new(RESULTS).join(usual)).filter(|file| file.exists());
    let file = named.clone().or_else(usual);
    file.map(|file| Ok((read(&file)?, file))).transpose()
}

/// What has a page where no documents are named.
const DOCUMENTS: [&str; 4] = ["loops.md", "shared.md", "fork.md", "simulated/tree.md"];

impl ReportArgs {
    fn adders(&self) -> Result<Option<(Experiment, PathBuf)>, String> {
        found(&self.adders, "adders/adders.jsonl", adders::read)
    }

    fn documents(&self) -> Vec<PathBuf> {
        if !self.document.is_empty() {
            return self.document.clone();
        }
        let usual = DOCUMENTS.map(|name| Path::new(RESULTS).join(name));
        usual.into_iter().filter(|file| file.exists()).collect()
    }

    fn field(&self) -> Result<Option<(Vec<Found>, PathBuf)>, String> {
        found(&self.field, "field/field.json", |file| {
            read_list(file, "lab field")
        })
    }
}

fn put_into(document: &Path, args: &ReportArgs, mut loaded: Loaded) -> Result<(), Failure> {
    let name = document.display();
    let other = |why: String| Failure::Other(format!("{name}: {why}"));
    let text = fs::read_to_string(document).map_err(|error| other(error.to_string()))?;
    let adders = args.adders()?.map(|(adders, _)| adders);
    loaded.experiments.extend(adders);
    let source = Source {
        loaded: &loaded,
        field: &args.field()?.map_or(Vec::new(), |(found, _)| found),
    };
    let spliced = splice::splice(&text, source).map_err(other)?;
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

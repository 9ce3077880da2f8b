//! `lab field`: other people's crates with sumac under rayon and without.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;

use crate::cells::{self, Before, Log, Plan, Planned};
use crate::cli::seconds;
use crate::experiment::Failure;
use crate::field::{Entry, List, NAME, Ready, Shop, Visitor, crates_failed, sections};
use crate::machine;
use crate::page::load_one;
use crate::patched::Under;
use crate::progress::tell;
use crate::report::Report;
use crate::results::Cell;

/// What `lab field` takes.
#[derive(Args, Debug)]
pub(crate) struct FieldArgs {
    /// Which crates of field/field.toml [default: all]
    #[arg(value_name = "NAME")]
    names: Vec<String>,

    /// Six small ones, built in some minutes
    #[arg(long, conflicts_with = "names")]
    sample: bool,

    /// Timed runs with each scheduler
    #[arg(long, value_name = "N", default_value = "7",
          value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,

    /// After how many seconds a run has failed
    #[arg(long, default_value = "60", value_parser = seconds, value_name = "S")]
    timeout: Duration,

    /// Only run what was built before, without cargo
    #[arg(long)]
    run: bool,

    /// Where things are built
    #[arg(long, value_name = "DIR", default_value = "target/field")]
    folder: PathBuf,

    /// Where the results go, gone on with if they are there
    #[arg(long, value_name = "FILE", default_value = "target/lab/field.jsonl")]
    out: PathBuf,

    /// Put results aside that are there, and begin anew
    #[arg(long)]
    restart: bool,
}

/// Builds and measures.
pub(crate) fn run(args: &FieldArgs) -> Result<Report, Failure> {
    let list = List::read()?;
    let chosen = list.chosen(&args.names, args.sample)?;
    let folder = std::path::absolute(&args.folder)?;
    let mut failed = Vec::new();
    let mut shelf = Shop::shelf(&folder);
    if !args.run {
        build(&list, &chosen, &folder, &mut shelf, &mut failed)?;
    }
    let (crates, missing): (Vec<&Entry>, Vec<_>) = chosen
        .into_iter()
        .partition(|entry| shelf.contains_key(&entry.name));
    if args.run {
        failed.extend(
            missing
                .iter()
                .map(|e| format!("{}: it is not built", e.name)),
        );
    }
    let (plan, tree) = (plan(args, &crates), Shop::tree(&folder)?);
    let mut visitor = Visitor {
        crates: &crates,
        shelf: &shelf,
        folder: &folder,
        tree: &tree,
        looked: None,
    };
    let summary = {
        let mut log = Log::open(&args.out, Before::of(false, args.restart))?;
        cells::run(NAME, &plan, &mut log, |planned, _| {
            Ok(vec![visitor.visit(planned[0])?])
        })?
    };
    eprintln!("lab: {}", summary.sentence(NAME, &args.out));
    let mut found = load_one(&args.out, NAME)?;
    let titles: Vec<String> = crates.iter().map(|entry| entry.title()).collect();
    found.cells.retain(|cell, _| titles.contains(&cell.problem));
    let mut report = Report {
        sections: sections(&found),
        ..Report::default()
    };
    failed
        .iter()
        .for_each(|line| eprintln!("lab: field: {line}"));
    let wrong = failed.len() + crates_failed(&found);
    report.failed = (wrong > 0).then(|| format!("{wrong} crates failed"));
    Ok(report)
}

fn build(
    list: &List,
    chosen: &[&Entry],
    folder: &Path,
    shelf: &mut BTreeMap<String, Ready>,
    failed: &mut Vec<String>,
) -> Result<(), Failure> {
    tell("versions and sources");
    let shop = Shop::open(folder, list)?;
    for entry in chosen {
        tell(&format!("building {}", entry.name));
        shelf.remove(&entry.name);
        match shop.make(entry) {
            Ok(ready) => drop(shelf.insert(entry.name.clone(), ready)),
            Err(Failure::Interrupted) => return Err(Failure::Interrupted),
            Err(why) => failed.push(format!("{}: {why}", entry.name)),
        }
        Shop::put(folder, shelf)?;
    }
    Ok(())
}

/// The visits: both programs of each crate in turn.
fn plan(args: &FieldArgs, crates: &[&Entry]) -> Plan {
    let planned = |entry: &Entry, under: Under| Planned {
        together: false,
        cell: Cell {
            problem: entry.title(),
            size: 1,
            parameters: String::new(),
            contender: under.to_string(),
            tuning: String::new(),
            threads: machine::cores(),
        },
        rounds: args.rounds,
        samples: 1,
        visit: args.timeout,
        warm_up: Duration::ZERO,
        timeout: args.timeout,
    };
    let group = |entry: &&Entry| Under::BOTH.map(|under| planned(entry, under)).to_vec();
    Plan {
        groups: crates.iter().map(group).collect(),
        remarks: Vec::new(),
    }
}

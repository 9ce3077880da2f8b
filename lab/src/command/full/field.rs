//! `lab field`: other people's crates with sumac under rayon and without, or RPB's programs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;

use crate::cells::{self, Before, Log, Plan, Planned};
use crate::cli::seconds;
use crate::experiment::Failure;
use crate::field::{Entry, List, NAME, RPB, Ready, Shop, Visitor, crates_failed, sections};
use crate::machine;
use crate::page::load_one;
use crate::patched::{Under, commit_of};
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

    /// The programs of RPB instead, of which this is a clone
    #[arg(long, value_name = "FOLDER", conflicts_with = "sample")]
    rpb: Option<PathBuf>,

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

    /// Where things are built [default: target/field, target/rpb]
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,

    /// Where the results go, gone on with if they are there [default: target/lab/field.jsonl,
    /// target/lab/rpb.jsonl]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Put results aside that are there, and begin anew
    #[arg(long)]
    restart: bool,
}

/// Builds and measures.
pub(crate) fn run(args: &FieldArgs) -> Result<Report, Failure> {
    let name = if args.rpb.is_some() { RPB } else { NAME };
    let default = || (format!("target/{name}"), format!("target/lab/{name}.jsonl"));
    let folder = args.folder.clone().unwrap_or_else(|| default().0.into());
    let out = args.out.clone().unwrap_or_else(|| default().1.into());
    let folder = std::path::absolute(folder)?;
    let mut shop = None;
    let list = match &args.rpb {
        None => {
            let list = List::read()?;
            list.chosen(&args.names, args.sample)?;
            if !args.run {
                tell("versions and sources");
                shop = Some(Shop::open(&folder, &list)?);
            }
            list
        }
        Some(clone) => {
            if !args.run {
                tell("versions and sources");
                shop = Some(Shop::of_rpb(&folder, clone)?);
            }
            // What was laid out, which a later commit of the clone is not.
            List::of_rpb(&commit_of(&folder.join(Under::Rayon.to_string()))?)?
        }
    };
    let chosen = list.chosen(&args.names, args.sample)?;
    let mut failed = Vec::new();
    let mut shelf = Shop::shelf(&folder);
    if let Some(shop) = shop {
        build(&shop, &chosen, &folder, &mut shelf, &mut failed)?;
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
    let (plan, inputs) = (
        plan(args, &crates),
        Shop::inputs(&folder, args.rpb.is_some())?,
    );
    let mut visitor = Visitor {
        crates: &crates,
        shelf: &shelf,
        folder: &folder,
        inputs: &inputs,
        looked: None,
    };
    let summary = {
        let mut log = Log::open(&out, Before::of(false, args.restart))?;
        cells::run(name, &plan, &mut log, |planned, _| {
            Ok(vec![visitor.visit(planned[0])?])
        })?
    };
    eprintln!("lab: {}", summary.sentence(name, &out));
    let mut found = load_one(&out, name)?;
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
    shop: &Shop,
    chosen: &[&Entry],
    folder: &Path,
    shelf: &mut BTreeMap<String, Ready>,
    failed: &mut Vec<String>,
) -> Result<(), Failure> {
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

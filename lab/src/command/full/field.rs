//! `lab field`: other people's crates with sumac under rayon and without.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;

use crate::cli::seconds;
use crate::experiment::Failure;
use crate::field::{Entry, Found, List, Ready, Shop, measure, sections};
use crate::file::{read_list, save_list};
use crate::progress::Progress;
use crate::report::Report;

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

    /// Only build, prove and test
    #[arg(long)]
    build: bool,

    /// Only run what was built before, without cargo
    #[arg(long, conflicts_with = "build")]
    run: bool,

    /// Also how long both builds take from nothing
    #[arg(long, conflicts_with = "run")]
    build_times: bool,

    /// Find versions for what field/Cargo.lock does not have, and keep them there
    #[arg(long)]
    lock: bool,

    /// Where things are built [default: target/field]
    #[arg(long, value_name = "DIR", default_value = "target/field")]
    folder: PathBuf,

    /// Where the results go; those of other crates stay there [default: results/field/field.json]
    #[arg(long, value_name = "FILE", default_value = "results/field/field.json")]
    out: PathBuf,

    /// One JSON document instead of tables
    #[arg(long)]
    pub(crate) json: bool,
}

/// Builds and measures.
pub(crate) fn run(args: &FieldArgs) -> Result<Report, Failure> {
    let list = List::read()?;
    let chosen = list.chosen(&args.names, args.sample)?;
    let folder = std::path::absolute(&args.folder)?;
    let mut failed = Vec::new();
    let mut shelf = Shop::shelf(&folder);
    if !args.run {
        build(args, &list, &chosen, &folder, &mut shelf, &mut failed)?;
    }
    let mut report = Report::default();
    if !args.build {
        let found = measured(args, &chosen, &folder, &shelf, &mut failed)?;
        report.sections = sections(&found);
        keep_with_others(&args.out, &list, &found)?;
        report.field = found;
    }
    failed
        .iter()
        .for_each(|line| eprintln!("lab: field: {line}"));
    report.failed = (!failed.is_empty()).then(|| format!("{} crates failed", failed.len()));
    Ok(report)
}

fn build(
    args: &FieldArgs,
    list: &List,
    chosen: &[&Entry],
    folder: &Path,
    shelf: &mut BTreeMap<String, Ready>,
    failed: &mut Vec<String>,
) -> Result<(), Failure> {
    let progress = Progress::new(chosen.len() + 1);
    progress.begin("versions and sources");
    let shop = Shop::open(folder, list, args.lock)?;
    progress.end();
    for entry in chosen {
        progress.begin(&format!("building {}", entry.name));
        let before = shelf.remove(&entry.name);
        let made = shop.make(entry).and_then(|mut ready| {
            ready.seconds = match args.build_times {
                true => shop.seconds(entry)?,
                false => before.map_or(BTreeMap::new(), |before| before.seconds),
            };
            Ok(ready)
        });
        match made {
            Ok(ready) => drop(shelf.insert(entry.name.clone(), ready)),
            Err(Failure::Interrupted) => return Err(Failure::Interrupted),
            Err(why) => failed.push(format!("{}: {why}", entry.name)),
        }
        Shop::put(folder, shelf)?;
        progress.end();
    }
    Ok(())
}

fn measured(
    args: &FieldArgs,
    chosen: &[&Entry],
    folder: &Path,
    shelf: &BTreeMap<String, Ready>,
    failed: &mut Vec<String>,
) -> Result<Vec<Found>, Failure> {
    let manner = (args.rounds as usize, args.timeout);
    let tree = Shop::tree(folder)?;
    let progress = Progress::new(chosen.len());
    let mut all = Vec::new();
    for entry in chosen {
        progress.begin(&entry.name);
        match shelf.get(&entry.name) {
            None if args.run => failed.push(format!("{}: it is not built", entry.name)),
            None => {}
            Some(ready) => {
                let found = measure(entry, ready, folder, &tree, manner)?;
                let wrong = found.failed.iter();
                failed.extend(wrong.map(|why| format!("{}: {why}", entry.name)));
                all.push(found);
            }
        }
        progress.end();
    }
    Ok(all)
}

/// Puts what was found in the place of what was known of the same crates.
fn keep_with_others(file: &Path, list: &List, found: &[Found]) -> Result<(), Failure> {
    let mut known: Vec<Found> = match file.exists() {
        true => read_list(file, "lab field")?,
        false => Vec::new(),
    };
    known.retain(|old| found.iter().all(|new| new.name != old.name));
    known.extend(found.iter().cloned());
    let place = |one: &Found| list.crates.iter().position(|entry| entry.name == one.name);
    known.retain(|one| place(one).is_some());
    known.sort_by_key(place);
    Ok(save_list(file, &known)?)
}

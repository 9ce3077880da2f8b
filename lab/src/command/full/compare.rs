//! `lab compare`: what got significantly faster or slower between two result files.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use crate::compare::{Change, Compared, Comparison, compare, one_profile};
use crate::experiment::Failure;
use crate::page;
use crate::table::{Table, digits, time};

/// What `lab compare` takes.
#[derive(Args, Debug)]
pub(crate) struct CompareArgs {
    /// The result file before
    before: PathBuf,

    /// The result file after
    after: PathBuf,

    /// By how much a median must change to be called faster or slower
    #[arg(long, value_parser = part, default_value = "2%", value_name = "PERCENT")]
    threshold: f64,

    /// List the cells that did not change, too
    #[arg(long)]
    all: bool,

    /// Exit with 1 if a cell got slower, failed or vanished
    #[arg(long)]
    fail_on_slower: bool,
}

/// A part, written as a percentage.
fn part(text: &str) -> Result<f64, String> {
    let number = text.trim().trim_end_matches('%').trim_end().parse::<f64>();
    match number {
        Ok(percent) if (0.0..=1000.0).contains(&percent) => Ok(percent / 100.0),
        _ => Err("a threshold is a percentage from 0 % to 1000 %, such as 2%".into()),
    }
}

/// Compares and prints.
pub(crate) fn run(args: &CompareArgs) -> Result<ExitCode, Failure> {
    let load = |file: &PathBuf| page::load(std::slice::from_ref(file)).map_err(Failure::Other);
    let (before, after) = (load(&args.before)?, load(&args.after)?);
    for warning in before.warnings.iter().chain(&after.warnings) {
        eprintln!("lab: warning: {warning}");
    }
    one_profile(&before, &after)?;
    let comparison = compare(&before, &after, args.threshold);
    print!("{}", text(&comparison, args));
    if comparison.both.is_empty() {
        return Err(Failure::Other("the files have no cell in common".into()));
    }
    let worse = comparison
        .both
        .iter()
        .any(|cell| cell.change == Change::Slower);
    let lost = !comparison.failed.is_empty() || !comparison.only_before.is_empty();
    let failed = args.fail_on_slower && (worse || lost);
    Ok(if failed {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

fn text(comparison: &Comparison, args: &CompareArgs) -> String {
    let mut text = String::new();
    for difference in &comparison.differences {
        text += &format!("**WARNING: {difference}**\n\n");
    }
    for (change, title) in [
        (Change::Slower, "Slower"),
        (Change::Faster, "Faster"),
        (Change::Same, "Not different"),
        (Change::Unknown, "Cannot tell: a single visit on one side"),
    ] {
        let found: Vec<&Compared> = comparison
            .both
            .iter()
            .filter(|c| c.change == change)
            .collect();
        text += &format!("{title}: {}\n", found.len());
        let quiet = change == Change::Same && !args.all;
        if !found.is_empty() && !quiet {
            text += &format!("\n{}\n", table(&found));
        }
    }
    for (title, cells) in [
        ("Only in the first", &comparison.only_before),
        ("Only in the second", &comparison.only_after),
        ("FAILED in the second", &comparison.failed),
    ] {
        if !cells.is_empty() {
            text += &format!("\n{title}: {}\n", cells.len());
            text.extend(cells.iter().map(|cell| format!("* {cell}\n")));
        }
    }
    text + &format!(
        "\nA cell is called different if its median changed by more than {} % and that is significant at 5 % after Holm's \
         correction for {} cells. Intervals are 95 % each, from a bootstrap over visits and their samples.\n",
        digits(args.threshold * 100.0),
        comparison.both.len()
    )
}

fn table(cells: &[&Compared]) -> Table {
    let mut table = Table::headed("cell|before|after|after / before|95 % interval|p, corrected");
    for cell in cells {
        let ratio = cell.ratio;
        table.row([
            cell.name.clone(),
            time(cell.medians.0),
            time(cell.medians.1),
            format!("{:.3}", ratio.value),
            format!("{:.3} to {:.3}", ratio.low, ratio.high),
            if cell.p < 0.001 {
                "< 0.001".into()
            } else {
                format!("{:.3}", cell.p)
            },
        ]);
    }
    table
}

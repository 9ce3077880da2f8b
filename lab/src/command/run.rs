//! `lab run`: experiments that files describe, each visit in a process of its own, results appended
//! to a file.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::cells::{self, Document, Log, Plan, Summary, locate};
use crate::experiment::Failure;
use crate::file::put_aside;
use crate::report::WORTH_SAYING;

/// Which experiments, where to.
#[derive(Args, Clone, Debug)]
pub(crate) struct RunArgs {
    /// Names of files in `experiments/`, or paths of TOML files
    #[arg(required = true, value_name = "EXPERIMENT")]
    experiments: Vec<String>,

    /// Small and soon over, only to see that it works
    #[arg(long)]
    quick: bool,

    /// Only cells whose description, such as `tree 1000 rayon x2`, contains this
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,

    /// The result file [default: results/EXPERIMENT.jsonl; with --quick
    /// target/lab/EXPERIMENT.quick.jsonl, made anew]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Visits to each cell
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1000), value_name = "N")]
    rounds: Option<u32>,

    /// Put result files aside that there are, and begin anew
    #[arg(long)]
    restart: bool,
}

/// An experiment that is ready to run.
struct Ready {
    name: String,
    about: String,
    plan: Plan,
    out: PathBuf,
}

/// Runs them.
pub(crate) fn run(args: &RunArgs) -> Result<(), Failure> {
    let ready = args
        .experiments
        .iter()
        .map(|named| prepare(named, args))
        .collect::<Result<Vec<Ready>, String>>()
        .map_err(Failure::Usage)?;
    if ready.iter().all(|ready| ready.plan.cells() == 0) {
        return Err(Failure::Usage("no cell's description contains that".into()));
    }
    let mut restarted: Vec<&Path> = Vec::new();
    let mut failed = Vec::new();
    for ready in &ready {
        let Ready {
            name,
            about,
            plan,
            out,
        } = ready;
        eprintln!("lab: {name}: {about}");
        for remark in &plan.remarks {
            eprintln!("lab: {name}: {remark}");
        }
        if !restarted.contains(&out.as_path()) {
            restarted.push(out);
            make_room(out, args)?;
        }
        let (mut log, before, warning) = Log::open(out)?;
        if let Some(warning) = warning {
            eprintln!("lab: {warning}");
        }
        let summary = cells::run(name, plan, &mut log, &before)?;
        println!("{}", sentence(name, out, &summary));
        failed.extend(summary.failed);
    }
    match failed.len() {
        0 => Ok(()),
        1 => Err(Failure::Other(format!("a cell failed:\n{}", failed[0]))),
        cells => Err(Failure::Other(format!(
            "{cells} cells failed:\n{}",
            failed.join("\n")
        ))),
    }
}

/// Reads an experiment and plans it.
fn prepare(named: &str, args: &RunArgs) -> Result<Ready, String> {
    let (path, root) = locate(named)?;
    let document = Document::read(&path)?;
    let mut plan = Plan::of(&document, args.quick, args.rounds)
        .map_err(|why| format!("{}: {why}", path.display()))?;
    if let Some(text) = &args.only {
        plan.only(text);
    }
    let name = path.file_stem().unwrap_or_default();
    let name = name.to_string_lossy().into_owned();
    let usual = match args.quick {
        true => root.join(format!("target/lab/{name}.quick.jsonl")),
        false => root.join(format!("results/{name}.jsonl")),
    };
    let out = args.out.clone().unwrap_or(usual);
    Ok(Ready {
        name,
        about: document.about,
        plan,
        out,
    })
}

/// Takes away the result file that is not to be continued.
fn make_room(out: &Path, args: &RunArgs) -> Result<(), String> {
    if args.quick && args.out.is_none() {
        // It was made by a quick run before, for nothing but to see that it works.
        return match fs::remove_file(out) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(format!("cannot remove {}: {error}", out.display()))
            }
            _ => Ok(()),
        };
    }
    if args.restart {
        if let Some(aside) = put_aside(out)? {
            eprintln!("lab: {} is now {}", out.display(), aside.display());
        }
    }
    Ok(())
}

fn sentence(name: &str, out: &Path, summary: &Summary) -> String {
    let Summary {
        measured,
        held,
        failed,
        others,
    } = summary;
    let failures = match failed.len() {
        0 => String::new(),
        1 => ", 1 cell FAILED".into(),
        cells => format!(", {cells} cells FAILED"),
    };
    let held = match held {
        0 => String::new(),
        visits => format!(", {visits} were there already"),
    };
    let mean = others.iter().sum::<f64>() / others.len().max(1) as f64;
    let others = match mean >= WORTH_SAYING {
        true => format!("; other programs used {mean:.2} cores meanwhile"),
        false => String::new(),
    };
    let out = out.display();
    format!("{name}: {measured} visits measured{held}{failures}: {out}{others}")
}

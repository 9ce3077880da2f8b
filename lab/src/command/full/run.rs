//! `lab run`: experiments that files describe, and programs that compare in one process; results
//! appended to a file.

use std::path::{Path, PathBuf};

use clap::Args;
use sumac_record::{Line, table_of, write_lines};

use crate::adders::{BYTES, Visitor, Workshop};
use crate::cells::{self, Before, Document, Log, Plan, Planned, locate};
use crate::experiment::Failure;
use crate::file::{read_toml, save};
use crate::machine;
use crate::results;
use crate::started::Started;
use crate::table::plural;

/// Which experiments, where to.
#[derive(Args, Clone, Debug)]
pub(crate) struct RunArgs {
    /// Names of files in `experiments/`, paths of TOML files, or names of programs; one that is not
    /// known tells which are
    #[arg(required = true, value_name = "EXPERIMENT")]
    experiments: Vec<String>,

    /// Small and soon over, only to see that it works
    #[arg(long)]
    quick: bool,

    /// Only cells whose description, such as `tree 1000 rayon x2`, contains this
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,

    /// The result file, or the folder of MACHINE/EXPERIMENT.jsonl [default: target/lab; with
    /// --quick target/lab/EXPERIMENT.quick.jsonl, made anew]
    #[arg(long, value_name = "PATH")]
    out: Option<PathBuf>,

    /// Visits to each cell
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1000), value_name = "N")]
    rounds: Option<u32>,

    /// Put result files aside that there are, and begin anew
    #[arg(long)]
    restart: bool,
}

/// An experiment that is ready to run: its name, what it asks, its cells, and its result file.
type Ready = (String, String, Plan, PathBuf);

/// Runs them.
pub(crate) fn run(args: &RunArgs) -> Result<(), Failure> {
    let (programs, files): (Vec<_>, Vec<_>) = (args.experiments.iter())
        .map(|named| Started::named(named).ok_or(named))
        .partition(Result::is_ok);
    if !programs.is_empty() && args.only.is_some() {
        return Err(Failure::Usage(
            "--only is for experiments, not for programs".into(),
        ));
    }
    let files = files.into_iter().filter_map(Result::err);
    let ready = files.map(|named| prepare(named, args));
    let ready: Vec<Ready> = ready.collect::<Result<_, _>>().map_err(Failure::Usage)?;
    let is_empty = |plan: &Plan| plan.cells() == 0 && plan.remarks.is_empty();
    if programs.is_empty() && ready.iter().all(|(_, _, plan, _)| is_empty(plan)) {
        return Err(Failure::Usage("no cell's description contains that".into()));
    }
    for started in programs.into_iter().flatten() {
        start(started, args)?;
    }
    let mut begun: Vec<&Path> = Vec::new();
    let mut failed = Vec::new();
    for (name, about, plan, out) in &ready {
        eprintln!("lab: {name}: {about}");
        for remark in &plan.remarks {
            eprintln!("lab: {name}: {remark}");
        }
        // What an experiment of this run has left in a file is gone on with.
        let before = match begun.contains(&out.as_path()) {
            true => Before::GoneOn,
            false => Before::of(args.quick && args.out.is_none(), args.restart),
        };
        begun.push(out);
        let mut log = Log::open(out, before)?;
        let mut adders = Visitor::new(Workshop::new(None));
        let visit = |planned: &[&Planned], round| match planned[0].cell.problem == BYTES.name {
            true => Ok(vec![adders.visit(planned[0], round)?]),
            false => cells::visit(planned),
        };
        let summary = cells::run(name, plan, &mut log, visit)?;
        println!("{}", summary.sentence(name, out));
        failed.extend(summary.failed);
    }
    match failed.len() {
        0 => Ok(()),
        cells => Err(Failure::Other(format!(
            "{} failed:\n{}",
            plural(cells, "cell"),
            failed.join("\n")
        ))),
    }
}

/// Runs a program. Its records replace those that it left in the file before: its contenders are
/// compared with each other, so they are measured anew together.
fn start(started: &Started, args: &RunArgs) -> Result<(), Failure> {
    let name = started.name;
    eprintln!("lab: {name}: {}", started.about);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let out = place(args, name, "turns", &root);
    let mut kept = results::read(&out)?.lines;
    // What cannot be kept is not measured.
    save_lines(&out, &kept)?;
    let lines = started
        .run(args.quick, args.rounds)
        .map_err(|why| why.of(name.into()))?;
    println!(
        "{name}: {}: {}\n\n{}",
        plural(lines.len(), "record"),
        out.display(),
        table_of(&lines)
    );
    kept.retain(|line| line.experiment != name);
    kept.extend(lines);
    Ok(save_lines(&out, &kept)?)
}

fn save_lines(out: &Path, lines: &[Line]) -> Result<(), String> {
    let mut text = Vec::new();
    write_lines(lines, &mut text).map_err(|error| format!("{}: {error}", out.display()))?;
    save(out, &text)
}

/// The result file of an experiment; in the folder of a machine it is called `there`.
fn place(args: &RunArgs, name: &str, there: &str, root: &Path) -> PathBuf {
    match &args.out {
        Some(folder) if folder.is_dir() => {
            let own = folder.join(machine::Machine::this().folder());
            own.join(format!("{there}.jsonl"))
        }
        Some(file) => file.clone(),
        None if args.quick => root.join(format!("target/lab/{name}.quick.jsonl")),
        None => root.join(format!("target/lab/{name}.jsonl")),
    }
}

/// Reads an experiment and plans it.
fn prepare(named: &str, args: &RunArgs) -> Result<Ready, String> {
    let (path, root) = locate(named)?;
    let document: Document = read_toml(&path)?;
    let mut plan = Plan::of(&document, args.quick, args.rounds)
        .map_err(|why| format!("{}: {why}", path.display()))?;
    if let Some(text) = &args.only {
        plan.retain(|planned| planned.cell.to_string().contains(text));
    }
    let missing = Workshop::new(None).leave_out(&mut plan).into_iter();
    let remarks = missing.map(|(adder, why)| format!("without {adder}: {why}"));
    plan.remarks.extend(remarks);
    let name = path.file_stem().unwrap_or_default();
    let name = name.to_string_lossy().into_owned();
    let out = place(args, &name, &name, &root);
    Ok((name, document.about, plan, out))
}

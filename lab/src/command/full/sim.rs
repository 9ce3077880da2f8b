//! `lab sim`: the scheduler on machines that are not at hand, simulated.

use std::path::PathBuf;

use clap::Args;

use crate::experiment::Failure;
use crate::file::save;
use crate::names::unknown;
use crate::progress::tell;
use crate::report::Report;
use crate::sim::{PROGRAMS, check, sections};

/// The most workers that are simulated.
const MOST_WORKERS: i64 = 127;

/// What is simulated.
#[derive(Args, Clone, Debug)]
pub(crate) struct SimArgs {
    /// Numbers of workers, the caller included
    #[arg(long, value_delimiter = ',', value_name = "N,..", default_value = "1,2,4,8,16,32,64",
        value_parser = clap::value_parser!(u32).range(1..=MOST_WORKERS))]
    workers: Vec<u32>,

    /// Programs, by name [default: all]
    #[arg(long, value_delimiter = ',', value_name = "PROGRAM,..")]
    only: Vec<String>,

    /// Nodes, calls' index or leaves, in place of each program's usual number
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    size: Option<u64>,

    /// Compare with real runs on this machine at one and two threads as well
    #[arg(long)]
    check: bool,

    /// The seed of all that is random
    #[arg(long, default_value = "1")]
    seed: u64,

    /// Small problems for the check
    #[arg(long)]
    quick: bool,

    /// Write a file with a record of each simulation
    #[arg(long, value_name = "JSON")]
    record: Option<PathBuf>,
}

/// Simulates.
pub(crate) fn run(args: &SimArgs) -> Result<Report, Failure> {
    let known = |name: &&String| PROGRAMS.iter().any(|program| program.name == **name);
    if let Some(name) = args.only.iter().find(|name| !known(name)) {
        let names = PROGRAMS.map(|program| program.name);
        return Err(Failure::Usage(unknown("program", name, names)));
    }
    let asked = |name: &str| args.only.is_empty() || args.only.iter().any(|only| only == name);
    let programs: Vec<_> = PROGRAMS.into_iter().filter(|p| asked(p.name)).collect();
    let workers: Vec<usize> = args
        .workers
        .iter()
        .map(|&workers| workers as usize)
        .collect();
    let mut rows = Vec::new();
    for mut program in programs {
        tell(program.name);
        program.size = args.size.unwrap_or(program.size);
        rows.extend(program.simulate(&workers, args.seed, &[])?);
    }
    if args.check {
        rows.extend(check::check(args.quick, args.seed)?);
    }
    if let Some(file) = &args.record {
        let lines = rows.iter().map(serde_json::to_string);
        let lines: Vec<String> = lines.collect::<Result<_, _>>()?;
        save(file, format!("[\n{}\n]\n", lines.join(",\n")).as_bytes())?;
    }
    Ok(Report {
        sections: sections(&rows),
        ..Report::default()
    })
}

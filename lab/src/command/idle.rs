//! `lab idle`: what a pool costs while it is not used.

use std::time::Duration;

use clap::Args;

use crate::cli;
use crate::contender::Id;
use crate::experiment::Failure;
use crate::idle::{cases, measure, section};
use crate::progress::Progress;
use crate::report::Report;

/// How long, who.
#[derive(Args, Clone, Debug)]
pub(crate) struct IdleArgs {
    /// Seconds to watch
    #[arg(long, value_parser = cli::seconds, default_value = "5", value_name = "S")]
    seconds: Duration,

    /// Numbers of threads
    #[arg(long, value_delimiter = ',', value_parser = cli::threads, value_name = "N,..", default_value = "2,64")]
    threads: Vec<usize>,

    /// Whose pools
    #[arg(long, value_delimiter = ',', value_enum, value_name = "WHO,..",
          default_values_t = Id::RUNTIMES.to_vec())]
    contenders: Vec<Id>,

    /// One JSON document instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}

/// Measures.
pub(crate) fn run(args: &IdleArgs) -> Result<Report, Failure> {
    if let Some(id) = args.contenders.iter().find(|id| !Id::RUNTIMES.contains(id)) {
        return Err(Failure::Usage(format!("the {id} has no pool")));
    }
    let cases = cases(&args.contenders, &args.threads);
    let idle = measure(&cases, args.seconds, &Progress::new(1))?;
    Ok(Report {
        sections: vec![section(&idle)],
        idle,
        ..Report::default()
    })
}

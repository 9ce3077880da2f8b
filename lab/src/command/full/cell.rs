//! `lab cell`, hidden: one visit of an experiment, in this process. The cells that are
//! planned come as JSON on stdin; their outcomes go as JSON to stdout.

use std::io;

use crate::cells::{Planned, visited};
use crate::experiment::Failure;

/// Makes the visit.
pub(crate) fn run() -> Result<(), Failure> {
    let planned: Vec<Planned> = serde_json::from_reader(io::stdin().lock())
        .map_err(|why| Failure::Usage(format!("not a task: {why}")))?;
    let json = serde_json::to_string(&visited(&planned)?)?;
    println!("{json}");
    Ok(())
}

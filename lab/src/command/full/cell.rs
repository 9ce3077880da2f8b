//! `lab cell`, hidden: one visit of an experiment, in this process. What is planned
//! comes as JSON on stdin; the outcome goes as JSON to stdout.

use std::io;

use crate::cells::Planned;
use crate::experiment::Failure;

/// Makes the visit.
pub(crate) fn run() -> Result<(), Failure> {
    let planned: Planned = serde_json::from_reader(io::stdin().lock())
        .map_err(|why| Failure::Usage(format!("not a task: {why}")))?;
    let json = serde_json::to_string(&planned.visited()?)?;
    println!("{json}");
    Ok(())
}

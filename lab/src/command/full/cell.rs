//! `lab cell`, hidden: one visit of an experiment, in this process. What is planned, and who
//! asks, come as JSON on stdin; the outcome goes as JSON to stdout.

use std::io;

use crate::cells::Planned;
use crate::experiment::Failure;
use crate::tied;

/// Makes the visit.
pub(crate) fn run() -> Result<(), Failure> {
    let (planned, asked_by): (Planned, u32) = serde_json::from_reader(io::stdin().lock())
        .map_err(|why| Failure::Usage(format!("not a task: {why}")))?;
    // A visit that is not waited for would only disturb the next one.
    tied::end_with(asked_by)?;
    let json = serde_json::to_string(&planned.visited()?)?;
    println!("{json}");
    Ok(())
}

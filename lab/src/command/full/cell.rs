//! `lab cell`, hidden: one visit of an experiment, in this process. The task comes as JSON on
//! stdin, the outcome goes as JSON to stdout.

use std::io;

use crate::cells::Task;
use crate::experiment::Failure;
use crate::tied;

/// Makes the visit.
pub(crate) fn run() -> Result<(), Failure> {
    let task: Task = serde_json::from_reader(io::stdin().lock())
        .map_err(|why| Failure::Usage(format!("not a task: {why}")))?;
    // A visit that is not waited for would only disturb the next one.
    tied::end_with(task.asked_by)?;
    let outcome = task.run()?;
    let json = serde_json::to_string(&outcome)?;
    println!("{json}");
    Ok(())
}

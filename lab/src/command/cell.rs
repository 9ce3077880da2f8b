//! `lab cell`, hidden: one visit of an experiment, in this process. The task comes as JSON on stdin, the
//! outcome goes as JSON to stdout.

use std::io;

use crate::cells::Task;
use crate::experiment::Failure;

/// Makes the visit.
pub(crate) fn run() -> Result<(), Failure> {
    end_with_the_parent();
    let task: Task = serde_json::from_reader(io::stdin().lock())
        .map_err(|why| Failure::Usage(format!("not a task: {why}")))?;
    let outcome = task.run()?;
    let json = serde_json::to_string(&outcome).map_err(|why| Failure::Other(why.to_string()))?;
    println!("{json}");
    Ok(())
}

/// A visit that nobody waits for would only disturb the next one.
fn end_with_the_parent() {
    #[cfg(target_os = "linux")]
    nix::sys::prctl::set_pdeathsig(nix::sys::signal::Signal::SIGKILL).ok();
}

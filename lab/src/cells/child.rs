//! The process of a visit, as its parent sees it: it gets its task on stdin and prints an outcome. Whatever
//! else it does is a failure: it ended without a result, or did not end in time. The parent sleeps meanwhile.

use std::env;
use std::io::{self, Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use super::Task;
use crate::experiment::Failure;
use crate::interrupt;
use crate::results::{FailureKind, Outcome};

/// How much of what a process said before it failed is kept.
const LAST_WORDS: usize = 600;
/// How long to wait for the last words of a process that has ended.
const LINGER: Duration = Duration::from_secs(5);

/// Has a task done. An error means that no process could be had, or that the user wants no more.
pub(super) fn visit(task: &Task, timeout: Duration) -> Result<Outcome, Failure> {
    let other = |why: String| Failure::Other(format!("cannot start a visit: {why}"));
    let lab = env::current_exe().map_err(|why| other(why.to_string()))?;
    let order = serde_json::to_string(task).map_err(|why| other(why.to_string()))?;
    let mut command = Command::new(lab);
    command.arg("cell");
    let ended = run(command, order.as_bytes(), timeout).map_err(|why| other(why.to_string()))?;
    let failed = |kind, message| Ok(Outcome::Failed { kind, message });
    let Some(printed) = &ended.printed else {
        let message = format!("no result after {} s", timeout.as_secs_f64());
        return failed(FailureKind::TimeOut, message);
    };
    if interrupt::ended_by_one(ended.status) {
        return Err(Failure::Interrupted);
    }
    match serde_json::from_slice(printed) {
        Ok(outcome) if ended.status.success() => Ok(outcome),
        _ => failed(FailureKind::Crash, ended.last_words()),
    }
}

/// How a process ended.
#[derive(Debug)]
pub(crate) struct Ended {
    /// What it printed; nothing if it had to be ended.
    pub(crate) printed: Option<Vec<u8>>,
    /// Its status.
    pub(crate) status: ExitStatus,
    said: Vec<u8>,
}

impl Ended {
    /// The status, and the end of what it said.
    pub(crate) fn last_words(&self) -> String {
        last_words(self.status, &self.said)
    }
}

/// Runs a process to its end, or to the time-out's, with `input` on its stdin.
pub(crate) fn run(mut command: Command, input: &[u8], timeout: Duration) -> io::Result<Ended> {
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.stderr(Stdio::piped()).spawn()?;
    let (stdout, stderr) = (listen(child.stdout.take()), listen(child.stderr.take()));
    // One that ended before it read its input will be found to have ended.
    let stdin = child.stdin.take();
    stdin.and_then(|mut stdin| stdin.write_all(input).ok());

    let child = Arc::new(Mutex::new(child));
    let victim = Arc::clone(&child);
    interrupt::set_victim(move || drop(lock(&victim).kill()));
    let printed = stdout.recv_timeout(timeout).ok();
    if printed.is_none() {
        drop(lock(&child).kill());
    }
    let status = lock(&child).wait();
    interrupt::set_victim(|| ());
    Ok(Ended {
        printed,
        status: status?,
        // What it started may outlive it for a moment.
        said: stderr.recv_timeout(LINGER).unwrap_or_default(),
    })
}

/// Reads to the end, on a thread of its own.
fn listen(pipe: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (send, receive) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            pipe.read_to_end(&mut bytes).ok();
        }
        send.send(bytes).ok();
    });
    receive
}

fn lock(child: &Mutex<Child>) -> MutexGuard<'_, Child> {
    child.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How a process ended, and the end of what it said.
fn last_words(status: ExitStatus, said: &[u8]) -> String {
    let said = String::from_utf8_lossy(said);
    let said = said.trim();
    let characters = said.chars().count();
    let last: String = said
        .chars()
        .skip(characters.saturating_sub(LAST_WORDS))
        .collect();
    match last.is_empty() {
        true => format!("{status}, without a word"),
        false => format!("{status}: {last}"),
    }
}

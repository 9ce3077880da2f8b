//! The process of a visit, as its parent sees it: it gets its task on stdin and prints an outcome. Whatever
//! else it does is a failure: it ended without a result, or did not end in time. The parent sleeps meanwhile.

use std::env;
use std::io::{Read, Write};
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

/// Has a task done. An error means that no process could be had, or that the user wants no more.
pub(super) fn visit(task: &Task, timeout: Duration) -> Result<Outcome, Failure> {
    let other = |why: String| Failure::Other(format!("cannot start a visit: {why}"));
    let lab = env::current_exe().map_err(|why| other(why.to_string()))?;
    let order = serde_json::to_string(task).map_err(|why| other(why.to_string()))?;
    let mut child = Command::new(lab)
        .arg("cell")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|why| other(why.to_string()))?;
    let (stdout, stderr) = (listen(child.stdout.take()), listen(child.stderr.take()));
    // One that ended before it read its task will be found to have ended.
    let stdin = child.stdin.take();
    stdin.and_then(|mut stdin| stdin.write_all(order.as_bytes()).ok());

    let child = Arc::new(Mutex::new(child));
    let victim = Arc::clone(&child);
    interrupt::set_victim(move || drop(lock(&victim).kill()));
    let printed = stdout.recv_timeout(timeout);
    if printed.is_err() {
        drop(lock(&child).kill());
    }
    let status = lock(&child).wait();
    interrupt::set_victim(|| ());

    let status = status.map_err(|why| other(why.to_string()))?;
    let failed = |kind, message| Ok(Outcome::Failed { kind, message });
    let Ok(printed) = printed else {
        let message = format!("no result after {} s", timeout.as_secs_f64());
        return failed(FailureKind::TimeOut, message);
    };
    if interrupt::ended_by_one(status) {
        return Err(Failure::Interrupted);
    }
    let said = stderr.recv().unwrap_or_default();
    match serde_json::from_slice(&printed) {
        Ok(outcome) if status.success() => Ok(outcome),
        _ => failed(FailureKind::Crash, last_words(status, &said)),
    }
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

//! The process of a visit, as its parent sees it: it gets its task on stdin and prints an outcome.
//! Whatever else it does is a failure: it ended without a result, or did not end in time. The
//! parent sleeps meanwhile. Output that is closed is no end: what counts is that the process has
//! ended.

use std::borrow::Cow;
use std::env;
use std::io::{Read, Write};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use wait_timeout::ChildExt;

use super::Planned;
use crate::experiment::Failure;
use crate::interrupt;
use crate::results::{FailureKind, Outcome};
use crate::tied;

/// How many characters are kept of what a process said before it failed: where it began, which is
/// the reason, and where it ended, which is what a launcher makes of it.
const LAST_WORDS: (usize, usize) = (600, 400);
/// How long to wait for the last words of a process that has ended.
const LINGER: Duration = Duration::from_secs(5);

/// Has a visit made.
///
/// # Errors
///
/// Its process failed, or the user wants no more.
pub(crate) fn visit(planned: &[&Planned]) -> Result<Vec<Outcome>, Failure> {
    let task = serde_json::to_vec(planned)?;
    let mut command = tied::command(env::current_exe()?);
    command.arg("cell");
    let ended = run(
        command,
        &task,
        planned.iter().map(|planned| planned.timeout).sum(),
    )?;
    let crashed = |_| Failure::Process(FailureKind::Crash, ended.last_words());
    serde_json::from_slice(ended.output()?).map_err(crashed)
}

/// How a process ended.
#[derive(Debug)]
pub(crate) struct Ended {
    /// What it printed; nothing if it had to be killed.
    pub(crate) printed: Option<Vec<u8>>,
    status: ExitStatus,
    said: Vec<u8>,
    timeout: Duration,
}

impl Ended {
    /// What it printed if it did well.
    ///
    /// # Errors
    ///
    /// It did not, or the user wants no more.
    pub(crate) fn output(&self) -> Result<&[u8], Failure> {
        match &self.printed {
            None => {
                let said = format!("no result after {} s", self.timeout.as_secs_f64());
                Err(Failure::Process(FailureKind::TimeOut, said))
            }
            Some(_) if interrupt::ended_by_one(self.status) => Err(Failure::Interrupted),
            Some(printed) if self.status.success() => Ok(printed),
            Some(_) => Err(Failure::Process(FailureKind::Crash, self.last_words())),
        }
    }

    /// What it said on standard error.
    pub(crate) fn said(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.said)
    }

    /// The status and what it said, on standard error first; MPICH's launcher tells on standard
    /// output who was killed.
    fn last_words(&self) -> String {
        let printed = self.printed.as_deref().unwrap_or_default();
        let said = [&self.said, printed].map(String::from_utf8_lossy);
        last_words(self.status, &said.join("\n"))
    }
}

/// Runs a process to its end, or to the time-out's, with `input` on its stdin.
///
/// # Errors
///
/// It does not start.
pub(crate) fn run(mut command: Command, input: &[u8], timeout: Duration) -> Result<Ended, Failure> {
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let child = command.stderr(Stdio::piped()).spawn();
    let none = |why| Failure::Other(format!("a process does not start: {why}"));
    let mut child = child.map_err(none)?;
    let (stdout, stderr) = (listen(child.stdout.take()), listen(child.stderr.take()));
    // One that ended before it read its input will be found to have ended.
    let stdin = child.stdin.take();
    stdin.and_then(|mut stdin| stdin.write_all(input).ok());

    let status = child.wait_timeout(timeout)?;
    let printed = match status {
        // What it started may outlive it for a moment.
        Some(_) => stdout.recv_timeout(LINGER).ok(),
        None => None,
    };
    let status = match status {
        Some(status) => status,
        None => {
            child.kill().ok();
            child.wait()?
        }
    };
    Ok(Ended {
        printed,
        status,
        timeout,
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

/// How a process ended, and the beginning and the end of what it said.
fn last_words(status: ExitStatus, said: &str) -> String {
    let is_rule = |line: &&str| line.chars().all(|c| c == '=');
    let lines: Vec<&str> = said.lines().filter(|line| !is_rule(line)).collect();
    let said = lines.join("\n");
    let characters = said.chars().count();
    let (first, last) = LAST_WORDS;
    if characters == 0 {
        return format!("{status}, without a word");
    }
    if characters <= first + last {
        return format!("{status}: {said}");
    }
    let begins: String = said.chars().take(first).collect();
    let ends: String = said.chars().skip(characters - last).collect();
    format!("{status}: {begins} [...] {ends}")
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::process::ExitStatusExt;

    use super::*;

    #[test]
    fn the_reason_stays_whatever_the_launcher_adds() {
        let status = ExitStatus::from_raw(1 << 8);
        let abort = "Abort(1) on node 7: application called MPI_Abort(MPI_COMM_WORLD, 1)\n";
        let words = last_words(status, &format!("c: no memory\n{}", abort.repeat(30)));
        assert!(
            words.starts_with("exit status: 1: c: no memory\n"),
            "{words}"
        );
        assert!(words.ends_with("MPI_Abort(MPI_COMM_WORLD, 1)"), "{words}");
        assert!(words.len() < 1100, "{words}");
    }

    #[test]
    fn what_a_launcher_prints_of_a_killed_rank_is_heard() {
        let ended = Ended {
            printed: Some(b"\n=====\n=   EXIT CODE: 9\n=====\nKilled (signal 9)\n".to_vec()),
            status: ExitStatus::from_raw(9 << 8),
            said: Vec::new(),
            timeout: Duration::ZERO,
        };
        let words = ended.last_words();
        assert_eq!(words, "exit status: 9: =   EXIT CODE: 9\nKilled (signal 9)");
        let silent = Ended {
            printed: None,
            ..ended
        };
        assert_eq!(silent.last_words(), "exit status: 9, without a word");
    }
}

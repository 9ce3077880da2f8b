//! One run of a program, by a process that has no other child: what the system counts for children
//! is then what the program took. `lab watched` is that process; it is hidden.

use std::env;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;
use serde::{Deserialize, Serialize};

use crate::cells::run_process;
use crate::experiment::Failure;
use crate::results::FailureKind;
use crate::{tied, usage};

/// Between two looks at the number of threads.
const LOOK: Duration = Duration::from_micros(500);

/// What a run took.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Taken {
    /// Seconds from its start to its end.
    pub(crate) wall: f64,
    /// Seconds of all of its threads, the kernel's part included.
    pub(crate) cpu: f64,
    /// The most KiB that it had at once.
    pub(crate) memory: u64,
    /// The most threads that were seen at once, where they were counted.
    pub(crate) threads: usize,
}

/// What came of a run.
#[derive(Clone, Debug)]
pub(super) struct Visited {
    pub(super) taken: Taken,
    /// What it printed, and what it said on standard error.
    pub(super) printed: Vec<u8>,
    pub(super) said: String,
    /// The seconds of its rounds, if it measures those itself.
    pub(super) rounds: Vec<f64>,
}

/// Runs a program to its end, or to the time limit's. What it prints stays in `printed`.
///
/// # Errors
///
/// The program fails, or the user wants no more.
pub(super) fn visit(
    program: &Path,
    arguments: &[String],
    (printed, limit): (&Path, Duration),
    environment: &[(&str, &str)],
    count_threads: bool,
) -> Result<Visited, Failure> {
    let said = printed.with_extension("said");
    let mut command = tied::command(env::current_exe()?);
    command
        .arg("watched")
        .args(count_threads.then_some("--count-threads"));
    command.args([printed, &said, program]);
    command.args(arguments).envs(environment.iter().copied());
    let ended = run_process(command, &[], limit)?;
    let words = fs::read(&said).unwrap_or_default();
    let words = String::from_utf8_lossy(&words).into_owned();
    let answer = ended.output().map_err(|why| match why {
        Failure::Process(FailureKind::Crash, ended) => {
            let lines = words.lines().take(20);
            let last: String = lines.map(|line| without_registry(line) + "\n").collect();
            Failure::Process(FailureKind::Crash, format!("{ended} {last}"))
        }
        why => why,
    })?;
    Ok(Visited {
        taken: serde_json::from_slice(answer)?,
        printed: fs::read(printed)?,
        said: words,
        rounds: Vec::new(),
    })
}

/// A line without the place where this machine keeps the sources of crates.
fn without_registry(line: &str) -> String {
    let Some((before, after)) = line.split_once("/registry/src/") else {
        return line.into();
    };
    let before = before.rsplit_once(' ').map_or("", |(words, _)| words);
    let after = after.split_once('/').map_or(after, |(_, path)| path);
    format!("{before} {after}")
}

/// Whom to watch.
#[derive(Args, Debug)]
pub(crate) struct WatchedArgs {
    #[arg(long)]
    count_threads: bool,
    printed: PathBuf,
    said: PathBuf,
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    command: Vec<std::ffi::OsString>,
}

/// Runs the program, and prints what it took.
///
/// # Errors
///
/// It does not start, or does not succeed.
pub(crate) fn watched(args: &WatchedArgs) -> Result<(), Failure> {
    let mut command = tied::command(&args.command[0]);
    command.args(&args.command[1..]).stdin(Stdio::null());
    command.stdout(File::create(&args.printed)?);
    command.stderr(File::create(&args.said)?);
    let begun = Instant::now();
    let mut child = command.spawn()?;
    let (status, threads) = match args.count_threads {
        true => counted(&mut child)?,
        false => (child.wait()?, 0),
    };
    let wall = begun.elapsed().as_secs_f64();
    if !status.success() {
        return Err(Failure::Other(format!("{status}")));
    }
    let (times, memory) = usage::of(usage::Whose::Children);
    let taken = Taken {
        wall,
        cpu: (times.user + times.system) / 1e9,
        memory,
        threads,
    };
    let json = serde_json::to_string(&taken)?;
    println!("{json}");
    Ok(())
}

/// Waits, and counts threads meanwhile.
fn counted(child: &mut Child) -> io::Result<(ExitStatus, usize)> {
    let tasks = format!("/proc/{}/task", child.id());
    let mut most = 0;
    loop {
        let threads = fs::read_dir(&tasks).map_or(0, Iterator::count);
        most = most.max(threads);
        if let Some(status) = child.try_wait()? {
            return Ok((status, most));
        }
        thread::sleep(LOOK);
    }
}

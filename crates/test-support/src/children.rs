//! Tests that need a process of their own.

use std::{
    env,
    io::Read,
    process::{Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

const CHILD: &str = "SUMAC_TEST_CHILD";

/// The argument this process was given by [`child`] for `test`, if it is such a child.
pub fn child_argument(test: &str) -> Option<String> {
    let value = env::var(CHILD).ok()?;
    Some(value.strip_prefix(test)?.strip_prefix('=')?.to_owned())
}

/// This test program again, running only `test`, which sees `argument`; by the emulator that
/// `SUMAC_TEST_EMULATOR` names, if it does.
pub fn child(test: &str, argument: &str) -> Command {
    let program = env::current_exe().expect("the path of this program");
    let mut command = match env::var_os("SUMAC_TEST_EMULATOR") {
        None => Command::new(program),
        Some(emulator) => {
            let mut command = Command::new(emulator);
            command.arg(program);
            command
        }
    };
    command
        .args([test, "--exact", "--nocapture", "--test-threads=1"])
        .env(CHILD, format!("{test}={argument}"))
        .env("RUST_BACKTRACE", "0");
    command
}

/// How a child has ended, and what it has printed.
#[derive(Debug)]
pub struct Ended {
    /// How.
    pub status: ExitStatus,
    /// Standard output, then standard error.
    pub output: String,
}

/// Runs `command` to its end and returns what it printed; kills it and fails when it hangs.
#[track_caller]
pub fn run(mut command: Command, limit: Duration) -> Ended {
    let mut process = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a child process");
    let readers = [
        Box::new(process.stdout.take().expect("piped")) as Box<dyn Read + Send>,
        Box::new(process.stderr.take().expect("piped")),
    ]
    .map(|mut pipe| {
        thread::spawn(move || {
            let mut bytes = Vec::new();
            pipe.read_to_end(&mut bytes).expect("a readable pipe");
            String::from_utf8_lossy(&bytes).into_owned()
        })
    });
    let start = Instant::now();
    let status = loop {
        if let Some(status) = process.try_wait().expect("a child to wait for") {
            break Some(status);
        }
        if start.elapsed() > limit {
            process.kill().expect("a child to kill");
            process.wait().expect("a killed child");
            break None;
        }
        thread::sleep(Duration::from_millis(1));
    };
    let output: String = readers
        .map(|reader| reader.join().expect("a reader that does not panic"))
        .concat();
    match status {
        Some(status) => Ended { status, output },
        None => panic!("child process hangs (killed after {limit:?}):\n{output}"),
    }
}

/// As [`run`], and the child must succeed.
#[track_caller]
pub fn run_well(command: Command, limit: Duration) -> String {
    let ended = run(command, limit);
    assert!(
        ended.status.success(),
        "child process: {}\n{}",
        ended.status,
        ended.output
    );
    ended.output
}

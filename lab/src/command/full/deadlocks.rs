//! `lab deadlocks`: published deadlocks of programs that use rayon, retold in `lab/deadlocks`,
//! each on rayon's scheduler and on sumac's under rayon.
//!
//! A round that does not end within some seconds hangs: its process is killed. The seconds are
//! counted in ticks of our own, so that a machine that stands still for a while stops the count
//! as well.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;

use crate::cli;
use crate::experiment::Failure;
use crate::patched::{ANNOUNCE, Member, Pair, Source, Under, announced, said as said_by};
use crate::progress::tell;
use crate::report::{Report, Section};
use crate::table::Table;
use crate::tied;

const PACKAGE: &str = "sumac-deadlocks";
const MAIN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/deadlocks/src/main.rs");
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../target/lab/deadlocks");
/// What the gallery has been seen to hang on.
const DEPENDENCIES: &str = "rayon = \"=1.12.0\"\nrayon-core = \"=1.13.0\"";
/// After which a build has failed.
const BUILD_LIMIT: Duration = Duration::from_secs(600);
const TICK: Duration = Duration::from_millis(50);

/// Which, and for how long.
#[derive(Args, Clone, Debug)]
pub(crate) struct DeadlocksArgs {
    /// Cases, by name [default: all]
    #[arg(long, value_delimiter = ',', value_name = "CASE,..")]
    only: Vec<String>,

    /// Rounds of each case [default: as many as it takes to hang on rayon, nearly surely]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..), value_name = "N")]
    rounds: Option<u32>,

    /// Seconds after which a round that has not ended hangs
    #[arg(long, value_parser = cli::seconds, value_name = "S", default_value = "2")]
    patience: Duration,
}

/// A case, as the gallery lists it.
#[derive(Debug, PartialEq)]
struct Case {
    name: String,
    source: String,
    waits: String,
    rounds: usize,
}

/// How a case went.
#[derive(Debug, PartialEq)]
enum Outcome {
    /// The round after so many did not end.
    Hangs { after: usize },
    /// All rounds ended; in so many of them another thread ran a part of nested work.
    Ends {
        rounds: usize,
        helped: usize,
        time: Duration,
    },
}

/// Builds the gallery on both schedulers and runs it.
pub(crate) fn run(args: &DeadlocksArgs) -> Result<Report, Failure> {
    let programs = build()?;
    let mut cases = list(&programs[0])?;
    if let Some(name) = args
        .only
        .iter()
        .find(|&o| cases.iter().all(|c| c.name != *o))
    {
        return Err(Failure::Usage(format!("there is no deadlock '{name}'")));
    }
    cases.retain(|case| args.only.is_empty() || args.only.contains(&case.name));
    let mut table = Table::headed("case|published|what waits for what|rayon|sumac|helped");
    let (mut lucky, mut hung) = (Vec::new(), Vec::new());
    for case in &mut cases {
        tell(&case.name);
        case.rounds = args.rounds.map_or(case.rounds, |rounds| rounds as usize);
        // At once: those that hang take no time from the others.
        let outcomes = thread::scope(|scope| {
            let [rayon, sumac] = [0, 1].map(|under| {
                let (program, case) = (&programs[under], &*case);
                scope.spawn(move || watch(Under::BOTH[under], program, case, args.patience))
            });
            [rayon, sumac].map(|thread| thread.join().expect("nothing panics there"))
        });
        let [rayon, sumac] = outcomes;
        let (rayon, sumac) = (rayon?, sumac?);
        if !matches!(rayon, Outcome::Hangs { .. }) {
            lucky.push(case.name.clone());
        }
        let helped = match &sumac {
            Outcome::Ends { helped, rounds, .. } => format!("{helped} of {rounds}"),
            Outcome::Hangs { .. } => {
                hung.push(case.name.clone());
                String::new()
            }
        };
        let told = [&case.name, &case.source, &case.waits].map(String::clone);
        table.row(told.into_iter().chain([said(&rayon), said(&sumac), helped]));
    }
    let mut note = format!(
        "A case hangs if a round does not end in {} s; then it is killed. `helped`: rounds on \
         sumac in which a part of nested work ran on another thread than the one that \
         waited for it. ",
        args.patience.as_secs_f64()
    );
    if !lucky.is_empty() {
        note += &format!(
            "ON RAYON THESE DID NOT HANG THIS TIME: {}. ",
            lucky.join(", ")
        );
    }
    Ok(Report {
        sections: vec![Section::new("published deadlocks", table, note)],
        failed: (!hung.is_empty()).then(|| format!("on sumac these hang: {}", hung.join(", "))),
        ..Report::default()
    })
}

/// The gallery's program on rayon's scheduler, and on sumac's.
fn build() -> Result<[PathBuf; 2], Failure> {
    tell("building the gallery twice");
    let member = Member {
        name: PACKAGE.into(),
        source: Source::Program {
            main: MAIN.into(),
            dependencies: DEPENDENCIES.into(),
        },
    };
    let pair = Pair::lay_out(Path::new(FOLDER), &[member], None, BUILD_LIMIT)?;
    let mut programs = Vec::new();
    for under in Under::BOTH {
        programs.extend(pair.build(under, PACKAGE)?.programs);
    }
    pair.proof(PACKAGE)?;
    let programs: Vec<PathBuf> = programs.into_iter().map(|(_, program)| program).collect();
    programs
        .try_into()
        .map_err(|programs| Failure::Other(format!("cargo has built {programs:?}")))
}

/// What the gallery has.
fn list(program: &Path) -> Result<Vec<Case>, Failure> {
    let text = said_by(tied::command(program), BUILD_LIMIT)?;
    let cases: Option<Vec<Case>> = text.lines().map(parsed).collect();
    cases.ok_or_else(|| Failure::Other(format!("{PACKAGE} printed what it must not: {text}")))
}

/// The case that a line of the list describes.
fn parsed(line: &str) -> Option<Case> {
    let [name, source, waits, rounds] = line.split('\t').collect::<Vec<_>>().try_into().ok()?;
    Some(Case {
        name: name.into(),
        source: source.into(),
        waits: waits.into(),
        rounds: rounds.parse().ok()?,
    })
}

/// Runs a case on one of the schedulers.
fn watch(
    under: Under,
    program: &Path,
    case: &Case,
    patience: Duration,
) -> Result<Outcome, Failure> {
    let mut command = tied::command(program);
    command
        .args([&case.name, &case.rounds.to_string()])
        .env(ANNOUNCE, "1");
    let (outcome, said) = follow(command, patience).map_err(|why| failure(program, &why))?;
    let complaint = match &outcome {
        Outcome::Ends { rounds, .. } if *rounds != case.rounds => format!("failed: {said}"),
        Outcome::Ends { .. } if announced(&said) != (under == Under::Sumac) => {
            "runs on the other scheduler".into()
        }
        _ => return Ok(outcome),
    };
    Err(Failure::Other(format!(
        "{} on {under} {complaint}",
        case.name
    )))
}

/// Counts the lines that a process prints, until it ends or prints none for so long; and what it
/// wrote to standard error, if it ended.
fn follow(mut command: Command, patience: Duration) -> std::io::Result<(Outcome, String)> {
    let begin = Instant::now();
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn()?;
    let (sender, lines) = mpsc::channel();
    if let Some(stdout) = child.stdout.take() {
        thread::spawn(move || {
            let lines = BufReader::new(stdout).lines().map_while(Result::ok);
            lines.for_each(|line| {
                let _ = sender.send(line == "true");
            });
        });
    }
    let (mut rounds, mut helped, mut quiet) = (0, 0, Duration::ZERO);
    loop {
        match lines.recv_timeout(TICK) {
            Ok(help) => {
                rounds += 1;
                helped += usize::from(help);
                quiet = Duration::ZERO;
            }
            Err(RecvTimeoutError::Timeout) if quiet < patience => quiet += TICK,
            Err(RecvTimeoutError::Timeout) => {
                child.kill()?;
                child.wait()?;
                return Ok((Outcome::Hangs { after: rounds }, String::new()));
            }
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    let time = begin.elapsed();
    let output = child.wait_with_output()?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    Ok((
        Outcome::Ends {
            rounds,
            helped,
            time,
        },
        said,
    ))
}

fn failure(program: &Path, why: &std::io::Error) -> Failure {
    Failure::Other(format!("{}: {why}", program.display()))
}

/// An outcome in words.
fn said(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Hangs { after: 0 } => "hangs at once".into(),
        Outcome::Hangs { after } => format!("hangs, round {}", after + 1),
        Outcome::Ends { rounds, time, .. } => {
            format!("{rounds} rounds, {:.1} s", time.as_secs_f64())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_become_cases() {
        let case = parsed("mutex\ta/b#1\ta task: a mutex\t60").expect("as the gallery prints it");
        assert_eq!((&*case.name, case.rounds), ("mutex", 60));
        for line in ["", "mutex\ta/b#1\t60", "mutex\ta/b#1\ta task\tmany"] {
            assert_eq!(parsed(line), None, "{line}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn who_prints_no_more_hangs() {
        let shell = |script: &str| {
            let mut command = Command::new("sh");
            command.args(["-c", script]);
            follow(command, Duration::from_millis(500)).expect("there is a shell")
        };
        let begin = Instant::now();
        let (outcome, _) = shell("echo true; echo false; exec sleep 60");
        assert_eq!(outcome, Outcome::Hangs { after: 2 });
        assert!(
            begin.elapsed() < Duration::from_secs(50),
            "it was not killed"
        );
        let (outcome, said) = shell("echo true; sleep 0.2; echo false; echo why >&2");
        assert!(
            matches!(
                outcome,
                Outcome::Ends {
                    rounds: 2,
                    helped: 1,
                    ..
                }
            ),
            "{outcome:?}"
        );
        assert_eq!(said, "why\n");
    }
}

//! `lab deadlocks`: published deadlocks of programs that use rayon, retold in `lab/deadlocks`,
//! each on rayon's scheduler and on sumac's under rayon.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;

use crate::cells::run_process;
use crate::cli;
use crate::experiment::Failure;
use crate::names::unknown;
use crate::patched::{ANNOUNCE, Under, announced, built_twice, said as said_by};
use crate::progress::tell;
use crate::report::{Report, Section};
use crate::table::Table;
use crate::tied;

const PACKAGE: &str = "sumac-deadlocks";
const MAIN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/deadlocks/src/main.rs");
/// What the gallery has been seen to hang on.
const DEPENDENCIES: &str = "rayon = \"=1.12.0\"\nrayon-core = \"=1.13.0\"";
/// After which a build has failed, or all rounds of a case.
const BUILD_LIMIT: Duration = Duration::from_secs(600);

/// Which, and for how long.
#[derive(Args, Clone, Debug)]
pub(crate) struct DeadlocksArgs {
    /// Cases, by name [default: all]
    #[arg(long, value_delimiter = ',', value_name = "CASE,..")]
    only: Vec<String>,

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

/// How a case went: how many rounds ended, in how many of them another thread ran a part of nested
/// work, and how long it took.
#[derive(Debug)]
struct Outcome {
    rounds: usize,
    helped: usize,
    time: Duration,
}

/// Builds the gallery on both schedulers and runs it.
pub(crate) fn run(args: &DeadlocksArgs) -> Result<Report, Failure> {
    tell("building the gallery twice");
    let programs = built_twice(PACKAGE, MAIN, DEPENDENCIES, BUILD_LIMIT)?;
    let mut cases = list(&programs[0])?;
    let known: Vec<&str> = cases.iter().map(|case| &*case.name).collect();
    if let Some(name) = args.only.iter().find(|name| !known.contains(&&***name)) {
        return Err(Failure::Usage(unknown("deadlock", name, known)));
    }
    cases.retain(|case| args.only.is_empty() || args.only.contains(&case.name));
    let mut table = Table::headed("case|published|what waits for what|rayon|sumac|helped");
    let (mut lucky, mut hung) = (Vec::new(), Vec::new());
    for case in &cases {
        tell(&case.name);
        // At once: those that hang take no time from the others.
        let outcomes = thread::scope(|scope| {
            let [rayon, sumac] = [0, 1].map(|under| {
                let (program, case) = (&programs[under], case);
                scope.spawn(move || watch(Under::BOTH[under], program, case, args.patience))
            });
            [rayon, sumac].map(|thread| thread.join().expect("nothing panics there"))
        });
        let [rayon, sumac] = outcomes;
        let (rayon, sumac) = (rayon?, sumac?);
        if rayon.rounds == case.rounds {
            lucky.push(case.name.clone());
        }
        if sumac.rounds < case.rounds {
            hung.push(case.name.clone());
        }
        let helped = format!("{} of {}", sumac.helped, sumac.rounds);
        let told = [&case.name, &case.source, &case.waits].map(String::clone);
        let how = [&rayon, &sumac].map(|outcome| case.said(outcome));
        table.row(told.into_iter().chain(how).chain([helped]));
    }
    let mut note = format!(
        "A case hangs if a round does not end in {} s. `helped`: rounds on \
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

/// What the gallery has.
fn list(program: &Path) -> Result<Vec<Case>, Failure> {
    let text = said_by(tied::command(program), BUILD_LIMIT)?;
    let case = |line: &str| {
        let [name, source, waits, rounds] = line.split('\t').collect::<Vec<_>>().try_into().ok()?;
        Some(Case {
            name: str::to_owned(name),
            source: str::to_owned(source),
            waits: str::to_owned(waits),
            rounds: str::parse(rounds).ok()?,
        })
    };
    let cases: Option<Vec<Case>> = text.lines().map(case).collect();
    cases.ok_or_else(|| Failure::Other(format!("{PACKAGE} printed what it must not: {text}")))
}

/// Runs a case on one of the schedulers.
fn watch(
    under: Under,
    program: &Path,
    case: &Case,
    patience: Duration,
) -> Result<Outcome, Failure> {
    let mut command = tied::command(program);
    let patience = patience.as_secs_f64().to_string();
    command
        .args([&case.name, &case.rounds.to_string(), &patience])
        .env(ANNOUNCE, "1");
    let begin = Instant::now();
    let failed = |why: Failure| why.of(format!("{} on {under}", case.name));
    let ended = run_process(command, &[], BUILD_LIMIT).map_err(failed)?;
    let time = begin.elapsed();
    let printed = String::from_utf8_lossy(ended.output().map_err(failed)?);
    let numbers = printed.trim().split_once('\t');
    let numbers = numbers.and_then(|(rounds, helped)| rounds.parse().ok().zip(helped.parse().ok()));
    match numbers {
        Some((rounds, helped)) if announced(&ended.said()) == (under == Under::Sumac) => {
            Ok(Outcome {
                rounds,
                helped,
                time,
            })
        }
        Some(_) => Err(failed(Failure::Other("runs on the other scheduler".into()))),
        None => Err(failed(Failure::Other(format!("prints {printed}")))),
    }
}

impl Case {
    /// How it went, in words.
    fn said(&self, outcome: &Outcome) -> String {
        match outcome.rounds {
            0 => "hangs at once".into(),
            rounds if rounds < self.rounds => format!("hangs, round {}", rounds + 1),
            rounds => format!("{rounds} rounds, {:.1} s", outcome.time.as_secs_f64()),
        }
    }
}

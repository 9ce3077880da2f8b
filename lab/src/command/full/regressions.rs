//! `lab regressions`: published cases in which programs were slower with rayon than without, retold
//! in `lab/regressions`, in four forms: sequential, on rayon, the same program with sumac under
//! rayon, and with sumac's own loops. Each turn is a process of its own, and the forms take turns;
//! on an idle machine, or beside threads that only compute.

use std::hint::spin_loop;
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use clap::Args;
use sumac_record::{Cell, Line, Measured, Turns, machine::Machine, table_of};

use crate::cells::run_process;
use crate::cli::{self, Common};
use crate::experiment::Failure;
use crate::names::unknown;
use crate::patched::{ANNOUNCE, announced, built_twice, said};
use crate::progress::tell;
use crate::report::{Report, Section};
use crate::tied;
use crate::usage::{Whose, of};
use crate::view::SPREAD_NOTE;

const PACKAGE: &str = "sumac-regressions";
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/regressions");
const SUMAC: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/sumac");
const DEPENDENCIES: &str = "rayon = \"=1.12.0\"\nrayon-core = \"=1.13.0\"\n\
    tokio = { version = \"1\", default-features = false, features = [\"rt-multi-thread\"] }";
/// After which a build has failed, or a turn.
const LIMIT: Duration = Duration::from_secs(600);
/// The forms: their contender, which of the two builds, and the program's word.
const FORMS: [(&str, usize, &str); 4] = [
    ("sequential", 0, "sequential"),
    ("rayon", 0, "rayon"),
    ("sumac under rayon", 1, "rayon"),
    ("sumac", 0, "sumac"),
];

/// Which, and for how long.
#[derive(Args, Clone, Debug)]
pub(crate) struct RegressionsArgs {
    /// Cases, by name [default: all]
    #[arg(long, value_delimiter = ',', value_name = "CASE,..")]
    only: Vec<String>,

    /// Seconds of a turn
    #[arg(long, value_parser = cli::seconds, value_name = "S", default_value = "0.3")]
    turn: Duration,

    /// Busy threads of another process beside each turn: then a call takes the mean, since few
    /// calls meet them, and those for long
    #[arg(long, value_name = "N", default_value_t = 0)]
    beside: usize,

    #[command(flatten)]
    pub(crate) common: Common,
}

/// A case, as the gallery lists it.
struct Case<'l> {
    name: &'l str,
    threads: &'l str,
    is_about_cpu: bool,
}

/// Nanoseconds per call: the mean, the median, the 99th percentile, and those of processors; and
/// the answer.
struct Turn {
    mean: f64,
    median: f64,
    late: f64,
    cpu: f64,
    answer: u64,
}

/// Builds the gallery on both schedulers and runs it.
pub(crate) fn run(args: &RegressionsArgs) -> Result<Report, Failure> {
    tell("building the gallery twice");
    let dependencies = format!("{DEPENDENCIES}\nsumac = {{ path = {SUMAC:?} }}");
    let main = format!("{FOLDER}/src/main.rs");
    let programs = built_twice(PACKAGE, &main, &dependencies, LIMIT)?;
    let list = said(tied::command(&programs[0]), LIMIT)?;
    let cases: Option<Vec<Case<'_>>> = list.lines().map(Case::of).collect();
    let wrong = || Failure::Other(format!("{PACKAGE} printed what it must not: {list}"));
    let mut cases = cases.ok_or_else(wrong)?;
    let known: Vec<&str> = cases.iter().map(|case| case.name).collect();
    if let Some(name) = args.only.iter().find(|name| !known.contains(&&***name)) {
        return Err(Failure::Usage(unknown("case", name, known)));
    }
    cases.retain(|case| args.only.is_empty() || args.only.iter().any(|name| name == case.name));
    let mut report = Report::default();
    for case in &cases {
        tell(case.name);
        report.lines.extend(case.measure(&programs, args)?);
    }
    let note = format!(
        "Time of a call; CPU: what its process used for it. Each turn is a process. {SPREAD_NOTE}"
    );
    let table = table_of(&report.lines);
    report.sections = vec![Section::new("published regressions", table, note)];
    Ok(report)
}

/// Calls a function while so many threads of this process only compute.
fn beside<R>(busy: usize, measure: impl FnOnce() -> R) -> R {
    let here = Arc::new(());
    for _ in 0..busy {
        let here = Arc::downgrade(&here);
        thread::spawn(move || {
            while here.strong_count() > 0 {
                spin_loop();
            }
        });
    }
    measure()
}

impl<'l> Case<'l> {
    fn of(line: &'l str) -> Option<Case<'l>> {
        let mut parts = line.split('\t');
        let (name, _source, threads) = (parts.next()?, parts.next()?, parts.next()?);
        let counts = parts.next()?;
        Some(Case {
            name,
            threads,
            is_about_cpu: counts == "cpu",
        })
    }

    fn measure(
        &self,
        programs: &[impl AsRef<Path>],
        args: &RegressionsArgs,
    ) -> Result<Vec<Line>, Failure> {
        let limits = args.common.limits(5, 3600.0);
        let turns = Turns {
            time: limits.time,
            ..Turns::of(limits.rounds)
        };
        let turn = |_, form: usize| Ok::<_, Failure>(vec![self.turn(programs, args.turn, form)?]);
        let taken = beside(args.beside, || turns.take(FORMS.len(), turn))?;
        let answer = taken[0][0].answer;
        let line = |(form, turns): (usize, &Vec<Turn>)| {
            let of = |which: fn(&Turn) -> f64| turns.iter().map(which).collect::<Vec<f64>>();
            let middle = |which| sumac_record::stats::Summary::of(&of(which)).median;
            if let Some(turn) = turns.iter().find(|turn| turn.answer != answer) {
                let why = format!("{}, {}: {}", self.name, FORMS[form].0, turn.answer);
                return Err(Failure::Other(format!("{why} instead of {answer}")));
            }
            let wall: fn(&Turn) -> f64 = match args.beside {
                0 => |turn| turn.median,
                _ => |turn| turn.mean,
            };
            let samples = of(if self.is_about_cpu { |t| t.cpu } else { wall });
            let further = [
                ("wall", middle(wall)),
                ("cpu", middle(|turn| turn.cpu)),
                ("p99", middle(|turn| turn.late)),
            ];
            let measured = Measured {
                pieces: 1,
                batch: 1,
                samples,
                answer,
                further: further.map(|(name, value)| (name.into(), value)).into(),
                ..Measured::default()
            };
            let parameters = match (self.is_about_cpu, self.threads) {
                (true, _) => "CPU".into(),
                (_, "-") => String::new(),
                (_, "1") => "1 thread".into(),
                (_, threads) => format!("{threads} threads"),
            };
            let cell = Cell {
                parameters,
                ..Cell::of(self.name, FORMS[form].0, Machine::this().cores)
            };
            Ok(Line {
                in_turns: false,
                ..Line::new("regressions", cell, measured)
            })
        };
        taken.iter().enumerate().map(line).collect()
    }

    /// Runs a form for a turn.
    fn turn(
        &self,
        programs: &[impl AsRef<Path>],
        time: Duration,
        form: usize,
    ) -> Result<Turn, Failure> {
        let (name, build, word) = FORMS[form];
        let mut command = tied::command(programs[build].as_ref());
        let seconds = time.as_secs_f64().to_string();
        command.args([self.name, word, &seconds]).env(ANNOUNCE, "1");
        let failed = |why: Failure| why.of(format!("{}, {name}", self.name));
        let used = || {
            let (times, _) = of(Whose::Children);
            times.user + times.system
        };
        let before = used();
        let ended = run_process(command, &[], LIMIT).map_err(failed)?;
        let cpu = used() - before;
        let printed = String::from_utf8_lossy(ended.output().map_err(failed)?).into_owned();
        let turn = || {
            let mut numbers = printed.trim().split('\t');
            let calls: f64 = numbers.next()?.parse().ok()?;
            Some(Turn {
                mean: numbers.next()?.parse().ok()?,
                median: numbers.next()?.parse().ok()?,
                late: numbers.next()?.parse().ok()?,
                cpu: cpu / calls,
                answer: numbers.next()?.parse().ok()?,
            })
        };
        let by_sumac = announced(&ended.said());
        if word == "rayon" && by_sumac != (build == 1) {
            return Err(failed(Failure::Other("runs on the other scheduler".into())));
        }
        turn().ok_or_else(|| failed(Failure::Other(format!("prints {printed}"))))
    }
}

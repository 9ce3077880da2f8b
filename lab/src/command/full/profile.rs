//! `lab profile`: how parallel a problem is, measured on one thread, and the speed-up to expect on
//! up to 1,024.

#[cfg(feature = "profile")]
mod burden;
#[cfg(feature = "profile")]
mod dag;
#[cfg(feature = "profile")]
mod figure;

use std::path::PathBuf;

use clap::Args;

/// What to look at.
#[derive(Args, Clone, Debug)]
pub(crate) struct ProfileArgs {
    /// Which: tree, leaves, random-leaves, leaf-rest, rest-leaf, or a program of `lab list`
    problem: String,

    /// Its size [default: the usual one]
    #[arg(long, value_name = "N")]
    size: Option<u64>,

    /// What a fork costs on the burdened span, in nanoseconds [default: measured on this machine]
    #[arg(long, value_name = "NS")]
    burden: Option<u32>,

    /// Where the figure goes
    #[arg(long, value_name = "DIRECTORY", default_value = "target/lab")]
    out: PathBuf,

    /// Writes what the program was made of to this file, as JSON
    #[arg(long, value_name = "FILE")]
    dag: Option<PathBuf>,

    /// What is shorter becomes one strand of it, in nanoseconds
    #[arg(long, value_name = "NS", default_value_t = 10_000)]
    grain: u32,
}

/// Says how to get what this build has not.
#[cfg(not(feature = "profile"))]
pub(crate) fn run(args: &ProfileArgs) -> Result<crate::report::Report, crate::experiment::Failure> {
    Err(crate::lacking(
        "profile",
        &format!("profile {}", args.problem),
    ))
}

#[cfg(feature = "profile")]
pub(crate) use with_feature::run;

#[cfg(feature = "profile")]
mod with_feature {
    use std::path::Path;
    use std::time::Duration;

    use sumac::profile::{Profile, Profiler};

    use super::{ProfileArgs, burden, dag, figure};
    use crate::experiment::Failure;
    use crate::file::save;
    use crate::instrument::Look;
    use crate::report::Report;
    use crate::table::{Table, digits, grouped, ratio, time};

    const NOTE: &str = "Work: the time of all strands. Span: the longest path through them. Burdened: with the burden at every fork on the path. \
        Measured on one thread; the bounds know nothing of memory bandwidth.";

    /// Looks, and draws.
    pub(crate) fn run(args: &ProfileArgs) -> Result<Report, Failure> {
        let burden = match args.burden {
            Some(nanos) => Duration::from_nanos(nanos.into()),
            None => burden::measured(),
        };
        let mut profiler = Profiler::new().burden(burden);
        if args.dag.is_some() {
            profiler = profiler.record_dag(Duration::from_nanos(args.grain.into()));
        }
        let mut seen = None;
        let mut look = Look {
            threads: 1,
            around: &mut |call| seen = Some(profiler.run(&mut *call).1),
        };
        let title = look.at(&args.problem, args.size)?;
        let profile = seen.expect("it was around a call");
        let path = args.out.join(format!("profile-{}.svg", args.problem));
        let written = |path: &Path, text: &[u8]| save(path, text).map_err(Failure::Other);
        written(&path, figure::draw(&title, &profile).as_bytes())?;
        if let (Some(path), Some(dag)) = (&args.dag, profile.dag()) {
            written(path, &dag::json(dag))?;
        }
        let note = format!("{NOTE} The figure is {}.", path.display());
        let mut report = Report::default();
        report.add(
            format!("work and span of {title}"),
            facts(&profile, burden),
            "",
        );
        report.add("speed-up to expect", bounds(&profile), note);
        Ok(report)
    }

    fn facts(profile: &Profile, burden: Duration) -> Table {
        let nanos = |time: Duration| time.as_nanos() as f64;
        let mut table = Table::headed("|measured");
        for (name, value) in [
            ("work", time(nanos(profile.work))),
            ("span", time(nanos(profile.span))),
            ("burdened span", time(nanos(profile.burdened_span))),
            ("burden", time(nanos(burden))),
            ("parallelism", digits(profile.parallelism())),
            (
                "burdened parallelism",
                digits(profile.burdened_parallelism()),
            ),
            ("joins", grouped(profile.joins)),
            ("loops", grouped(profile.loops)),
            ("blocks of loops", grouped(profile.blocks)),
            ("tasks", grouped(profile.tasks)),
            ("tasks not attributed", grouped(profile.unattributed)),
        ] {
            table.row([name.to_string(), value]);
        }
        table
    }

    fn bounds(profile: &Profile) -> Table {
        let mut table = Table::headed("workers|at least|at most");
        for workers in figure::WORKERS {
            let bounds = profile.speed_up(workers);
            table.row([
                grouped(workers as u64),
                ratio(bounds.lower),
                ratio(bounds.upper),
            ]);
        }
        table
    }
}

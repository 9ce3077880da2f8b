//! `lab timeline`: what each thread did when while a problem was solved, for browsers and for
//! Perfetto.

use std::path::PathBuf;

use clap::Args;

/// What to look at, on how many threads.
#[derive(Args, Clone, Debug)]
pub(crate) struct TimelineArgs {
    /// Which: tree, leaves, random-leaves, leaf-rest, rest-leaf, or a program of `lab list`
    problem: String,

    /// Its size [default: the usual one]
    #[arg(long, value_name = "N")]
    size: Option<u64>,

    /// On how many threads, the caller included [default: as many as cores]
    #[arg(long, value_parser = crate::cli::threads, value_name = "N")]
    threads: Option<usize>,

    /// Where the files go
    #[arg(long, value_name = "DIRECTORY", default_value = "target/lab")]
    out: PathBuf,
}

/// Says how to get what this build has not.
#[cfg(not(feature = "trace"))]
pub(crate) fn run(
    args: &TimelineArgs,
) -> Result<crate::report::Report, crate::experiment::Failure> {
    Err(crate::lacking(
        "trace",
        &format!("timeline {}", args.problem),
    ))
}

#[cfg(feature = "trace")]
pub(crate) use with_feature::run;

#[cfg(feature = "trace")]
mod with_feature {
    use sumac::trace::{Doing, Happened, Lane};

    use super::TimelineArgs;
    use crate::experiment::Failure;
    use crate::file::save;
    use crate::instrument::Look;
    use crate::machine;
    use crate::report::Report;
    use crate::table::{Table, grouped, time};

    /// Looks, and writes.
    pub(crate) fn run(args: &TimelineArgs) -> Result<Report, Failure> {
        let threads = args.threads.unwrap_or_else(machine::cores);
        let mut seen = None;
        let mut look = Look {
            threads,
            around: &mut |call| seen = Some(sumac::trace(&mut *call).1),
        };
        let title = look.at(&args.problem, args.size)?;
        let trace = seen.expect("it was around a call");
        let write = |ending: &str, write: &dyn Fn(&mut Vec<u8>) -> std::io::Result<()>| {
            let path = args.out.join(format!("timeline-{}.{ending}", args.problem));
            let mut text = Vec::new();
            write(&mut text)?;
            save(&path, &text)?;
            Ok::<String, Failure>(path.display().to_string())
        };
        let picture = write("svg", &|text| trace.write_svg(text))?;
        let chrome = write("json", &|text| trace.write_chrome(text))?;
        let mut table =
            Table::headed("thread|own work|working|searching|parked|promotions|steals|dropped");
        for lane in &trace.lanes {
            table.row(cells(lane));
        }
        let note =
            format!("The picture is {picture}; {chrome} is for Perfetto and chrome://tracing.");
        let mut report = Report::default();
        report.add(
            format!(
                "what the threads did in {} of {title}",
                time(trace.duration.as_nanos() as f64)
            ),
            table,
            note,
        );
        Ok(report)
    }

    fn cells(lane: &Lane) -> [String; 8] {
        let spent = |doing| time(lane.spent(doing).as_nanos() as f64);
        let count = |what| lane.moments.iter().filter(|&&(_, it)| it == what).count();
        [
            lane.name.clone(),
            spent(Doing::Own),
            spent(Doing::Working),
            spent(Doing::Searching),
            spent(Doing::Parked),
            grouped(count(Happened::Promotion) as u64),
            grouped(count(Happened::Steal) as u64),
            grouped(lane.dropped),
        ]
    }
}

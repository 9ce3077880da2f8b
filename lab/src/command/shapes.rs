//! `lab shapes`: enough work for everybody under recursions of eight shapes, some of which hide it.

use clap::Args;

use super::ramp::FIELD;
use crate::cli::{Common, Field};
use crate::experiment::{Failure, Mode, measure};
use crate::machine;
use crate::problem::catalogue::SHAPES;
use crate::progress::Progress;
use crate::report::{Report, Section};
use crate::view::{SPREAD_NOTE, median_and_spread, side_by_side, speed_up_and_spread};

/// Who, how long.
#[derive(Args, Clone, Debug)]
pub(crate) struct ShapesArgs {
    #[command(flatten)]
    field: Field,

    #[command(flatten)]
    pub(crate) common: Common,
}

/// Measures.
pub(crate) fn run(args: &ShapesArgs) -> Result<Report, Failure> {
    let limits = args.common.limits(20, 2.5);
    let threads = args.field.threads(&[machine::cores()]);
    let progress = Progress::new(threads.len() * SHAPES.len());
    let mut report = Report::default();
    for &threads in &threads {
        let seats = args.field.seats(&FIELD, &[threads]);
        let mut rows = Vec::new();
        for shape in SHAPES {
            let problem = shape.problem();
            let records = measure(shape.name, &problem, &seats, Mode::HOT, limits, &progress)?;
            rows.push((shape.name.to_string(), records));
        }
        let (baseline, others) = seats.split_at(1);
        let table = side_by_side("shape", &rows, others, speed_up_and_spread);
        let title = format!("shapes, {threads} threads, speed-up over the plain program");
        report
            .sections
            .push(Section::new(title, table, SPREAD_NOTE));
        let table = side_by_side("shape", &rows, baseline, median_and_spread);
        report
            .sections
            .push(Section::new("the plain program", table, ""));
        rows.into_iter()
            .for_each(|(_, records)| report.keep(records));
    }
    Ok(report)
}

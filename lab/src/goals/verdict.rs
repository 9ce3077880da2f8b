//! A goal with the value measured, and the table of goals.

use serde::Serialize;

use super::{Goal, Limit, Reading};
use crate::experiment::Who;
use crate::report::Section;
use crate::table::{Table, digits};
use crate::view::spread_of;

/// A goal with what was measured.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Verdict {
    what: String,
    threads: usize,
    who: Who,
    goal: String,
    measured: Option<f64>,
    unit: &'static str,
    spread: String,
    /// Whether it is met; nothing if it was not measured.
    pub(crate) met: Option<bool>,
}

impl Verdict {
    /// What these readings say of these goals.
    pub(crate) fn all<'g>(
        goals: impl IntoIterator<Item = &'g Goal>,
        readings: &[Reading],
    ) -> Vec<Verdict> {
        let goals = goals.into_iter();
        goals.map(|goal| Verdict::of(goal, readings)).collect()
    }

    fn of(goal: &Goal, readings: &[Reading]) -> Verdict {
        let place = goal.own(readings).map_or(goal.of, |(own, _)| own);
        let (measured, own) = goal.read(readings).unzip();
        let unit = goal.figure.unit;
        let (sign, limit) = match goal.limit {
            Limit::AtMost(limit) => ("≤", limit),
            Limit::AtLeast(limit) => ("≥", limit),
        };
        let of_samples = own.filter(|own| own.p90 > own.p10);
        Verdict {
            what: goal.describe(&place),
            threads: place.threads,
            who: place.who,
            goal: format!("{sign} {}{unit}", digits(limit)),
            measured,
            unit,
            spread: of_samples.map_or("".into(), |own| spread_of(&own).trim().into()),
            met: measured.map(|value| match goal.limit {
                Limit::AtMost(limit) => value <= limit,
                Limit::AtLeast(limit) => value >= limit,
            }),
        }
    }

    /// The goals as a table.
    pub(crate) fn section(verdicts: &[Verdict], note: &str) -> Section {
        let mut table = Table::headed("what|threads|who|goal|measured|spread|");
        for verdict in verdicts {
            let measured = verdict.measured.map(|value| digits(value) + verdict.unit);
            table.row([
                verdict.what.clone(),
                verdict.threads.to_string(),
                verdict.who.to_string(),
                verdict.goal.clone(),
                measured.unwrap_or("not measured".into()),
                verdict.spread.clone(),
                verdict
                    .met
                    .map_or("", |met| if met { "met" } else { "MISSED" })
                    .into(),
            ]);
        }
        let met = verdicts.iter().filter(|v| v.met == Some(true)).count();
        let note = format!("{met} of {} goals met. {note}", verdicts.len());
        Section::new("goals", table, note)
    }
}

//! A goal with the value measured, and the table of goals.

use serde::Serialize;

use super::{Goal, Limit};
use crate::experiment::{Record, Who};
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
    /// What these records say of these goals.
    pub(crate) fn all<'g>(
        goals: impl IntoIterator<Item = &'g Goal>,
        records: &[Record],
    ) -> Vec<Verdict> {
        let goals = goals.into_iter();
        goals.map(|goal| Verdict::of(goal, records)).collect()
    }

    /// The same of those goals that they say anything of.
    pub(crate) fn answered(goals: &[Goal], records: &[Record]) -> Vec<Verdict> {
        let answered = goals.iter().filter(|goal| goal.is_answered(records));
        Verdict::all(answered, records)
    }

    fn of(goal: &Goal, records: &[Record]) -> Verdict {
        let place = goal.own(records).map_or(goal.of, |(own, _)| own);
        let (measured, own) = goal.read(records).unzip();
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

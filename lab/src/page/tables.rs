//! The tables and figures that documents have between markers (`splice.rs`), made from results:
//!
//! ```text
//! cases WHAT EXPERIMENT xN [TEXT]           contenders by cases, those whose names begin so
//! threads WHAT EXPERIMENT PROBLEM SIZE      a row for each contender, a column for each number of
//!                                           threads; what others published below
//! spread EXPERIMENT PROBLEM SIZE xN         each contender's mean, deviation, extremes, interval
//! tunings EXPERIMENT xN                     a row for each tuning, over none
//! runs, field, rpb, adders SIZE N, kernels SIZE, published
//! fork TABLE, figure batches fork           the predecessor's
//! figure threads EXPERIMENT PROBLEM SIZE
//! figure units EXPERIMENT
//! figure kernels SIZE, figure sizes N       the adders
//! ```
//!
//! `WHAT` is a figure of `quote.rs`.

use super::cases::{BASELINE, Group, contenders, heading, is_sequential, unit};
use super::figure::{Chart, Line, nanoseconds, number};
use super::load::{Experiment, Loaded};
use super::quote::say;
use crate::batch::fork;
use crate::elsewhere::{self, Elsewhere};
use crate::experiment::distinct;
use crate::results::Cell;
use crate::stats::Ratio;
use crate::table::{Table, digits, grouped, plural, ratio, time};
use crate::{adders, field};

/// What stands between two markers for one machine.
pub(super) enum Part {
    /// Markdown.
    Text(String),
    Figure(Chart),
}

/// For whom a gain is stated.
const OURS: &str = "sumac-scope";

/// What stands between the markers of these words, if there is such a table and this machine has
/// the results.
pub(super) fn part(words: &[&str], loaded: &Loaded) -> Option<Part> {
    let size = |at: usize| words.get(at)?.trim_start_matches('x').parse::<u64>().ok();
    let count = |at: usize| Some(size(at)? as usize);
    let named = |at: usize| loaded.experiment(words.get(at)?);
    let adders = || loaded.experiment(adders::NAME);
    let group = |at: usize| {
        let (problem, size) = (*words.get(at + 1)?, size(at + 2)?);
        let mut all = named(at)?
            .groups()
            .into_iter()
            .map(|group| (group.case(), group));
        let is_it = |case: &(&str, u64, &str)| (case.0, case.1) == (problem, size);
        Some(all.find(|(case, _)| is_it(case))?.1)
    };
    let (from, text) = match *words.first()? {
        "runs" => return Some(Part::Text(runs(loaded))),
        "field" | "rpb" => (named(0)?, field::spliced(named(0)?)),
        "adders" => (named(0)?, adders::table_of(named(0)?, size(1)?, count(2)?)?),
        "fork" => {
            let (_, table) = fork::table(named(0)?, &words[1..].join(" "))?;
            (named(0)?, format!("{table}\n{}\n", fork::NOTE))
        }
        "kernels" => (adders()?, adders::by_kernels(adders()?, size(1)?)?),
        "published" => (adders()?, adders::beside_published(adders()?)?),
        "cases" => {
            let only = words.get(4..)?.join(" ");
            (named(2)?, cases(words[1], named(2)?, count(3)?, &only)?)
        }
        "tunings" => (named(1)?, tunings(named(1)?, count(2)?)?),
        "threads" => (named(2)?, threads(words[1], &group(2)?)?),
        "spread" => (named(1)?, spread(&group(1)?, count(4)?)?),
        "figure" => {
            return Some(Part::Figure(match *words.get(1)? {
                "threads" => times(&group(2)?)?,
                "batches" => fork::drawn(named(2)?)?,
                "units" => units(named(2)?)?,
                "kernels" => adders::over_kernels(adders()?, size(2)?)?,
                "sizes" => adders::over_sizes(adders()?, count(2)?)?,
                _ => return None,
            }));
        }
        _ => return None,
    };
    Some(Part::Text(format!("{text}\n{}\n", from.source())))
}

/// A figure of a cell, that it failed, or nothing.
fn figure(what: &str, group: &Group<'_>, who: &str, threads: usize) -> Option<String> {
    let tally = group.tally(who, threads)?;
    match &tally.facts {
        Some(facts) if tally.failures.is_empty() => say(what, facts, group.baseline()).ok(),
        _ => Some("**FAILED**".into()),
    }
}

/// A figure of each contender in each case whose name begins so; a case is a row, or a column if
/// there are more contenders than cases.
fn cases(what: &str, experiment: &Experiment, threads: usize, only: &str) -> Option<String> {
    let mut groups = experiment.groups();
    groups.retain(|group| group.to_string().starts_with(only));
    let mut all = contenders(&groups);
    // The plain program is not compared with itself.
    let compared = ["over", "percent", "speed-up"].contains(&what);
    let cell = |group: &Group<'_>, who: &str| {
        let most = group.threads().last().copied().unwrap_or(threads);
        figure(what, group, who, threads.min(most))
    };
    all.retain(|who| {
        let is_plain = *who == "right-first" || compared && *who == BASELINE;
        !is_plain && groups.iter().any(|group| cell(group, who).is_some())
    });
    let of_units = groups.iter().all(|group| unit(group).is_some());
    let of_trees = groups.iter().all(|group| group.case().0 == "tree");
    let first = match (of_units, of_trees) {
        (true, _) => "Work per node",
        (_, true) => "Number of nodes",
        _ => "",
    };
    let name = |group: &Group<'_>| match first {
        "Work per node" => unit(group).map_or(String::new(), time),
        "Number of nodes" => grouped(group.case().1),
        _ => {
            let name = group.to_string();
            let rest = name
                .strip_prefix(only)
                .and_then(|rest| rest.strip_prefix(", "));
            rest.unwrap_or(&name).into()
        }
    };
    let mut table;
    if all.len() > groups.len() && first.is_empty() {
        table = Table::new([String::new()].into_iter().chain(groups.iter().map(name)));
        for who in &all {
            table.across(heading(who), &groups, |group| cell(group, who));
        }
    } else {
        let gain = what == "time" && all.contains(&OURS);
        let names = all.iter().map(|who| heading(who));
        let last = gain.then(|| format!("plain / {}", heading(OURS)));
        table = Table::new([first.to_string()].into_iter().chain(names).chain(last));
        for group in &groups {
            let figures = all.iter().map(|who| cell(group, who).unwrap_or_default());
            let own = group.facts(OURS, threads).zip(group.baseline());
            let over = own.map(|(own, plain)| ratio(plain.summary.median / own.summary.median));
            let last = gain.then(|| format!("**{}**", over.unwrap_or_default()));
            table.row([name(group)].into_iter().chain(figures).chain(last));
        }
    }
    (!all.is_empty()).then(|| table.to_string())
}

/// A figure of each contender by number of threads; what others measured elsewhere stands below.
fn threads(what: &str, group: &Group<'_>) -> Option<String> {
    let threads = group.threads();
    let plain = figure(what, group, BASELINE, 1).filter(|_| !threads.is_empty())?;
    let first = if what == "piece" {
        "Per node"
    } else {
        "Threads"
    };
    let counts = threads.iter().map(|&n| plural(n, "thread"));
    let head = [first.to_string(), heading(BASELINE)];
    let mut table = Table::new(head.into_iter().chain(counts));
    for who in contenders(std::slice::from_ref(group)) {
        if !is_sequential(who) {
            let own = |&n: &usize| figure(what, group, who, n).unwrap_or_default();
            let first = [heading(who), plain.clone()].into_iter();
            table.row(first.chain(threads.iter().map(own)));
        }
    }
    let mut text = String::new();
    if (what, group.case().0) == ("piece", "tree") {
        for there in Elsewhere::of(group.case().1) {
            let first = [there.who.to_string(), time(there.baseline)];
            let own = |&n: &usize| there.on(n).map_or(String::new(), time);
            table.row(first.into_iter().chain(threads.iter().map(own)));
            text = format!("\n{}\n", elsewhere::NOTE);
        }
    }
    Some(table.to_string() + &text)
}

/// How far the samples of each contender are spread.
fn spread(group: &Group<'_>, threads: usize) -> Option<String> {
    let plain = group.baseline()?;
    let head = "|mean ± deviation|least .. most|visits|plain / it|95 % interval";
    let mut table = Table::headed(head);
    for who in contenders(std::slice::from_ref(group)) {
        if let Some(facts) = group.facts(who, threads) {
            let (mean, deviation) = facts.mean();
            let (least, most) = (facts.sorted.first()?, facts.sorted.last()?);
            let ratio = Ratio::of(&plain.estimate, &facts.estimate);
            table.row([
                heading(who),
                format!("{} ± {}", time(mean), time(deviation)),
                format!("{} .. {}", time(*least), time(*most)),
                facts.visits.to_string(),
                digits(ratio.value),
                format!("{} to {}", digits(ratio.low), digits(ratio.high)),
            ]);
        }
    }
    Some(table.to_string())
}

/// Medians of each tuning over those without, by case.
fn tunings(experiment: &Experiment, threads: usize) -> Option<String> {
    let groups = experiment.groups();
    let cells = groups.iter().flat_map(|group| &group.cells);
    let mut all = distinct(cells.map(|(cell, _)| &*cell.tuning));
    all.retain(|tuning| !tuning.is_empty());
    let cases = groups.iter().map(|group| group.to_string());
    let mut table = Table::new(["over no tuning".to_string()].into_iter().chain(cases));
    for tuning in &all {
        table.across(tuning, &groups, |group| {
            let mut cells = group
                .cells
                .iter()
                .filter(|(cell, _)| cell.threads == threads);
            let (cell, tally) = cells.find(|(cell, _)| cell.tuning == *tuning)?;
            let plain = group.facts(&cell.contender, threads)?;
            let ratio = Ratio::of(&tally.facts.as_ref()?.estimate, &plain.estimate);
            let mark = ["", "**"][usize::from(ratio.low > 1.0 || ratio.high < 1.0)];
            Some(format!("{mark}{}{mark}", digits(ratio.value)))
        });
    }
    let note = "Bold: the 95 % interval of the ratio does not hold 1.";
    (!all.is_empty()).then(|| format!("{table}\n{note}\n"))
}

/// What was measured when, where, and how disturbed; and what failed.
fn runs(loaded: &Loaded) -> String {
    let mut table = Table::headed("record|commit|ended|cells|visits|cores that others used");
    let (mut failed, mut machines) = (String::new(), Vec::new());
    for experiment in &loaded.experiments {
        let (mut visits, mut others) = (0, Vec::<f64>::new());
        for (cell, tally) in &experiment.cells {
            visits += tally.facts.as_ref().map_or(0, |facts| facts.visits);
            others.extend(&tally.others);
            for (_, why) in &tally.failures {
                let (name, why) = (&experiment.name, why.trim());
                failed += &format!("\n**FAILED**: {name}: {cell}: {why}\n");
            }
        }
        let others = match others.len() {
            0 => "unknown".into(),
            visits => digits(others.into_iter().sum::<f64>() / visits as f64),
        };
        table.row([
            experiment.name.clone(),
            experiment.commits().join(", "),
            experiment.date(),
            experiment.cells.len().to_string(),
            visits.to_string(),
            others,
        ]);
        machines.extend(experiment.places());
    }
    format!("{table}\n{}.\n{failed}", distinct(machines).join("; "))
}

/// What part of the fastest way's speed a fork has to keep to pay.
const KEPT: f64 = 0.9;

/// The smallest of the measured units of work from which on a fork everywhere keeps that part. The
/// plain program and the division by hand are ways, too.
pub(super) fn pays(groups: &[Group<'_>], contender: &str, threads: usize) -> Option<f64> {
    let kept = |group: &&Group<'_>| {
        let is_way = |cell: &Cell| cell.threads == threads || cell.contender == BASELINE;
        let ways = group.cells.iter().filter(|(cell, _)| is_way(cell));
        let medians = ways.filter_map(|(_, tally)| Some(tally.facts.as_ref()?.summary.median));
        let own = group
            .facts(contender, threads)
            .map(|facts| facts.summary.median);
        let both = medians.min_by(f64::total_cmp).zip(own);
        both.is_some_and(|(fastest, own)| fastest / own >= KEPT)
    };
    let members = groups.iter().rev().filter(|group| unit(group).is_some());
    unit(members.take_while(kept).last()?)
}

/// Time per piece by number of threads.
fn times(group: &Group<'_>) -> Option<Chart> {
    let threads = group.threads();
    let line = |who: &str| {
        let point = |&n: &usize| {
            let (facts, pieces) = (group.facts(who, n)?, group.facts(who, n)?.pieces);
            Some((n as f64, facts.summary.percentiles().map(|ns| ns / pieces)))
        };
        Line::new(heading(who), threads.iter().filter_map(point))
    };
    let all = contenders(std::slice::from_ref(group));
    (threads.len() > 1).then(|| Chart {
        title: format!("{group}: medians, 10th to 90th percentiles"),
        x: ("threads", number),
        y: ("time per piece", nanoseconds),
        lines: all.into_iter().map(line).collect(),
    })
}

/// Speed-up over the plain program by unit of work, on as many threads as were measured.
fn units(experiment: &Experiment) -> Option<Chart> {
    let mut groups = experiment.groups();
    groups.retain(|group| unit(group).is_some());
    let threads = groups.iter().flat_map(Group::threads).max()?;
    let line = |who: &str| {
        let point = |group: &Group<'_>| {
            let (own, plain) = (group.facts(who, threads)?, group.baseline()?);
            let speeds = own
                .summary
                .percentiles()
                .map(|ns| plain.summary.median / ns);
            Some((plain.per_piece(), [speeds[2], speeds[1], speeds[0]]))
        };
        Line::new(heading(who), groups.iter().filter_map(point))
    };
    let all = contenders(&groups)
        .into_iter()
        .filter(|who| !is_sequential(who));
    Some(Chart {
        title: format!("Speed-up by unit of work, {}", plural(threads, "thread")),
        x: ("the plain program's time per node", time),
        y: ("times as fast as the plain program", number),
        lines: all.map(line).collect(),
    })
}

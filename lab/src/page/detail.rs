//! The table of a case: every cell with its median, spread, ratio and what it cost; failures and
//! gaps as loud.

use maud::{Markup, html};

use super::cases::{BASELINE, Group, Series};
use super::facts::{Cores, Facts, Limit};
use super::html::captioned;
use crate::results::FailureKind;
use crate::stats::Ratio;
use crate::table::{Table, digits, ratio, time};

/// Visits that a cell should have: as many as the best visited one.
fn most_visits(group: &Group<'_>) -> usize {
    let visits = group.known().map(|(_, facts)| facts.visits);
    visits.max().unwrap_or(0)
}

/// The table.
pub(crate) fn table(group: &Group<'_>, cores: usize) -> Markup {
    let baseline = group.baseline();
    let visits = most_visits(group);
    let piece = group.case.piece();
    let counted = group.known().any(|(_, facts)| facts.scheduler.is_some());
    html! {
        div.scroll tabindex="0" role="region" aria-label=(format!("Table: {}", group.case)) {
            table {
                thead { tr {
                    th scope="col" { "contender" }
                    th scope="col" { "threads" }
                    th scope="col" { "median per " (piece) }
                    th scope="col" { "p10 – p90" }
                    th scope="col" { "per call" }
                    th scope="col" title="median over the baseline's, with its 95 % interval" { "× baseline [95 %]" }
                    th scope="col" { "mean per " (piece) }
                    th scope="col" title="CPU time over time passed" { "cores busy" }
                    th scope="col" { "threads are" }
                    th scope="col" title="context switches: waiting, displaced" { "switches/s (own, forced)" }
                    @if counted {
                        th scope="col" title="per call" { "promotions" }
                        th scope="col" title="per call" { "steals" }
                        th scope="col" title="per call" { "parks" }
                    }
                    th scope="col" { "samples (visits)" }
                } }
                tbody {
                    @for (cell, tally) in &group.cells {
                        @let series = Series::of(cell);
                        @if let Some(facts) = &tally.facts {
                            tr.ours[cell.contender.starts_with("sumac")] {
                                th scope="row" { (series) }
                                td { (cell.threads) }
                                (numbers(facts, baseline.filter(|_| cell.contender != BASELINE), cell.threads, cores, counted))
                                td.warn[facts.visits < visits] { (facts.sorted.len()) " (" (facts.visits)
                                    @if facts.visits < visits { " of " (visits) } ")" }
                            }
                        }
                        @for (kind, message) in &tally.failures {
                            tr.failed {
                                th scope="row" { (series) }
                                td { (cell.threads) }
                                td.message colspan=(if counted { 12 } else { 9 }) { strong { "FAILED, " (kind_name(*kind)) ": " } (message) }
                            }
                        }
                    }
                    @for (series, threads) in &group.missing {
                        tr.missing {
                            th scope="row" { (series) }
                            td { (threads) }
                            td.message colspan=(if counted { 12 } else { 9 }) { "missing: never visited" }
                        }
                    }
                }
            }
        }
    }
}

/// A kind of failure in words.
pub(crate) fn kind_name(kind: FailureKind) -> &'static str {
    match kind {
        FailureKind::WrongAnswer => "wrong answer",
        FailureKind::Crash => "crash",
        FailureKind::TimeOut => "out of time",
    }
}

fn numbers(
    facts: &Facts,
    baseline: Option<&Facts>,
    threads: usize,
    cores: usize,
    counted: bool,
) -> Markup {
    let piece = |ns: f64| time(ns / facts.pieces);
    let s = facts.summary;
    let spent = baseline.and_then(|baseline| Cores::of(facts, baseline, threads, cores));
    let limit = spent.map(|spent| spent.limit());
    let per_second = |count: u64| digits_or_less(count as f64 / (facts.wall / 1e9));
    let per_call = |count: u64| digits_or_less(count as f64 / facts.calls);
    html! {
        td { strong { (piece(s.median)) } }
        td { (piece(s.p10)) " – " (piece(s.p90)) }
        td { (time(s.median)) }
        td { @if let Some(baseline) = baseline { (with_interval(&Ratio::of(&facts.estimate, &baseline.estimate))) } }
        td { (piece(facts.mean)) }
        td { @if let Some(busy) = facts.busy() { (digits(busy)) } @else { "not known" } }
        td { @match limit {
            Some(Limit::Idle) => "idle",
            Some(Limit::Competing) if threads == 1 => "paying overhead",
            Some(Limit::Competing) => span.warn { "competing" },
            Some(Limit::Working) => "working",
            None => "",
        } }
        td { @if facts.wall > 0.0 { (per_second(facts.voluntary)) ", " (per_second(facts.involuntary)) } }
        @if counted {
            @if let Some(scheduler) = &facts.scheduler {
                td { (per_call(scheduler.promotions)) }
                td { (per_call(scheduler.steals)) }
                td { (per_call(scheduler.parks)) }
            } @else {
                td {} td {} td {}
            }
        }
    }
}

/// A ratio with its interval; marked if it is from one process.
pub(crate) fn with_interval(of: &Ratio) -> String {
    let star = if of.between { "" } else { " *" };
    format!(
        "{} [{}, {}]{star}",
        ratio(of.value),
        digits(of.low),
        digits(of.high)
    )
}

/// A count that may be small.
fn digits_or_less(value: f64) -> String {
    match value {
        0.0 => "0".into(),
        v if v < 0.001 => "< 0.001".into(),
        v if v < 0.1 => format!("{v:.3}"),
        v => digits(v),
    }
}

/// What the processor counted, or why nothing.
pub(crate) fn events(group: &Group<'_>) -> Markup {
    let counted = |facts: &Facts| facts.events.iter().any(Option::is_some);
    if !group.known().any(|(_, facts)| counted(facts)) {
        let why = group.known().find_map(|(_, facts)| facts.no_events.clone());
        return html! { p { "Hardware events: " (why.unwrap_or("not recorded".into())) "." } };
    }
    let per_piece = |facts: &Facts, count: Option<u64>| {
        count.map_or("not available".into(), |n| {
            digits_or_less(n as f64 / facts.calls / facts.pieces)
        })
    };
    let head = "contender|threads|cycles|instructions|instructions per cycle|cache misses";
    let mut table = Table::headed(head);
    for (cell, facts) in group.known() {
        let each = match facts.events {
            [Some(cycles), Some(instructions), _] => {
                digits(instructions as f64 / cycles.max(1) as f64)
            }
            _ => String::new(),
        };
        let [cycles, instructions, misses] = facts.events.map(|count| per_piece(facts, count));
        let who = [Series::of(cell).to_string(), cell.threads.to_string()];
        table.row(who.into_iter().chain([cycles, instructions, each, misses]));
    }
    let caption = format!("Hardware events per {}", group.case.piece());
    captioned(
        &table,
        &format!("Hardware events: {}", group.case),
        &caption,
    )
}

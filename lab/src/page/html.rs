//! The page: everything in one file, for light and dark, phones and paper. It works without
//! scripts, and loads nothing.

use std::time::{Duration, UNIX_EPOCH};

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::cases::{Group, Series, parameter, slug};
use super::choose;
use super::detail;
use super::facts::Facts;
use super::figure::{Figure, dark};
use super::load::{Experiment, Loaded};
use super::{Chapter, across, summary};
use crate::machine::Machine;
use crate::report::WORTH_SAYING;
use crate::table::{Table, digits};

/// The page with its figures.
pub(crate) struct Page {
    /// The HTML document.
    pub(crate) text: String,
    /// The figures in it.
    pub(crate) figures: Vec<Figure>,
}

/// Makes the page.
pub(crate) fn page(loaded: &Loaded, chapters: Vec<Chapter>) -> Page {
    let mut figures = Vec::new();
    let sections: Vec<Markup> = loaded
        .experiments
        .iter()
        .map(|e| section(e, &mut figures))
        .collect();
    let files = loaded.experiments.iter().flat_map(|e| &e.files);
    let files = files.chain(chapters.iter().map(|chapter| &chapter.file));
    let files: Vec<String> = files.map(|f| f.display().to_string()).collect();
    let body = html! {
        header {
            h1 { "sumac lab: " (titles(loaded)) }
            (alerts(loaded))
            @for chapter in &chapters { (chapter.alert) }
            (contents(loaded, &chapters))
        }
        main {
            @for section in &sections { (section) }
            @for chapter in &chapters {
                section {
                    h2 id=(chapter.anchor) { a href=(format!("#{}", chapter.anchor)) { (chapter.title) } }
                    (chapter.body)
                }
            }
            (how())
        }
        footer { p.muted { "Made by " code { "lab report" } " from " (files.join(", ")) "." } }
    };
    figures.extend(chapters.into_iter().flat_map(|chapter| chapter.figures));
    let text = document(&format!("sumac lab: {}", titles(loaded)), &body);
    Page { text, figures }
}

/// Figures beside each other, as many as there is room for.
pub(crate) fn pictures(figures: &[Figure]) -> Markup {
    html! { div.figures { @for figure in figures { (picture(figure)) } } }
}

/// A figure with its caption.
fn picture(figure: &Figure) -> Markup {
    html! {
        figure id=(figure.id) {
            (PreEscaped(figure.inline()))
            figcaption { (figure.caption) " " a href=(format!("#{}", figure.id)) aria-label=(format!("link to {}", figure.title)) { "#" } }
        }
    }
}

/// A page that loads nothing.
pub(crate) fn document(title: &str, body: &Markup) -> String {
    let style = format!(
        "{}@media (prefers-color-scheme: dark) {{ {} }}",
        include_str!("style.css"),
        dark("figure")
    );
    let text = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                link rel="icon" href="data:,";
                title { (title) }
                style { (PreEscaped(style)) }
            }
            body { (body) }
        }
    };
    text.into_string()
}

fn titles(loaded: &Loaded) -> String {
    let names = loaded
        .experiments
        .iter()
        .map(|experiment| experiment.name.as_str());
    names.collect::<Vec<_>>().join(", ")
}

/// What must not be overlooked.
fn alerts(loaded: &Loaded) -> Markup {
    html! {
        @for warning in &loaded.warnings { div.alert role="alert" { strong { "Warning: " } (warning) } }
        @for experiment in &loaded.experiments {
            @let failed = experiment.failed();
            @if failed > 0 {
                div.alert role="alert" {
                    strong { (failed) " of " (experiment.cells.len()) " cells of " (experiment.name) " failed:" }
                    ul { @for (cell, tally) in &experiment.cells { @for (kind, message) in &tally.failures {
                        li { (cell) ": " (detail::kind_name(*kind)) ", " (message) }
                    } } }
                }
            }
            @if experiment.machines.len() > 1 {
                div.alert role="alert" { strong { (experiment.name) ": " } "made on " (experiment.machines.len())
                    " different machines or with different versions; medians mix them." }
            }
            @if experiment.machines.iter().any(|(machine, _)| !machine.optimised) {
                div.alert role="alert" { strong { (experiment.name) ": " } "built without optimisation; these numbers mean nothing." }
            }
        }
    }
}

fn contents(loaded: &Loaded, chapters: &[Chapter]) -> Markup {
    html! {
        nav aria-label="Contents" {
            ul {
                @for experiment in &loaded.experiments {
                    li {
                        a href=(format!("#{}", slug(&experiment.name))) { (experiment.name) }
                        ul { @for group in experiment.groups() {
                            li { a href=(format!("#{}", anchor(experiment, &group))) { (group.case) } }
                        } }
                    }
                }
                @for chapter in chapters { li { a href=(format!("#{}", chapter.anchor)) { (chapter.title) } } }
                li { a href="#how" { "How to read this" } }
            }
        }
    }
}

fn anchor(experiment: &Experiment, group: &Group<'_>) -> String {
    format!("{}-{}", slug(&experiment.name), group.case.slug())
}

fn section(experiment: &Experiment, all: &mut Vec<Figure>) -> Markup {
    let groups = experiment.groups();
    let name = slug(&experiment.name);
    let across = across::of_experiment(experiment, &groups);
    html! {
        section {
            h2 id=(name) { a href=(format!("#{name}")) { (experiment.name) } }
            @if let Some(about) = &experiment.about { p { (about) } }
            (circumstances(experiment))
            @for summary in summary::of_experiment(experiment) {
                h3 { (summary.title) }
                (plain_table(&summary.table, &summary.title))
            }
            (figures(across, all))
            @for group in &groups { (case(experiment, group, all)) }
        }
    }
}

fn case(experiment: &Experiment, group: &Group<'_>, all: &mut Vec<Figure>) -> Markup {
    let anchor = anchor(experiment, group);
    let chosen = choose::of_case(experiment, group);
    // Figures across these cases are shown before them.
    let many = parameter(&group.case.parameters, "work").is_some();
    html! {
        h3 id=(anchor) { a href=(format!("#{anchor}")) { (group.case) } }
        @if group.baseline().is_none() { p.warn { "The baseline is missing: there are no ratios." } }
        @if many {
            details { summary { "Figures of this case" } (figures(chosen.first, all)) }
        } @else {
            (figures(chosen.first, all))
        }
        (detail::table(group, experiment.cores()))
        (scheduler(group))
        (detail::events(group))
        @if !chosen.bars.is_empty() {
            details { summary { "A chart for each contender" }
                (figures(chosen.bars, all)) }
        }
        @if !chosen.samples.is_empty() {
            details { summary { "The distribution of the samples" }
                (figures(chosen.samples, all)) }
        }
    }
}

/// The same, if there are any, which are then among `all`.
fn figures(mut figures: Vec<Figure>, all: &mut Vec<Figure>) -> Markup {
    let shown = html! { @if !figures.is_empty() { (pictures(&figures)) } };
    all.append(&mut figures);
    shown
}

/// Where workers' time went, where the scheduler knows.
fn scheduler(group: &Group<'_>) -> Markup {
    let known = |facts: &Facts| {
        facts
            .scheduler
            .is_some_and(|s| s.working.is_some() || s.parked.is_some())
    };
    let cells = group.known().filter(|(_, facts)| known(facts));
    let mut table = Table::headed("contender|threads|working|searching|parked");
    for (cell, facts) in cells {
        let part =
            |ns: Option<u64>| ns.map_or("not known".into(), |ns| digits(ns as f64 / facts.wall));
        let spent = facts.scheduler.map(|s| [s.working, s.searching, s.parked]);
        let who = [Series::of(cell).to_string(), cell.threads.to_string()];
        table.row(who.into_iter().chain(spent.unwrap_or_default().map(part)));
    }
    let title = format!("What the workers did: {}", group.case);
    html! {
        @if !table.is_empty() { (captioned(&table, &title, "What the workers did, in threads")) }
    }
}

/// Where, when and how an experiment was made.
fn circumstances(experiment: &Experiment) -> Markup {
    let facts = experiment
        .cells
        .values()
        .filter_map(|tally| tally.facts.as_ref());
    let (visits, samples) = facts.fold((0, 0), |(v, s), f| (v + f.visits, s + f.sorted.len()));
    let others = experiment.others.iter().copied().fold(0.0, f64::max);
    html! {
        dl {
            @for (machine, count) in &experiment.machines {
                dt { "machine" }
                dd { (where_and_with(machine)) @if experiment.machines.len() > 1 { " (" (count) " visits)" } }
            }
            dt { "command" }
            dd { @for (n, command) in experiment.commands.iter().enumerate() { @if n > 0 { br; } code { "lab " (command) } } }
            dt { "when" }
            dd { (date(experiment.began)) " to " (date(experiment.ended)) }
            dt { "how much" }
            dd { (experiment.cells.len()) " cells, " (visits) " visits, each in a process of its own, " (samples) " samples" }
            dt { "other programs" }
            dd {
                @if experiment.others.is_empty() { "not known" }
                @else if others < WORTH_SAYING { "used no core worth mentioning" }
                @else {
                    "used " (digits(experiment.others.iter().sum::<f64>() / experiment.others.len() as f64))
                    " cores on average, " (digits(others)) " at most during a visit"
                }
            }
        }
    }
}

fn where_and_with(machine: &Machine) -> String {
    let parts: Vec<String> = machine
        .to_string()
        .lines()
        .filter(|l| !l.is_empty())
        .map(String::from)
        .collect();
    parts.join("; ").replace("**", "")
}

fn date(seconds: u64) -> String {
    let time = UNIX_EPOCH + Duration::from_secs(seconds.min(253_402_300_799));
    humantime::format_rfc3339_seconds(time)
        .to_string()
        .replace('T', " ")
        .replace('Z', " UTC")
}

/// A table without more to it than its cells.
pub(crate) fn plain_table(table: &Table, title: &str) -> Markup {
    captioned(table, title, "")
}

/// The same with a caption. `title` says what it is to those who do not see it.
pub(super) fn captioned(table: &Table, title: &str, caption: &str) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label=(title) {
            table {
                @if !caption.is_empty() { caption { (caption) } }
                thead { tr { @for name in table.head() { th scope="col" { (name) } } } }
                tbody { @for row in table.rows() { tr { @for (n, cell) in row.iter().enumerate() {
                    @if n == 0 { th scope="row" { (cell) } } @else { td { (emphasis(cell)) } }
                } } } }
            }
        }
    }
}

/// Markdown's strong words in HTML.
fn emphasis(cell: &str) -> Markup {
    let strong = cell
        .strip_prefix("**")
        .and_then(|rest| rest.strip_suffix("**"));
    html! { @match strong { Some(cell) => strong { (cell) }, None => (cell) } }
}

/// How to read the page.
fn how() -> Markup {
    html! {
        section {
            h2 id="how" { a href="#how" { "How to read this" } }
            p { "A cell is a problem, its size and parameters, a contender and a number of threads. It is visited several times, each time "
                "in a process of its own, in turn with the others. Tables show the median of all samples, and the 10th and 90th "
                "percentile (p10 – p90). The mean is over all samples, disturbed ones included." }
            p { strong { "Ratios " } "are of medians, with an interval that holds the true ratio with a confidence of 95 %. It is from a "
                "bootstrap in two steps with a fixed seed: visits are drawn with replacement, then samples within each, since samples of one process "
                "resemble each other. The spread of the logarithms, corrected for the small number of visits, gives the interval by Student's t. "
                "A star marks ratios of cells with a single visit: their intervals know nothing of how processes differ." }
            p { strong { "Threads are " } em { "competing" } " if CPU time beyond the baseline's is the larger loss, "
                em { "idle" } " if unused cores are, " em { "working" } " if neither is a tenth of what the threads could have; a single thread competes with no other and pays overhead. "
                "CPU time is of the whole process while samples were taken." }
            p { strong { "The static split " } "is the problem divided by hand in advance: what the machine allows. "
                strong { "More threads than cores " } "(shaded) cannot be faster; that part shows what they cost." }
        }
    }
}

//! The pages, each for light and dark, phones and paper. They work without scripts, and load
//! nothing. On the first are the findings and a figure of each part; an experiment has a page, and
//! each of its cases.

use std::time::{Duration, UNIX_EPOCH};

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::cases::{Group, Series, parameter, slug};
use super::choose;
use super::detail;
use super::facts::Facts;
use super::figure::{Figure, dark};
use super::load::{Experiment, Loaded};
use super::{Chapter, Page, Part, Site, across, summary};
use crate::machine::Machine;
use crate::report::WORTH_SAYING;
use crate::table::{Table, digits};

/// What stands at the head of every page but the first.
const FRONT: &str = "index.html";

impl Site {
    /// The report. `findings` are sentences in Markdown.
    pub(crate) fn new(loaded: &Loaded, chapters: Vec<Chapter>, findings: &[String]) -> Site {
        let mut all: Vec<Chapter> = loaded.experiments.iter().map(chapter).collect();
        all.extend(chapters);
        let files = all.iter().flat_map(|chapter| &chapter.from);
        let files: Vec<String> = files.map(|f| f.display().to_string()).collect();
        let body = html! {
            header { h1 { "sumac lab" } (alerts(loaded)) @for chapter in &all { (chapter.alert) } }
            main {
                p { "sumac is a Rust library for programs that fork at every level, in recursions and in loops; "
                    "work becomes parallel when an idle thread asks for it. For readers who choose a scheduler or "
                    "check our figures: the same programs with sumac, with its peers and with none of them, in "
                    "turn and in processes of their own." }
                @if !findings.is_empty() {
                    h2 id="findings" { a href="#findings" { "Findings" } }
                    ul { @for finding in findings { li { (marked(finding)) } } }
                }
                @for chapter in &all {
                    section {
                        h2 { a href=(chapter.file) { (chapter.title) } }
                        (chapter.card)
                        @if let Some(figure) = &chapter.chief { (pictures(std::slice::from_ref(figure))) }
                        p { a href=(chapter.file) { "All of " (chapter.title) } }
                    }
                }
                (how())
            }
            footer { p.muted { "Made by " code { "lab report" } " from " (files.join(", ")) "." } }
        };
        let mut site = Site::default();
        site.add(FRONT, "sumac lab", &body);
        for chapter in all {
            site.add_chapter(chapter);
        }
        site
    }

    /// Adds the pages of a chapter.
    pub(crate) fn add_chapter(&mut self, chapter: Chapter) {
        let (file, title) = (&*chapter.file, &*chapter.title);
        let first = html! {
            (head(title, &[]))
            main {
                (chapter.body)
                @if !chapter.parts.is_empty() {
                    h2 { (chapter.more) }
                    ul { @for part in &chapter.parts { li { a href=(part.file) { (part.title) } } } }
                }
            }
        };
        self.add(file, title, &first);
        self.figures.extend(chapter.figures);
        for part in chapter.parts {
            let body = html! { (head(&part.title, &[(file, title)])) main { (part.body) } };
            self.add(&part.file, &part.title, &body);
            self.figures.extend(part.figures);
        }
    }

    fn add(&mut self, file: &str, title: &str, body: &Markup) {
        let text = document(title, body);
        self.pages.push(Page {
            file: file.into(),
            text,
        });
    }
}

/// An experiment as a part of the report, with a page for each of its cases.
fn chapter(experiment: &Experiment) -> Chapter {
    let groups = experiment.groups();
    let about = html! { @if let Some(about) = &experiment.about { p { (about) } } };
    let place = html! { @for machine in experiment.machines.keys() { p.muted { (where_and_with(machine)) } } };
    let mut drawn = Vec::new();
    let body = html! {
        (about)
        (circumstances(experiment))
        @for summary in summary::of_experiment(experiment) {
            h2 { (summary.title) }
            (plain_table(&summary.table, &summary.title))
            @if !summary.note.is_empty() { p.muted { (summary.note) } }
        }
        (figures(across::of_experiment(experiment, &groups), &mut drawn))
    };
    let name = slug(&experiment.name);
    let part = |group: &Group<'_>| {
        let mut figures = Vec::new();
        Part {
            file: format!("{name}-{}.html", group.case.slug()),
            title: group.case.to_string(),
            body: html! { (place) (case(experiment, group, &mut figures)) },
            figures,
        }
    };
    let parts: Vec<Part> = groups.iter().map(part).collect();
    let mut all = drawn
        .iter()
        .chain(parts.iter().flat_map(|part| &part.figures));
    Chapter {
        file: format!("{name}.html"),
        title: heading(&experiment.name),
        card: html! { (about) (place) },
        chief: all.next().cloned(),
        from: experiment.files.clone(),
        body,
        more: "Cases",
        parts,
        figures: drawn,
        ..Chapter::default()
    }
}

/// What an experiment of the repository is called on its page; others have their file's name.
fn heading(experiment: &str) -> String {
    let known = [
        ("overhead", "The cost of a fork"),
        ("programs", "Programs"),
        ("study", "A thousand and 100 million nodes"),
        ("tuning", "Scheduling choices"),
        ("unit", "How much work a fork needs"),
    ];
    let known = known.iter().find(|(name, _)| *name == experiment);
    known.map_or(experiment, |(_, heading)| heading).to_string()
}

/// The head of a page, with the way to it.
fn head(title: &str, above: &[(&str, &str)]) -> Markup {
    html! {
        header {
            nav aria-label="Where this is" {
                a href=(FRONT) { "sumac lab" }
                @for (file, name) in above { " / " a href=(file) { (name) } }
            }
            h1 { (title) }
        }
    }
}

/// A sentence with strong words and code.
fn marked(text: &str) -> Markup {
    html! {
        @for (n, strong) in text.split("**").enumerate() {
            @let code = strong.split('`').enumerate();
            @let words = html! { @for (m, part) in code { @if m % 2 == 1 { code { (part) } } @else { (part) } } };
            @if n % 2 == 1 { strong { (words) } } @else { (words) }
        }
    }
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

fn case(experiment: &Experiment, group: &Group<'_>, all: &mut Vec<Figure>) -> Markup {
    let chosen = choose::of_case(experiment, group);
    // Figures across these cases are shown before them.
    let many = parameter(&group.case.parameters, "work").is_some();
    html! {
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
    let cells = || experiment.cells.values();
    let facts = cells().filter_map(|tally| tally.facts.as_ref());
    let (visits, samples) = facts.fold((0, 0), |(v, s), f| (v + f.visits, s + f.sorted.len()));
    let others: Vec<f64> = cells().flat_map(|tally| tally.others.clone()).collect();
    let most = others.iter().copied().fold(0.0, f64::max);
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
                @if others.is_empty() { "not known" }
                @else if most < WORTH_SAYING { "used no core worth mentioning" }
                @else {
                    "used " (digits(others.iter().sum::<f64>() / others.len() as f64))
                    " cores on average, " (digits(most)) " at most during a visit"
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

//! What a browser shows of the adders: the goals and the most telling figures, and on pages of
//! their own the other figures and a table for each cell, by size.

use maud::{Markup, html};

use super::Cell;
use super::figures::{Figures, figures, plural, words};
use super::results::{COLUMNS, beaten_section, cells, errors, goals_section, table, verdicts};
use crate::page::{Chapter, Experiment, Part, Tally, pictures, plain_table, slug};
use crate::report::Section;

/// The adders as a part of the report.
pub(crate) fn chapter(adders: &Experiment) -> Chapter {
    let Figures { telling, others } = figures(adders);
    let goals = goals_section(&verdicts(adders));
    let cells = cells(adders);
    let visits = |tally: &Tally| {
        let right = tally.facts.as_ref().map_or(0, |facts| facts.visits);
        right + tally.failures.len()
    };
    let fewest = adders.cells.values().map(visits).min().unwrap_or_default();
    let most = adders.cells.values().map(visits).max().unwrap_or_default();
    let facts = html! {
        dl {
            dt { "command" } dd { code { "lab adders" } }
            @for (machine, _) in &adders.machines { dt { "where" } dd { (machine.to_string()) } }
            dt { "how much" } dd { (cells.len()) " cells, " @if fewest < most { (fewest) " to " } (most) " rounds" }
        }
    };
    let about = html! { @if let Some(about) = &adders.about { p { (about) } } };
    let alert = alert(adders);
    let body = html! {
        (alert) (about) (facts)
        @if let Some(goals) = &goals { h2 { "Goals" } (shown(goals)) }
        @if let Some(beaten) = beaten_section(adders) {
            details { summary { (beaten.title) } (shown(&beaten)) }
        }
        @if !telling.is_empty() { h2 { "Figures" } (pictures(&telling)) }
    };
    let kinds = others.into_iter().map(|(kind, figures)| Part {
        file: format!("adders-{}.html", slug(kind)),
        title: format!("The adders: {kind}"),
        body: html! { (facts) (pictures(&figures)) },
        figures,
    });
    let tables = Part {
        file: "adders-tables.html".into(),
        title: "The adders: tables".into(),
        body: html! { (facts) (tables(adders)) },
        figures: Vec::new(),
    };
    Chapter {
        file: "adders.html".into(),
        title: "The adders".into(),
        card: about,
        chief: telling.last().cloned(),
        from: adders.files.clone(),
        alert,
        body,
        more: "More",
        parts: kinds.chain([tables]).collect(),
        figures: telling,
    }
}

/// A table for each cell, by size.
fn tables(adders: &Experiment) -> Markup {
    let cells = cells(adders);
    html! {
        p.muted { (COLUMNS) }
        @for of_size in cells.chunk_by(|a, b| a.input_size == b.input_size) {
            @let size = words(of_size[0].input_size);
            details {
                summary { (size) ", on " (kernels(of_size)) " ranks or threads" }
                @for &cell in of_size {
                    @let kernels = plural(cell.kernel_count);
                    h4 { (kernels) }
                    (plain_table(&table(adders, cell), &format!("{size}, {kernels}")))
                }
            }
        }
    }
}

fn kernels(cells: &[Cell]) -> String {
    let kernels = cells.iter().map(|cell| cell.kernel_count.to_string());
    kernels.collect::<Vec<_>>().join(", ")
}

fn shown(section: &Section) -> Markup {
    html! { (plain_table(&section.table, &section.title)) p.muted { (section.note) } }
}

/// What went wrong.
fn alert(adders: &Experiment) -> Markup {
    let errors = errors(adders);
    html! {
        @if !errors.is_empty() {
            div.alert role="alert" {
                strong { "Visits to the adders failed:" }
                ul { @for (cell, adder, said) in &errors {
                    li { (words(cell.input_size)) ", " (plural(cell.kernel_count)) ", " (adder) ": " (said) }
                } }
            }
        }
    }
}

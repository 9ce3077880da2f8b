//! What a browser shows of the adders: the goals, the most telling figures, and folded away the
//! other figures and a table for each cell, by size, so that many sizes and numbers of kernels stay
//! readable. A page of its own, or a chapter of the report's.

use std::path::Path;

use maud::{Markup, html};

use super::Cell;
use super::figures::{Figures, figures, plural, words};
use super::results::{COLUMNS, beaten_section, cells, errors, goals_section, table, verdicts};
use crate::machine::Machine;
use crate::page::{Chapter, Experiment, Figure, Tally, document, pictures, plain_table};
use crate::report::Section;

/// What they are.
const ABOUT: &str = "The sum of a file's random bytes, by programs of their own in C, Rust and Julia, on threads and on MPI ranks. \
                     The floor is no adder: threads that only read.";

/// The page of the adders alone, with its figures. What is `missing` comes first.
pub(crate) fn page(adders: &Experiment, missing: &[Section]) -> (String, Vec<Figure>) {
    let (body, figures) = body(adders, "");
    let body = html! {
        header {
            h1 { "sumac lab: the adders" }
            (alert(adders))
            p { (ABOUT) " " (Machine::this().to_string()) }
        }
        main {
            @for section in missing { section { h2 { (section.title) } (shown(section)) } }
            (body)
        }
    };
    (document("sumac lab: the adders", &body), figures)
}

/// The adders as a part of another page. `file` is where the adders are from.
pub(crate) fn chapter(adders: &Experiment, file: &Path) -> Chapter {
    let (body, figures) = body(adders, "adders-");
    let cells = cells(adders);
    let visits = |tally: &Tally| {
        let right = tally.facts.as_ref().map_or(0, |facts| facts.visits);
        right + tally.failures.len()
    };
    let fewest = adders.cells.values().map(visits).min().unwrap_or_default();
    let most = adders.cells.values().map(visits).max().unwrap_or_default();
    let body = html! {
        p { (ABOUT) }
        dl {
            dt { "command" } dd { code { "lab adders" } }
            @for (machine, _) in &adders.machines { dt { "where" } dd { (machine.to_string()) } }
            dt { "how much" } dd { (cells.len()) " cells, " @if fewest < most { (fewest) " to " } (most) " rounds" }
        }
        (body)
    };
    Chapter {
        anchor: "the-adders".into(),
        title: "The adders".into(),
        file: file.to_path_buf(),
        alert: alert(adders),
        body,
        figures,
    }
}

fn body(adders: &Experiment, prefix: &str) -> (Markup, Vec<Figure>) {
    let Figures { telling, others } = figures(adders, prefix);
    let goals = goals_section(&verdicts(adders));
    let body = html! {
        @if let Some(goals) = &goals { h3 { "Goals" } (shown(goals)) }
        @if !telling.is_empty() { h3 { "Figures" } (pictures(&telling)) }
        @for (kind, figures) in &others {
            details { summary { (kind) ": " (figures.len()) " more" } (pictures(figures)) }
        }
        (tables(adders))
    };
    let others = others.into_iter().flat_map(|(_, figures)| figures);
    (body, telling.into_iter().chain(others).collect())
}

/// A table for each cell, by size.
fn tables(adders: &Experiment) -> Markup {
    let cells = cells(adders);
    html! {
        h3 { "Tables" }
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
    let beaten = beaten_section(adders);
    html! {
        @if let Some(beaten) = &beaten {
            div.alert role="alert" {
                strong { (beaten.table.rows().len()) " times an adder was faster than the floor." }
                " " (beaten.note)
                details { summary { "Where" } (plain_table(&beaten.table, &beaten.title)) }
            }
        }
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

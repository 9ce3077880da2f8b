//! The report: result files in, one HTML page with its figures, CSV and Markdown tables out.
//! `load.rs` gathers the visits, `facts.rs` says what follows from them, `cases.rs` puts them in
//! order, `choose.rs`, `across.rs` and `units.rs` draw, `html.rs` lays the page out, `summary.rs`
//! makes the tables for a README, `quote.rs` the figures for its sentences, and `splice.rs` puts
//! them there.

mod across;
mod cases;
mod choose;
mod csv;
mod detail;
mod facts;
mod figure;
mod html;
mod load;
mod quote;
pub(crate) mod splice;
mod summary;
mod units;

#[cfg(test)]
pub(crate) mod fixture;
#[cfg(test)]
mod tests;

pub(crate) use facts::Facts;
pub(crate) use figure::{Axis, Figure, Line, Lines, Look, Mark, Point, extent, look};
pub(crate) use html::{document, pictures, plain_table};
#[cfg(test)]
pub(crate) use load::experiment as gathered;
pub(crate) use load::{Experiment, Loaded, Tally, load};
pub(crate) use quote::Source;

use std::path::{Path, PathBuf};

use maud::Markup;

use crate::file::save;
use figure::Painter;

/// A part of the page that is not about the cells of an experiment. The module that knows what it
/// is about makes it.
#[derive(Debug)]
pub(crate) struct Chapter {
    /// Where links lead.
    pub(crate) anchor: String,
    /// The heading.
    pub(crate) title: String,
    /// Where it is all from.
    pub(crate) file: PathBuf,
    /// What must not be overlooked, or nothing.
    pub(crate) alert: Markup,
    /// What is below the heading.
    pub(crate) body: Markup,
    /// The figures in it.
    pub(crate) figures: Vec<Figure>,
}

/// What was written.
#[derive(Debug, Default)]
pub(crate) struct Written {
    /// How many figures, each as SVG and PNG.
    pub(crate) figures: usize,
    /// How many CSV files.
    pub(crate) tables: usize,
    /// How many cells failed.
    pub(crate) failed: usize,
}

/// Writes the page, with these chapters at its end, and its figures to `out`, the CSV files to
/// `csv`.
///
/// # Errors
///
/// A file cannot be written.
pub(crate) fn write(
    loaded: &Loaded,
    chapters: Vec<Chapter>,
    out: &Path,
    csv: &Path,
) -> Result<Written, String> {
    let page = html::page(loaded, chapters);
    save_all(out, &page.text, &page.figures)?;
    save(&out.join("tables.md"), summary::markdown(loaded).as_bytes())?;
    let tables = csv::tables(loaded);
    for (name, text) in &tables {
        save(&csv.join(name), text.as_bytes())?;
    }
    let failed = loaded.experiments.iter().map(Experiment::failed);
    Ok(Written {
        figures: page.figures.len(),
        tables: tables.len(),
        failed: failed.sum(),
    })
}

/// Writes a page and its figures.
///
/// # Errors
///
/// A file cannot be written.
pub(crate) fn save_all(out: &Path, text: &str, figures: &[Figure]) -> Result<(), String> {
    save(&out.join("index.html"), text.as_bytes())?;
    let painter = Painter::new();
    for figure in figures {
        let place = out.join("figures").join(&figure.id);
        save(&place.with_extension("svg"), figure.file().as_bytes())?;
        save(&place.with_extension("png"), &painter.png(&figure.svg)?)?;
    }
    Ok(())
}

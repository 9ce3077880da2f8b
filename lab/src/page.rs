//! The report: result files in, HTML pages with their figures, CSV and Markdown tables out.
//! `load.rs` gathers the visits, `facts.rs` says what follows from them, `cases.rs` puts them in
//! order, `choose.rs`, `across.rs` and `units.rs` draw, `html.rs` lays the pages out, `findings.rs`
//! says what was found, `summary.rs` makes the tables for a README, `quote.rs` the figures for its
//! sentences, and `splice.rs` puts them there.

mod across;
mod cases;
mod choose;
mod csv;
mod detail;
mod facts;
mod figure;
mod findings;
mod html;
mod load;
mod quote;
pub(crate) mod splice;
mod summary;
pub(crate) mod text;
mod units;

#[cfg(test)]
pub(crate) mod tests;

pub(crate) use cases::slug;
pub(crate) use facts::Facts;
pub(crate) use figure::{Axis, Figure, Line, Lines, Look, Mark, Point, extent, look};
pub(crate) use findings::sentences;
pub(crate) use html::{pictures, plain_table};
#[cfg(test)]
pub(crate) use load::experiment as gathered;
pub(crate) use load::{Experiment, Loaded, Tally, load, load_one};

use std::path::{Path, PathBuf};

use maud::Markup;

use crate::file::save;
use figure::Painter;

/// A part of the report, such as an experiment. The module that knows what it is about makes it.
#[derive(Debug, Default)]
pub(crate) struct Chapter {
    /// Its page.
    pub(crate) file: String,
    /// The heading.
    pub(crate) title: String,
    /// What stands on the first page of the report: a sentence or two, and the chief figure.
    pub(crate) card: Markup,
    pub(crate) chief: Option<Figure>,
    /// Where it is all from.
    pub(crate) from: Vec<PathBuf>,
    /// What must not be overlooked, or nothing.
    pub(crate) alert: Markup,
    /// What is below the heading.
    pub(crate) body: Markup,
    /// What has pages of its own, and what that is called.
    pub(crate) more: &'static str,
    pub(crate) parts: Vec<Part>,
    /// The figures in the body.
    pub(crate) figures: Vec<Figure>,
}

/// A page of a chapter.
#[derive(Debug)]
pub(crate) struct Part {
    /// Its file.
    pub(crate) file: String,
    /// The heading.
    pub(crate) title: String,
    /// What is below it.
    pub(crate) body: Markup,
    /// The figures in it.
    pub(crate) figures: Vec<Figure>,
}

/// An HTML document.
#[derive(Debug)]
pub(crate) struct Page {
    /// Its file.
    pub(crate) file: String,
    /// All of it.
    pub(crate) text: String,
}

/// Pages that lead to each other, with their figures.
#[derive(Debug, Default)]
pub(crate) struct Site {
    pub(crate) pages: Vec<Page>,
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

/// Writes the pages, with these chapters behind the experiments, and their figures to `out`, the
/// CSV files to `csv`.
///
/// # Errors
///
/// A file cannot be written.
pub(crate) fn write(
    loaded: &Loaded,
    chapters: Vec<Chapter>,
    findings: &[String],
    out: &Path,
    csv: &Path,
) -> Result<Written, String> {
    let site = Site::new(loaded, chapters, findings);
    site.save(out)?;
    save(&out.join("tables.md"), summary::markdown(loaded).as_bytes())?;
    let tables = csv::tables(loaded);
    for (name, text) in &tables {
        save(&csv.join(name), text.as_bytes())?;
    }
    let failed = loaded.experiments.iter().map(Experiment::failed);
    Ok(Written {
        figures: site.figures.len(),
        tables: tables.len(),
        failed: failed.sum(),
    })
}

impl Site {
    /// Writes pages and figures.
    ///
    /// # Errors
    ///
    /// A file cannot be written.
    fn save(&self, out: &Path) -> Result<(), String> {
        for page in &self.pages {
            save(&out.join(&page.file), page.text.as_bytes())?;
        }
        let painter = Painter::new();
        for figure in &self.figures {
            let place = out.join("figures").join(&figure.id);
            save(&place.with_extension("svg"), figure.file().as_bytes())?;
            save(&place.with_extension("png"), &painter.png(&figure.svg)?)?;
        }
        Ok(())
    }
}

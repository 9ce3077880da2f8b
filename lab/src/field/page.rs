//! What a browser shows of the field: a chapter of the report.

use std::path::Path;

use maud::html;

use super::Found;
use super::tables::sections;
use crate::page::{Chapter, plain_table};

/// The field as a part of the report. `file` is where it is from.
pub(crate) fn chapter(found: &[Found], file: &Path) -> Chapter {
    let wrong = found.iter().filter(|one| !one.failed.is_empty()).count();
    let about = html! {
        p {
            "Crates that others wrote and that use rayon, built twice from the same lock file: with "
            "rayon's own scheduler, and with sumac's in its place, by two lines in the workspace's "
            "manifest. What both programs print is compared, byte for byte."
        }
    };
    let alert = html! {
        @if wrong > 0 {
            div.alert role="alert" { strong { (wrong) " crates of the field failed; see there." } }
        }
    };
    let body = html! {
        (alert)
        (about)
        dl {
            dt { "command" } dd { code { "lab field" } }
            @if let Some(one) = found.first() { dt { "where" } dd { (one.machine.to_string()) } }
        }
        @for section in sections(found) {
            (plain_table(&section.table, &section.title))
            p.muted { (section.note) }
        }
    };
    Chapter {
        file: "field.html".into(),
        title: "The field: other people's crates".into(),
        card: about,
        from: vec![file.to_path_buf()],
        alert,
        body,
        ..Chapter::default()
    }
}

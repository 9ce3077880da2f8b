//! What a browser shows of the field: a chapter of the report.

use maud::html;

use super::tables::{crates_failed, sections};
use crate::page::{Chapter, Experiment, plain_table};

/// The field as a part of the report.
pub(crate) fn chapter(field: &Experiment) -> Chapter {
    let wrong = crates_failed(field);
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
            @for machine in field.machines.keys() { dt { "where" } dd { (machine.to_string()) } }
        }
        @for section in sections(field) {
            (plain_table(&section.table, &section.title))
            p.muted { (section.note) }
        }
    };
    Chapter {
        file: "field.html".into(),
        title: "The field: other people's crates".into(),
        card: about,
        from: field.files.clone(),
        alert,
        body,
        ..Chapter::default()
    }
}

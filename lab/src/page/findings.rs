//! What was found, in sentences whose figures are the results': for the first page of the report,
//! and for documents (`splice.rs`).

use super::load::Loaded;
use super::quote::fill;

/// The sentences, with figures as `quote.rs` knows them, a paragraph each.
const SENTENCES: &str = include_str!("findings.md");

/// The sentences for which there are results, as Markdown.
pub(crate) fn sentences(loaded: &Loaded) -> Vec<String> {
    let sentences = SENTENCES
        .split("\n\n")
        .map(|text| text.trim().replace('\n', " "));
    let filled = sentences.filter_map(|text| fill(&text, loaded).ok());
    filled.map(|(text, _)| plain(&text)).collect()
}

/// The same without marks.
fn plain(text: &str) -> String {
    let mut parts = text.split("<!--");
    let mut out = parts.next().unwrap_or("").to_string();
    for part in parts {
        out += part.split_once("-->").map_or(part, |(_, text)| text);
    }
    out
}

//! Chapters that are documents: Markdown that other commands have printed, such as `lab fork`.

use std::fs;
use std::path::Path;

use maud::{PreEscaped, html};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd, html::push_html};

use super::Chapter;
use super::cases::slug;

/// The document as a part of the report, whose heading is its first.
///
/// # Errors
///
/// It cannot be read, or has no heading.
pub(crate) fn chapter(file: &Path) -> Result<Chapter, String> {
    let name = file.display();
    let text = fs::read_to_string(file).map_err(|error| format!("{name}: {error}"))?;
    let (mut title, mut body) = (String::new(), Vec::new());
    let mut events = Parser::new_ext(&text, Options::ENABLE_TABLES);
    if let Some(Event::Start(Tag::Heading { .. })) = events.next() {
        let words = events
            .by_ref()
            .take_while(|event| !matches!(event, Event::End(_)));
        title = words
            .filter_map(|event| match event {
                Event::Text(words) | Event::Code(words) => Some(words.into_string()),
                _ => None,
            })
            .collect();
    }
    if title.is_empty() {
        return Err(format!("{name} does not begin with a heading"));
    }
    for event in events {
        match event {
            Event::Start(Tag::Table(_)) => {
                let scroll = format!(
                    "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{}\">",
                    slug(&title)
                );
                body.extend([Event::Html(scroll.into()), event]);
            }
            Event::End(TagEnd::Table) => body.extend([event, Event::Html("</div>".into())]),
            // What is no text would be loaded, or lead out of the report.
            Event::Start(Tag::Image { .. } | Tag::Link { .. })
            | Event::End(TagEnd::Image | TagEnd::Link)
            | Event::Html(_)
            | Event::InlineHtml(_) => {}
            event => body.push(event),
        }
    }
    let mut markup = String::new();
    push_html(&mut markup, body.into_iter());
    Ok(Chapter {
        file: format!("{}.html", slug(&title)),
        title,
        card: html! { p {} },
        from: vec![file.to_path_buf()],
        body: html! { p {} (PreEscaped(markup)) },
        ..Chapter::default()
    })
}

//! Documents and their figures as one HTML file that loads nothing: for wide and narrow windows,
//! light and dark (`style.css`). Links between the documents become links within it.

use std::path::{Path, PathBuf};

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd, html::push_html};

use crate::file;

/// The page.
///
/// # Errors
///
/// A document or a figure cannot be read.
pub(crate) fn page(documents: &[PathBuf]) -> Result<String, String> {
    let (mut body, mut contents) = (String::new(), String::new());
    for path in documents {
        let (text, id) = (file::read(path)?, anchor(path, ""));
        let title = text.lines().find_map(|line| line.strip_prefix("# "));
        contents += &format!("<li><a href=\"#{id}\">{}</a></li>\n", title.unwrap_or(&id));
        body += &format!("<section id=\"{id}\">\n");
        push_html(&mut body, events(&text, path, documents)?.into_iter());
        body += "</section>\n";
    }
    let style = include_str!("style.css");
    Ok(format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>sumac</title>\n<style>\n{style}</style>\n<nav><ul>\n{contents}</ul></nav>\n\
         <main>\n{body}</main>\n</html>\n"
    ))
}

/// The document's parts: figures in place of links to them, headings that can be linked to.
fn events<'t>(text: &'t str, path: &Path, all: &[PathBuf]) -> Result<Vec<Event<'t>>, String> {
    let (mut events, mut heading, mut drawn) = (Vec::new(), String::new(), false);
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::Image { dest_url, .. }) => {
                events.push(Event::Html(file::read(&beside(path, &dest_url))?.into()));
                drawn = true;
            }
            Event::End(TagEnd::Image) => drawn = false,
            // What a figure shows; comments.
            _ if drawn => {}
            Event::Html(_) | Event::InlineHtml(_) => {}
            Event::Start(Tag::Link {
                dest_url,
                link_type,
                title,
                id,
            }) => {
                let dest_url = target(&dest_url, path, all).into();
                events.push(Event::Start(Tag::Link {
                    dest_url,
                    link_type,
                    title,
                    id,
                }));
            }
            Event::Start(Tag::Table(_)) => {
                events.extend([
                    Event::Html("<div class=\"scroll\" tabindex=\"0\">".into()),
                    event,
                ]);
            }
            Event::End(TagEnd::Table) => events.extend([event, Event::Html("</div>".into())]),
            Event::End(TagEnd::Heading(_)) => {
                let place = format!("<a id=\"{}\"></a>", anchor(path, &heading));
                events.extend([Event::Html(place.into()), event]);
            }
            event => {
                match &event {
                    Event::Start(Tag::Heading { .. }) => heading.clear(),
                    Event::Text(words) | Event::Code(words) => heading += words,
                    _ => {}
                }
                events.push(event);
            }
        }
    }
    Ok(events)
}

/// Where a link leads in the page; nowhere if what it leads to is not in it.
fn target(to: &str, path: &Path, all: &[PathBuf]) -> String {
    let (file, heading) = to.split_once('#').unwrap_or((to, ""));
    let file = if file.is_empty() {
        path.to_path_buf()
    } else {
        beside(path, file)
    };
    let is_it = |other: &&PathBuf| other.canonicalize().ok() == file.canonicalize().ok();
    match all.iter().find(is_it) {
        _ if to.contains("://") => to.into(),
        Some(document) => format!("#{}", anchor(document, heading)),
        None => String::new(),
    }
}

/// The name of a heading of a document, in which repository hosts leave signs out.
fn anchor(path: &Path, heading: &str) -> String {
    let kept = |c: &char| c.is_alphanumeric() || " -_".contains(*c);
    let heading: String = heading.to_lowercase().chars().filter(kept).collect();
    format!("{}#{heading}", path.display()).replace(['/', '.', '#', ' '], "-")
}

/// A path as a document at another one writes it.
fn beside(path: &Path, to: &str) -> PathBuf {
    path.parent().unwrap_or(Path::new("")).join(to)
}

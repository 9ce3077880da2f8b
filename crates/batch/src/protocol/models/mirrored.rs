//! Steps of functions that loom cannot build: a model's short copy of them is compared with the
//! source.

/// Asserts that a function takes these steps, all of them and in this order in its text. Text
/// between them, and names of types, do not matter.
pub(super) fn steps(source: &str, function: &str, expected: &[&str]) {
    let body = body(source, function);
    let mut found: Vec<&str> = Vec::new();
    let mut rest = body.as_str();
    while let Some(next) = rest.chars().next() {
        let here = expected.iter().filter(|step| rest.starts_with(**step));
        let step = here.copied().max_by_key(|step| step.len());
        found.extend(step);
        rest = &rest[step.map_or(next.len_utf8(), |step| step.len())..];
    }
    assert_eq!(
        found, expected,
        "`{function}` has changed: see that the model does the same"
    );
}

/// Returns the body of a function, without comments and white space.
fn body(source: &str, function: &str) -> String {
    let heads = ["(", "<"].map(|end| format!("fn {function}{end}"));
    let is_head = |line: &&str| heads.iter().any(|head| line.contains(head));
    let mut lines = source.lines().skip_while(|line| !is_head(line));
    let head = lines.next().expect("the function is there");
    let indent = head.len() - head.trim_start().len();
    let end = format!("{}}}", " ".repeat(indent));
    let text = std::iter::once(head).chain(lines.take_while(|line| *line != end));
    let code = text.map(|line| line.split("//").next().unwrap_or(line));
    let code: String = code.flat_map(str::split_whitespace).collect();
    let (_, body) = code.split_once('{').expect("a function has a body");
    body.to_owned()
}

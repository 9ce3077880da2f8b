//! What is said of a name that is not known.

/// That no such thing has the name, and what was meant: those that are written much like it, or all
/// there are.
pub(crate) fn unknown<'n>(
    kind: &str,
    name: &str,
    known: impl IntoIterator<Item = &'n str>,
) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    // As for commands and options, but a bit stricter: two or three letters of five are no
    // likeness.
    let is_near = |known: &&str| strsim::jaro(name, known) > 0.8;
    let near: Vec<&str> = known.iter().copied().filter(is_near).collect();
    let meant = match &*near {
        [] => format!("there are {}", known.join(", ")),
        _ => format!("did you mean {}?", near.join(", or ")),
    };
    format!("no {kind} is called {name}; {meant}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_near_is_named_or_else_all() {
        let said = |name| unknown("fruit", name, ["apple", "grape", "pear"]);
        assert_eq!(said("aple"), "no fruit is called aple; did you mean apple?");
        assert_eq!(
            said("oxipng"),
            "no fruit is called oxipng; there are apple, grape, pear"
        );
    }
}

//! What is said of a name that is not known.

/// That no such thing has the name, and which names there are.
pub(crate) fn unknown<'n>(
    kind: &str,
    name: &str,
    known: impl IntoIterator<Item = &'n str>,
) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    format!("no {kind} is called {name}; there are {}", known.join(", "))
}

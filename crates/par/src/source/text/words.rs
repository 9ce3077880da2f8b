//! Lines and words.

use super::split::{Split, SplitInclusive};
use crate::{iter::ParallelIterator, shape::Sink};

macro_rules! words {
    ($($(#[$attr:meta])* $Name:ident, |$text:ident| $pieces:expr;)*) => {$(
        $(#[$attr])*
        #[derive(Clone, Debug)]
        #[must_use = "iterators are lazy"]
        pub struct $Name<'t>(pub(super) &'t str);

        impl<'t> ParallelIterator for $Name<'t> {
            type Item = &'t str;

            fn drive<S: Sink<&'t str>>(self, sink: &S) -> S::Output {
                let $text = self.0;
                $pieces.drive(sink)
            }
        }
    )*};
}

words! {
    /// See [`par_lines`](super::ParallelString::par_lines).
    Lines, |text| SplitInclusive { text, pattern: '\n' }.map(without_end);

    /// See [`par_split_whitespace`](super::ParallelString::par_split_whitespace).
    SplitWhitespace,
    |text| Split { text, pattern: char::is_whitespace }.filter(|word| !word.is_empty());

    /// See [`par_split_ascii_whitespace`](super::ParallelString::par_split_ascii_whitespace).
    SplitAsciiWhitespace,
    |text| Split { text, pattern: |c: char| c.is_ascii_whitespace() }.filter(|word| !word.is_empty());
}

/// Removes the end of a line. A carriage return without a line feed belongs to the line.
fn without_end(line: &str) -> &str {
    let Some(line) = line.strip_suffix('\n') else {
        return line;
    };
    line.strip_suffix('\r').unwrap_or(line)
}

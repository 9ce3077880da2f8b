//! Parallel methods of strings.

mod chars;
mod drain;
mod pattern;
mod split;
mod words;

pub use self::{
    chars::{Bytes, CharIndices, Chars, EncodeUtf16},
    drain::Drain,
    pattern::Pattern,
    split::{MatchIndices, Matches, Split, SplitInclusive, SplitTerminator},
    words::{Lines, SplitAsciiWhitespace, SplitWhitespace},
};

/// Parallel methods of strings. A [`Pattern`] is a `char`, a slice or an array of them, a function
/// of a `char`, or a string.
pub trait ParallelString {
    /// Returns the string.
    fn as_parallel_string(&self) -> &str;

    /// Returns the `char`s.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// assert_eq!("größe".par_chars().max(), Some('ö'));
    /// ```
    fn par_chars(&self) -> Chars<'_> {
        let text = self.as_parallel_string();
        Chars { text }
    }

    /// Returns the `char`s, each with its byte index.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// assert_eq!("größe".par_char_indices().max_by_key(|&(_, c)| c), Some((2, 'ö')));
    /// ```
    fn par_char_indices(&self) -> CharIndices<'_> {
        let text = self.as_parallel_string();
        CharIndices { text }
    }

    /// Returns the bytes.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// assert_eq!("größe".par_bytes().count(), 7);
    /// ```
    fn par_bytes(&self) -> Bytes<'_> {
        let text = self.as_parallel_string();
        Bytes { text }
    }

    /// Returns the string in UTF-16.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// assert_eq!("größe".par_encode_utf16().count(), 5);
    /// ```
    fn par_encode_utf16(&self) -> EncodeUtf16<'_> {
        let text = self.as_parallel_string();
        EncodeUtf16 { text }
    }

    /// Splits the string at the matches of a pattern.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// let v: Vec<&str> = "a, b, ".par_split(", ").collect();
    /// assert_eq!(v, ["a", "b", ""]);
    /// ```
    ///
    /// # Panics
    /// If the pattern is an empty string.
    fn par_split<P: Pattern>(&self, pattern: P) -> Split<'_, P> {
        pattern.check();
        let text = self.as_parallel_string();
        Split { text, pattern }
    }

    /// Splits the string behind the matches of a pattern, which end the pieces. An empty piece at
    /// the end is left out.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// let v: Vec<&str> = "a,b,".par_split_inclusive(',').collect();
    /// assert_eq!(v, ["a,", "b,"]);
    /// ```
    ///
    /// # Panics
    /// If the pattern is an empty string.
    fn par_split_inclusive<P: Pattern>(&self, pattern: P) -> SplitInclusive<'_, P> {
        pattern.check();
        let text = self.as_parallel_string();
        SplitInclusive { text, pattern }
    }

    /// Splits the string at the matches of a pattern. An empty piece at the end is left out.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// let v: Vec<&str> = "a;b;".par_split_terminator(';').collect();
    /// assert_eq!(v, ["a", "b"]);
    /// ```
    ///
    /// # Panics
    /// If the pattern is an empty string.
    fn par_split_terminator<P: Pattern>(&self, pattern: P) -> SplitTerminator<'_, P> {
        pattern.check();
        let text = self.as_parallel_string();
        SplitTerminator { text, pattern }
    }

    /// Returns the lines, without the `\n` or `\r\n` that ends each.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// let v: Vec<&str> = "a\r\nb\n\nc".par_lines().collect();
    /// assert_eq!(v, ["a", "b", "", "c"]);
    /// ```
    fn par_lines(&self) -> Lines<'_> {
        let text = self.as_parallel_string();
        Lines(text)
    }

    /// Returns the words: pieces between white space.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// assert_eq!(" a  b\u{2003}c\n".par_split_whitespace().count(), 3);
    /// ```
    fn par_split_whitespace(&self) -> SplitWhitespace<'_> {
        let text = self.as_parallel_string();
        SplitWhitespace(text)
    }

    /// Returns the words: pieces between ASCII white space.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// assert_eq!(" a  b\u{2003}c\n".par_split_ascii_whitespace().count(), 2);
    /// ```
    fn par_split_ascii_whitespace(&self) -> SplitAsciiWhitespace<'_> {
        let text = self.as_parallel_string();
        SplitAsciiWhitespace(text)
    }

    /// Returns the matches of a pattern.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// assert_eq!("1, 2, 30".par_matches(char::is_numeric).count(), 4);
    /// ```
    ///
    /// # Panics
    /// If the pattern is an empty string.
    fn par_matches<P: Pattern>(&self, pattern: P) -> Matches<'_, P> {
        pattern.check();
        let text = self.as_parallel_string();
        Matches(MatchIndices { text, pattern })
    }

    /// Returns the matches of a pattern, each with its byte index.
    ///
    /// ```
    /// use sumac::prelude::*;
    /// let v: Vec<_> = "a, b, c".par_match_indices(", ").collect();
    /// assert_eq!(v, [(1, ", "), (4, ", ")]);
    /// ```
    ///
    /// # Panics
    /// If the pattern is an empty string.
    fn par_match_indices<P: Pattern>(&self, pattern: P) -> MatchIndices<'_, P> {
        pattern.check();
        let text = self.as_parallel_string();
        MatchIndices { text, pattern }
    }
}

impl ParallelString for str {
    fn as_parallel_string(&self) -> &str {
        self
    }
}

//! `Pattern`: arguments of searches and splits of strings.

use crate::shape::Seal;
use std::ops::Range;

/// A pattern to search for in a string: a `char`, one of several, one for which a function holds,
/// or a string.
///
/// ```
/// use sumac::prelude::*;
///
/// let text = "fork, join; fork";
/// assert_eq!(text.par_matches('o').count(), 3);
/// assert_eq!(text.par_split([',', ';']).count(), 3);
/// assert_eq!(text.par_matches(char::is_whitespace).count(), 2);
/// assert_eq!(text.par_matches("fork").count(), 2);
/// ```
pub trait Pattern: Sync + Send {
    /// Returns the first match.
    fn find_in(&self, text: &str) -> Option<Range<usize>>;

    /// Returns whether no two matches overlap, so that a search may start anywhere.
    fn is_local(&self) -> bool {
        true
    }

    /// Returns a boundary at or behind the boundary `at` that is inside no match.
    fn cut(&self, _: &str, at: usize) -> usize {
        at
    }

    /// # Panics
    /// If it is empty.
    fn check(&self) {}

    /// No other crate implements this trait.
    #[doc(hidden)]
    fn seal(_: Seal);
}

/// Returns the first `char` that is `wanted`.
#[inline]
fn find_char(text: &str, wanted: impl Fn(char) -> bool) -> Option<Range<usize>> {
    let (start, found) = text.char_indices().find(|&(_, char)| wanted(char))?;
    Some(start..start + found.len_utf8())
}

macro_rules! chars {
    ($([$($generics:tt)*] $Pattern:ty;)*) => {$(
        impl<$($generics)*> Pattern for $Pattern {
            #[inline]
            fn find_in(&self, text: &str) -> Option<Range<usize>> {
                find_char(text, |char| self.contains(&char))
            }

            fn seal(_: Seal) {}
        }
    )*};
}

chars! {
    [] &[char];
    [const N: usize] [char; N];
    [const N: usize] &[char; N];
}

impl Pattern for char {
    #[inline]
    fn find_in(&self, text: &str) -> Option<Range<usize>> {
        let start = text.find(*self)?;
        Some(start..start + self.len_utf8())
    }

    fn seal(_: Seal) {}
}

impl<F: Fn(char) -> bool + Sync + Send> Pattern for F {
    #[inline]
    fn find_in(&self, text: &str) -> Option<Range<usize>> {
        find_char(text, self)
    }

    fn seal(_: Seal) {}
}

impl Pattern for &str {
    fn find_in(&self, text: &str) -> Option<Range<usize>> {
        text.find(*self).map(|start| start..start + self.len())
    }

    /// Whether no proper suffix of it is a prefix of it.
    fn is_local(&self) -> bool {
        let bytes = self.as_bytes();
        (1..bytes.len()).all(|len| !bytes.ends_with(&bytes[..len]))
    }

    fn cut(&self, text: &str, at: usize) -> usize {
        let next = self.is_local().then(|| text[at..].find(*self)).flatten();
        next.map_or(text.len(), |distance| at + distance)
    }

    fn check(&self) {
        assert!(!self.is_empty(), "the pattern is empty");
    }

    fn seal(_: Seal) {}
}

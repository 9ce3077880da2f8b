//! What strings are split at.

use crate::shape::Seal;
use std::ops::Range;

/// What can be looked for in a string: a `char`, one of several, one for which a function holds, or
/// a string.
pub trait Pattern: Sync + Send {
    /// Where it occurs first.
    fn find_in(&self, text: &str) -> Option<Range<usize>>;

    /// Returns whether looking from any place on finds what looking from the beginning on would:
    /// that no two occurrences overlap.
    fn is_local(&self) -> bool {
        true
    }

    /// Returns a boundary at or behind the boundary `at`, and in no occurrence.
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

/// The range of the `char` that begins at `start`.
fn char_at(text: &str, start: usize) -> Range<usize> {
    let len = text[start..].chars().next().map_or(0, char::len_utf8);
    start..start + len
}

macro_rules! chars {
    ($([$($generics:tt)*] $Pattern:ty;)*) => {$(
        impl<$($generics)*> Pattern for $Pattern {
            #[inline]
            fn find_in(&self, text: &str) -> Option<Range<usize>> {
                text.find(*self).map(|start| char_at(text, start))
            }

            fn seal(_: Seal) {}
        }
    )*};
}

chars! {
    [] char;
    [] &[char];
    [const N: usize] [char; N];
    [const N: usize] &[char; N];
}

impl<F: Fn(char) -> bool + Sync + Send> Pattern for F {
    #[inline]
    fn find_in(&self, text: &str) -> Option<Range<usize>> {
        text.find(self).map(|start| char_at(text, start))
    }

    fn seal(_: Seal) {}
}

impl Pattern for &str {
    fn find_in(&self, text: &str) -> Option<Range<usize>> {
        text.find(*self).map(|start| start..start + self.len())
    }

    /// If no end of it is a beginning of it.
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

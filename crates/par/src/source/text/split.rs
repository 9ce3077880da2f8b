//! Strings in pieces, and the matches of a pattern.
//!
//! Positions are bytes. A split searches from its position for the next match, and cuts there. A
//! piece without its separator has one position more than bytes, that of the separator or the end:
//! so the empty piece behind a separator at the end has a position, too. What a split has searched
//! is not searched again by splits of the piece before it, as in rayon: in a long line each search
//! would go to the end.

use super::{chars::boundary, pattern::Pattern};
use crate::{
    iter::ParallelIterator,
    kernel,
    shape::{Producer, Sink},
};
use std::ops::Range;

/// Where separators go, and an empty piece at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Separators {
    /// They are left out.
    Between,
    /// They are left out, and so is an empty piece at the end.
    Terminated,
    /// They end their pieces; an empty piece at the end is left out.
    Inclusive,
}

/// The rest of a string that is split.
struct Pieces<'t, 'p, P> {
    /// `None` after the last piece.
    text: Option<&'t str>,
    pattern: &'p P,
    separators: Separators,
    /// Whether `text` ends where the whole string does.
    at_end: bool,
    /// So many bytes of it splits have not searched. A match that ends behind them cuts no parts,
    /// but pieces.
    unsearched: usize,
}

impl<'t, P: Pattern> Pieces<'t, '_, P> {
    /// Cuts at a match: returns the piece before it, and the rest behind.
    #[inline]
    fn cut(&self, text: &'t str, found: Range<usize>) -> (&'t str, &'t str) {
        let end_of_piece = match self.separators {
            Separators::Inclusive => found.end,
            Separators::Between | Separators::Terminated => found.start,
        };
        (&text[..end_of_piece], &text[found.end..])
    }
}

impl<'t, P: Pattern> Iterator for Pieces<'t, '_, P> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        let text = self.text.take()?;
        if let Some(separator) = self.pattern.find_in(text) {
            let (piece, rest) = self.cut(text, separator);
            self.text = Some(rest);
            return Some(piece);
        }
        let left_out = match self.separators {
            Separators::Between => false,
            Separators::Terminated => text.is_empty() && self.at_end,
            Separators::Inclusive => text.is_empty(),
        };
        (!left_out).then_some(text)
    }
}

impl<'t, P: Pattern> Producer for Pieces<'t, '_, P> {
    type Item = &'t str;
    type State = ();
    type Iter = Self;

    fn len(&self) -> usize {
        let end = usize::from(self.separators != Separators::Inclusive);
        self.text.map_or(0, |text| text.len().saturating_add(end))
    }

    fn split_at(self, at: usize) -> (Self, Self) {
        let text = self.text.unwrap_or_default();
        let from = boundary(text, at - 1);
        let part = |text, at_end, unsearched| Pieces {
            text,
            at_end,
            unsearched,
            ..self
        };
        let searched = text.get(from..self.unsearched);
        let found = searched.filter(|_| self.pattern.is_local());
        let Some(Range { start, end }) = found.and_then(|text| self.pattern.find_in(text)) else {
            let whole = part(self.text, self.at_end, from.min(self.unsearched));
            return (whole, part(None, self.at_end, 0));
        };
        let (left, right) = self.cut(text, from + start..from + end);
        let behind = self.unsearched - (text.len() - right.len());
        (
            part(Some(left), false, from),
            part(Some(right), self.at_end, behind),
        )
    }

    fn state(&self) {}

    fn iter(self, (): &()) -> Self {
        self
    }
}

macro_rules! split {
    ($($(#[$attr:meta])* $Name:ident, $kind:ident;)*) => {$(
        $(#[$attr])*
        #[derive(Clone)]
        #[must_use = "iterators are lazy"]
        pub struct $Name<'t, P> {
            pub(super) text: &'t str,
            pub(super) pattern: P,
        }

        impl<P> std::fmt::Debug for $Name<'_, P> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let mut f = f.debug_struct(stringify!($Name));
                f.field("text", &self.text).finish_non_exhaustive()
            }
        }

        impl<'t, P: Pattern> ParallelIterator for $Name<'t, P> {
            type Item = &'t str;

            fn drive<S: Sink<&'t str>>(self, sink: &S) -> S::Output {
                let pieces = Pieces {
                    text: Some(self.text),
                    pattern: &self.pattern,
                    separators: Separators::$kind,
                    at_end: true,
                    unsearched: self.text.len(),
                };
                kernel::drive(pieces, sink)
            }
        }
    )*};
}

split! {
    /// See [`par_split`](super::ParallelString::par_split).
    Split, Between;
    /// See [`par_split_terminator`](super::ParallelString::par_split_terminator).
    SplitTerminator, Terminated;
    /// See [`par_split_inclusive`](super::ParallelString::par_split_inclusive).
    SplitInclusive, Inclusive;
}

/// The rest of a string in which a pattern is searched.
struct Found<'t, 'p, P> {
    text: &'t str,
    /// The number of bytes before it.
    before: usize,
    pattern: &'p P,
}

impl<'t, P: Pattern> Iterator for Found<'t, '_, P> {
    type Item = (usize, &'t str);

    fn next(&mut self) -> Option<(usize, &'t str)> {
        let Range { start, end } = self.pattern.find_in(self.text)?;
        let found = (self.before + start, &self.text[start..end]);
        self.text = &self.text[end..];
        self.before += end;
        Some(found)
    }
}

impl<'t, P: Pattern> Producer for Found<'t, '_, P> {
    type Item = (usize, &'t str);
    type State = ();
    type Iter = Self;

    fn len(&self) -> usize {
        self.text.len()
    }

    fn split_at(self, at: usize) -> (Self, Self) {
        let cut = self.pattern.cut(self.text, boundary(self.text, at));
        let (left, right) = self.text.split_at(cut);
        let part = |text, before| Found {
            text,
            before,
            ..self
        };
        (part(left, self.before), part(right, self.before + cut))
    }

    fn state(&self) {}

    fn iter(self, (): &()) -> Self {
        self
    }
}

/// See [`par_match_indices`](super::ParallelString::par_match_indices).
#[derive(Clone)]
#[must_use = "iterators are lazy"]
pub struct MatchIndices<'t, P> {
    pub(super) text: &'t str,
    pub(super) pattern: P,
}

impl<P> std::fmt::Debug for MatchIndices<'_, P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut f = f.debug_struct("MatchIndices");
        f.field("text", &self.text).finish_non_exhaustive()
    }
}

impl<'t, P: Pattern> ParallelIterator for MatchIndices<'t, P> {
    type Item = (usize, &'t str);

    fn drive<S: Sink<Self::Item>>(self, sink: &S) -> S::Output {
        let found = Found {
            text: self.text,
            before: 0,
            pattern: &self.pattern,
        };
        kernel::drive(found, sink)
    }
}

/// See [`par_matches`](super::ParallelString::par_matches).
#[derive(Clone, Debug)]
#[must_use = "iterators are lazy"]
pub struct Matches<'t, P>(pub(super) MatchIndices<'t, P>);

impl<'t, P: Pattern> ParallelIterator for Matches<'t, P> {
    type Item = &'t str;

    fn drive<S: Sink<&'t str>>(self, sink: &S) -> S::Output {
        self.0.map(|(_, found)| found).drive(sink)
    }
}

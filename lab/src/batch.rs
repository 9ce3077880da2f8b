//! Shared structures under many callers: counters, maps and sets, batched implicitly or guarded
//! by what a Rust user has otherwise. A *place* is a contender with a number of threads and the way
//! in which its operations come in (`place.rs`); repetitions are interleaved (`rounds.rs`), and
//! what came of each is checked.

pub(crate) mod counters;
pub(crate) mod fork;
pub(crate) mod maps;
mod place;
mod rounds;
pub(crate) mod sizes;

#[cfg(test)]
mod tests;

pub(crate) use place::{Drive, Place};

use crate::structure::work::Family;

/// How much is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// Hardly anything, to see that it works.
    Quick,
    /// What the goals need and a glance at the rest.
    Usual,
    /// Every combination.
    Full,
}

/// What is measured of an experiment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Choice<'a> {
    /// How much.
    pub(crate) extent: Extent,
    /// Only places whose description contains this.
    pub(crate) only: Option<&'a str>,
}

impl Choice<'_> {
    /// Those of these places that are wanted, beside what measures them.
    fn of<R>(&self, mut places: Vec<(Place, R)>) -> (Vec<Place>, Vec<R>) {
        let wanted = |place: &Place| {
            self.only
                .is_none_or(|text| place.to_string().contains(text))
        };
        places.retain(|(place, _)| wanted(place));
        places.into_iter().unzip()
    }

    /// Whether any place of these experiments is wanted, known before anything is measured.
    pub(crate) fn has_places(&self, counters: bool, families: &[Family]) -> bool {
        let kinds = families
            .iter()
            .flat_map(|&family| maps::kinds(self.extent, family));
        (counters && !self.of(counters::places(self.extent)).0.is_empty())
            || kinds
                .flatten()
                .any(|kind| !self.of(maps::places(self.extent, kind)).0.is_empty())
    }
}

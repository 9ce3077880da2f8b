//! What is kept: `results/field/field.json`, an entry for each crate, in the list's order.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Ready;
use super::visit::Taken;
use crate::machine::Machine;
use crate::patched::Under;
use crate::stats::Summary;

/// What was found out about a crate.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Found {
    /// Its name.
    pub(crate) name: String,
    /// Its version.
    pub(crate) version: String,
    /// The program that it installs, if that was run and not one of ours.
    pub(crate) program: Option<String>,
    /// The builds and tests.
    pub(crate) ready: Ready,
    /// What each run took, by round.
    pub(crate) taken: BTreeMap<Under, Vec<Taken>>,
    /// The most threads that were seen at once.
    pub(crate) threads: BTreeMap<Under, usize>,
    /// What is wrong, in words.
    pub(crate) failed: Vec<String>,
    /// How many cores other programs used meanwhile.
    pub(crate) cores_of_others: Option<f64>,
    /// Where it was measured.
    pub(crate) machine: Machine,
}

impl Found {
    /// A figure of all runs with one scheduler.
    pub(super) fn summary(&self, under: Under, of: impl Fn(&Taken) -> f64) -> Option<Summary> {
        let figures: Vec<f64> = self.taken.get(&under)?.iter().map(of).collect();
        (!figures.is_empty()).then(|| Summary::of(&figures))
    }

    /// A figure with sumac as a part of what it is with rayon, round by round.
    pub(super) fn ratio(&self, of: impl Fn(&Taken) -> f64) -> Option<Summary> {
        let [plain, patched] = [
            self.taken.get(&Under::Rayon)?,
            self.taken.get(&Under::Sumac)?,
        ];
        let pairs = plain.iter().zip(patched);
        let ratios: Vec<f64> = pairs
            .map(|(plain, patched)| of(patched) / of(plain))
            .collect();
        (!ratios.is_empty()).then(|| Summary::of(&ratios))
    }
}

//! The list of contenders: their names, and the one `match` from a name to a type.

use std::fmt;

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use super::Contender;
use super::baseline::{Baseline, RightFirst};
use super::chili::Chili;
#[cfg(feature = "forte")]
use super::forte::Forte;
use super::planted::Planted;
use super::rayon::Rayon;
use super::static_split::StaticSplit;
use super::sumac_join::SumacJoin;
use super::sumac_scope::SumacScope;

/// The name of a contender, as written on the command line and in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Id {
    /// Plain recursion, left first
    Baseline,
    /// Plain recursion, right first
    RightFirst,
    /// The problem divided by hand over plain threads
    StaticSplit,
    /// sumac, the Scope handed down
    SumacScope,
    /// sumac, the thread-local join, and its loops
    #[value(alias = "sumac")]
    SumacJoin,
    /// rayon::join
    Rayon,
    /// chili's Scope::join, its closures swapped
    Chili,
    /// forte's Worker::join, its closures swapped
    #[cfg(feature = "forte")]
    Forte,
    /// One with a fault, which only tests of the lab ask for
    #[value(skip)]
    Planted,
}

/// One more contender, if the feature `forte` is on.
pub(crate) const FORTE: usize = cfg!(feature = "forte") as usize;

impl Id {
    /// In the order in which tables show them.
    pub(crate) const EVERYBODY: [Id; 7 + FORTE] = [
        Id::Baseline,
        Id::RightFirst,
        Id::StaticSplit,
        Id::Rayon,
        Id::Chili,
        #[cfg(feature = "forte")]
        Id::Forte,
        Id::SumacJoin,
        Id::SumacScope,
    ];

    /// Those that really join, which is what a command without `--contenders` compares.
    pub(crate) const RUNTIMES: [Id; 4 + FORTE] = [
        Id::Rayon,
        Id::Chili,
        #[cfg(feature = "forte")]
        Id::Forte,
        Id::SumacJoin,
        Id::SumacScope,
    ];

    /// Its name as on the command line.
    pub(crate) fn name(self) -> String {
        let known = self.to_possible_value();
        known.map_or(Planted::NAME.into(), |name| name.get_name().into())
    }

    /// Who is called so on the command line, or in tests.
    pub(crate) fn named(name: &str) -> Option<Id> {
        match name {
            Planted::NAME => Some(Id::Planted),
            _ => Id::from_str(name, false).ok(),
        }
    }

    /// Whether it is one of the two sequential programs, which know no threads.
    pub(crate) fn is_sequential(self) -> bool {
        matches!(self, Id::Baseline | Id::RightFirst)
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Id::Baseline => "baseline",
            Id::RightFirst => "right first",
            Id::StaticSplit => "static split",
            Id::SumacScope => "sumac scope",
            Id::SumacJoin => "sumac join",
            Id::Rayon => "rayon",
            Id::Chili => "chili",
            #[cfg(feature = "forte")]
            Id::Forte => "forte",
            Id::Planted => "planted",
        })
    }
}

/// Something to be done with a contender that is known only by name.
pub(crate) trait Visit {
    /// What comes of it.
    type Out;

    /// Does it with the contender `C`.
    fn visit<C: Contender + 'static>(self) -> Self::Out;
}

/// Does `what` with the contender called `id`.
pub(crate) fn visit<V: Visit>(id: Id, what: V) -> V::Out {
    match id {
        Id::Baseline => what.visit::<Baseline>(),
        Id::RightFirst => what.visit::<RightFirst>(),
        Id::StaticSplit => what.visit::<StaticSplit>(),
        Id::SumacScope => what.visit::<SumacScope>(),
        Id::SumacJoin => what.visit::<SumacJoin>(),
        Id::Rayon => what.visit::<Rayon>(),
        Id::Chili => what.visit::<Chili>(),
        #[cfg(feature = "forte")]
        Id::Forte => what.visit::<Forte>(),
        Id::Planted => what.visit::<Planted>(),
    }
}

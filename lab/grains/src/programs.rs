//! The list of programs.

use crate::input::Input;
use crate::texts::{CALLS, NONE, SEQUENTIAL, TUNED, by_rayon, by_sumac};

/// Takes the input, gives the answer.
pub(crate) type Text = fn(&Input) -> Vec<u64>;

/// The columns, in the order of `Program::texts`.
pub(crate) const CONTENDERS: [&str; 6] = [
    "sequential",
    "calls, no cut-off",
    "rayon tuned",
    "rayon none",
    "sumac tuned",
    "sumac none",
];

/// One program in all its texts.
#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) name: &'static str,
    pub(crate) texts: [Text; 6],
}

macro_rules! programs {
    ($($name:literal $text:ident),* $(,)?) => {
        &[$(Program {
            name: $name,
            texts: [
                by_rayon::$text::<SEQUENTIAL>,
                by_rayon::$text::<CALLS>,
                |input| by_rayon::inside(|| by_rayon::$text::<TUNED>(input)),
                |input| by_rayon::inside(|| by_rayon::$text::<NONE>(input)),
                |input| by_sumac::inside(|| by_sumac::$text::<TUNED>(input)),
                |input| by_sumac::inside(|| by_sumac::$text::<NONE>(input)),
            ],
        }),*]
    };
}

/// All programs.
pub(crate) const PROGRAMS: &[Program] = programs![
    "sort" sort,
    "histogram" histogram,
    "search" search,
    "forest" forest,
    "hull" hull,
    "neighbours" neighbours,
];

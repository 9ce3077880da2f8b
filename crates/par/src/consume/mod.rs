//! Consumers: the sinks that loops end in.

pub(crate) mod collect;
mod each_run;
mod fallible;
pub(crate) mod find;
pub(crate) mod for_each;
mod from;
#[cfg(test)]
mod liars;
pub(crate) mod reduce;
pub(crate) mod slots;
pub(crate) mod sum;
mod text;
pub(crate) mod try_reduce;
pub(crate) mod unzip;

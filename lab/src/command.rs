//! One file per command: its arguments, the experiments it runs, the tables it makes of them.

#[cfg(feature = "full")]
pub(crate) mod full;
pub(crate) mod tour;

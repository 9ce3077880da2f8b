//! The instruments of sumac: work and span of programs (the feature `profile`), and what the
//! threads of a pool did when (the feature `trace`).
//!
//! Use the crate `sumac`, which re-exports all of this. What the scheduler tells is in `hooks` of
//! `sumac-core`.

#![forbid(unsafe_code)]

#[cfg(feature = "profile")]
mod profile;
#[cfg(feature = "trace")]
mod trace;

#[cfg(feature = "profile")]
pub use self::profile::{BURDEN, Dag, Profile, Profiler, SpeedUp, profile};
#[cfg(feature = "trace")]
pub use self::trace::{Doing, Happened, Lane, Stretch, Trace, Tracing, trace};

//! The events that instruments receive, behind the feature `hooks`: a measured thread reports its
//! strands ([`Measure`]), an observed pool the activities of its threads ([`Lane`]).
//!
//! This interface is for the crate `sumac-instruments`, and not stable for others. Hooks are called
//! between user code and the scheduler's own, under no lock of ours. They do not panic, and neither
//! join nor spawn nor wait. Without an instrument a hook costs one load of a flag; without the
//! feature it costs nothing.

#[cfg(feature = "hooks")]
mod lane;
#[cfg(feature = "hooks")]
mod measure;
#[cfg(feature = "hooks")]
mod observer;
#[cfg_attr(not(feature = "hooks"), path = "off.rs")]
mod on;

// Without the feature nothing is public.
#[cfg_attr(not(feature = "hooks"), allow(unused_imports, unreachable_pub))]
pub use self::on::*;

//! The events that instruments receive, behind the feature `hooks`: a measured thread reports its
//! strands ([`Measure`]), an observed pool the activities of its threads ([`Observer`], [`Lane`]).
//!
//! This interface is for the crate `sumac-instruments`, and not stable for others. Hooks are called
//! between user code and the scheduler's own, under no lock of ours. They do not panic, and neither
//! join nor spawn nor wait. Without an instrument a hook costs one load of a flag; without the
//! feature it costs nothing.

#[cfg(feature = "hooks")]
mod measure;
#[cfg(feature = "hooks")]
mod observe;
#[cfg(not(feature = "hooks"))]
mod off;

#[cfg(not(feature = "hooks"))]
pub(crate) use self::off::*;
#[cfg(feature = "hooks")]
pub use self::{
    measure::{Begin, Measure, TaskEnds, measure_by, measured, waiting},
    observe::{Event, Lane, Observed, Observer, Seat},
};
#[cfg(feature = "hooks")]
pub(crate) use self::{
    measure::{Ends, Spawned, awaited, end_block, enter_loop, join, join_both, pause},
    observe::{LaneOf, ObserverOf},
};
#[cfg(feature = "hooks")]
pub use crate::protocol::times::Phase;

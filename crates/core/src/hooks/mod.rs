//! The events that instruments receive, behind the feature `hooks`: a measured thread reports its
//! strands ([`Measure`]), an observed pool the activities of its threads ([`Observer`], [`Lane`]).
//!
//! This interface is for the crate `sumac-instruments`, and not stable for others. Hooks are called
//! between user code and the scheduler's own, under no lock of ours. They do not panic, and neither
//! join nor spawn nor wait. Without an instrument a hook costs one load of a flag; without the
//! feature it costs nothing.

mod measure;
mod observe;

pub use self::{
    measure::{Begin, Measure, TaskEnds, measure_by, measured, waiting},
    observe::{Event, Lane, Observed, Observer, Seat},
};
pub(crate) use self::{
    measure::{Spawned, awaited, end_block, enter_loop, join, join_both, pause},
    observe::{LaneOf, ObserverOf},
};
pub use crate::protocol::times::Phase;

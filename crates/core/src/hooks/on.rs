//! What the feature `hooks` adds.

pub use super::{
    measure::{Begin, Measure, TaskEnds, measure_by, measured, waiting},
    observe::{Event, Lane, Observed, Observer, Seat},
};
pub(crate) use super::{
    measure::{Ends, Spawned, awaited, end_block, enter_loop, join, join_both, pause},
    observe::{LaneOf, ObserverOf},
};
pub use crate::protocol::times::Phase;

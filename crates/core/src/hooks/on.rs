//! What the feature `hooks` adds.

pub(crate) use super::{
    lane::LaneOf,
    measure::{Ends, Spawned, awaited, end_block, enter_loop, join, join_both, pause},
    observer::ObserverOf,
};
pub use super::{
    lane::{Event, Lane},
    measure::{Begin, Measure, TaskEnds, measure_by, measured, waiting},
    observer::{Observer, Seat},
};
pub use crate::protocol::times::Phase;

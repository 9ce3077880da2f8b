//! What the feature `hooks` adds.

pub(crate) use super::{
    lane::LaneOf,
    measure::{Ends, Spawned, awaited, end_block, enter_loop, join, join_both, pause},
};
pub use super::{
    lane::{Event, Lane},
    measure::{Begin, Measure, TaskEnds, measure_by, measured, waiting},
};
pub use crate::protocol::times::Phase;

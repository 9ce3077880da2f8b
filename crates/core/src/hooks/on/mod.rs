//! What the feature `hooks` adds.

mod measure;
mod observe;

pub use self::{
    measure::{Begin, Measure, TaskEnds, measure_by, measured, waiting},
    observe::{Event, Lane, Observed, Observer, Seat},
};
pub(crate) use self::{
    measure::{Ends, Spawned, awaited, end_block, enter_loop, join, join_both, pause},
    observe::{LaneOf, ObserverOf},
};
pub use crate::protocol::times::Phase;

//! What instruments see of the scheduler, behind the feature `hooks`: a thread that is measured
//! tells of its strands ([`Measure`]), a pool that is observed of what its threads do
//! ([`Observer`], [`Lane`]).
//!
//! All of it is for the crate `sumac-instruments`, and no promise to others. Hooks are called
//! between user code and the scheduler's own, under no lock of ours. They do not panic, and they
//! neither join nor spawn nor wait. Without an instrument a hook is one look at a flag; without the
//! feature it is nothing.

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

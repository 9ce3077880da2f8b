//! Adaptors, one per file or family. `filter` is the model of those that are sinks only, `zip` of
//! those that are producers; adaptors that turn one item into one are actions, like those in `map`.
//!
//! Shared parts: `at` (runs at other positions), `each` (one item from one), `group` (one item from
//! several), `original` (the first value of each run).

mod at;
pub(crate) mod each;
pub(crate) mod group;
pub(crate) mod original;
pub(crate) mod transform;

pub(crate) mod chain;
pub(crate) mod chunks;
pub(crate) mod deterministic;
pub(crate) mod enumerate;
pub(crate) mod filter;
pub(crate) mod flat_map;
pub(crate) mod fold;
pub(crate) mod hints;
pub(crate) mod interleave;
pub(crate) mod intersperse;
pub(crate) mod map;
pub(crate) mod max_len;
pub(crate) mod multizip;
pub(crate) mod panic_fuse;
pub(crate) mod rev;
pub(crate) mod step_by;
pub(crate) mod take;
pub(crate) mod try_fold;
pub(crate) mod until;
pub(crate) mod zip;

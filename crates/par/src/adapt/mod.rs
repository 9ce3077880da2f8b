//! Adaptors, one per file or family. `filter` is the model of those that are sinks only, `zip` of
//! those that are producers; what makes one item of each is an action, like those in `map`.
//!
//! What several of them share: `at` (runs elsewhere), `each` (one item of each), `group` (one of
//! each so many), `original` (what each run begins with).

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

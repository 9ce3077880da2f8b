//! The protocol of batching: how operations that arrive together become a batch, who leads it, and
//! how its callers get their answers. Structures are only what leaders carry out operations on.

#[cfg(not(all(test, loom)))]
pub(crate) use gate::Gate;
/// In models a gate whose steps can go wrong.
#[cfg(all(test, loom))]
pub(crate) use gate::faulty::Gate;

#[cfg(not(loom))]
pub(crate) mod answer;
#[cfg(not(loom))]
pub(crate) mod batched;
#[cfg(not(loom))]
#[allow(unsafe_code)]
pub(crate) mod combining;
#[allow(unsafe_code)]
pub(crate) mod gate;
#[cfg(not(loom))]
#[allow(unsafe_code)]
pub(crate) mod lead;
#[cfg(all(test, loom))]
#[allow(unsafe_code)]
mod models;
#[cfg(not(loom))]
#[allow(unsafe_code)]
pub(crate) mod reading;
#[allow(unsafe_code)]
pub(crate) mod record;
#[cfg(not(loom))]
pub(crate) mod stats;
#[cfg(not(loom))]
#[allow(unsafe_code)]
pub(crate) mod submit;
#[allow(unsafe_code)]
pub(crate) mod turns;

//! Adaptors, one per file. `filter` is the model of those that are sinks only, `map` and `zip` of those that are producers.

pub(crate) mod filter;
pub(crate) mod map;
pub(crate) mod zip;

//! The instruments of sumac: a profiler of work and span (the feature `profile`), and a tracer of
//! the threads of a pool (the feature `trace`).
//!
//! Use the crate `sumac`, which re-exports all of this. The events are defined in `hooks` of
//! `sumac-core`.

#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "profile")]
#[cfg_attr(docsrs, doc(cfg(feature = "profile")))]
pub mod profile;
#[cfg(feature = "trace")]
#[cfg_attr(docsrs, doc(cfg(feature = "trace")))]
pub mod trace;

#[cfg(feature = "profile")]
#[cfg_attr(docsrs, doc(cfg(feature = "profile")))]
pub use self::profile::profile;
#[cfg(feature = "trace")]
#[cfg_attr(docsrs, doc(cfg(feature = "trace")))]
pub use self::trace::trace;

//! The instruments of sumac: work and span of programs (the feature `profile`), and what the
//! threads of a pool did when (the feature `trace`).
//!
//! Use the crate `sumac`, which re-exports all of this. What the scheduler tells is in `hooks` of
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

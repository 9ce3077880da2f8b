//! Fork everywhere, pay nowhere.
#![forbid(unsafe_code)]
pub use sumac_core::*;

#[cfg(doctest)]
mod compile_fail;

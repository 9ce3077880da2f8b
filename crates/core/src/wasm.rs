//! What std lacks on WebAssembly without WASI: a clock, and without atomics threads.

#[cfg_attr(target_feature = "atomics", path = "wasm/web.rs")]
#[cfg_attr(not(target_feature = "atomics"), path = "wasm/alone.rs")]
mod lacking;

pub use self::lacking::*;
pub(crate) use self::lacking::{Instant, spin_loop};

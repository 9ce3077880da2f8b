//! What std lacks on WebAssembly without WASI: a clock, and without atomics threads.

#[cfg(not(target_feature = "atomics"))]
mod alone;
#[cfg(target_feature = "atomics")]
mod web;

#[cfg(not(target_feature = "atomics"))]
#[doc(hidden)]
pub use self::alone::wait_alone;
#[cfg(not(target_feature = "atomics"))]
pub(crate) use self::alone::{Instant, wait_alone as spin_loop};
#[cfg(target_feature = "atomics")]
pub use self::web::set_clock;
#[cfg(target_feature = "atomics")]
pub(crate) use {self::web::Instant, std::hint::spin_loop};

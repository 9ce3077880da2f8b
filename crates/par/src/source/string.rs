//! `String`: the iterator that drains one.
//!
//! ```
//! use sumac::prelude::*;
//!
//! let mut text = String::from("fork, join");
//! let drain: sumac::string::Drain<'_> = text.par_drain(4..);
//! assert_eq!(drain.collect::<String>(), ", join");
//! assert_eq!(text, "fork");
//! ```

pub use super::text::Drain;

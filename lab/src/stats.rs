//! What is said about samples: their summary, and how sure a median is.

#[cfg(feature = "full")]
mod estimate;

#[cfg(feature = "full")]
pub(crate) use estimate::{Estimate, Ratio};
pub(crate) use sumac_record::stats::*;

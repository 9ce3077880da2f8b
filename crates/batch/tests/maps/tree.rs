//! The suite for trees.

use sumac_batch::Tree as Map;

#[path = "nan.rs"]
mod nan;
#[path = "panics.rs"]
mod panics;
#[path = "suite.rs"]
mod suite;

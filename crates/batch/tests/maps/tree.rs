//! The suite for trees.

use sumac_batch::Tree as Map;

#[path = "panics.rs"]
mod panics;
#[path = "suite.rs"]
mod suite;

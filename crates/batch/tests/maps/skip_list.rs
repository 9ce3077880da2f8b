//! The suite for skip lists.

use sumac_batch::SkipList as Map;

#[path = "nan.rs"]
mod nan;
#[path = "panics.rs"]
mod panics;
#[path = "suite.rs"]
mod suite;

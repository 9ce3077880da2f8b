//! Programs for the explorer: small, and each with all the parts of what it is about. Each asserts
//! its results, that every closure ran exactly once, and that all threads have ended.

mod joins;

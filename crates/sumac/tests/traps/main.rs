//! The known traps of fork/join libraries, each as a small program under a watchdog.
//! Every test is named after what must hold; a comment names the library that once failed it.
//! What the types alone forbid is in `src/compile_fail.rs`; locks across joins are in `waiting.rs`.

mod carried;
#[cfg(unix)]
mod fork;
mod frames;
mod offers;
mod payloads;
mod process;
mod replaced;
#[cfg(unix)]
mod shutdown;
mod tree;

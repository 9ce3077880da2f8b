//! The adder on MPI's C interface as `mpi-sys` binds it. All of it is in `adder.rs`, which alone
//! has unsafe code.

#![deny(unsafe_code)]

mod adder;
mod ffi;

use std::process::ExitCode;

/// What it is called, and by the first comparison's method.
const NAMES: [&str; 2] = ["rust-mpi-binding", "rust-mpi-binding-first"];

fn main() -> ExitCode {
    adder::main()
}

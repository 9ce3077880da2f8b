//! The adder on MPI's C interface by the standard ABI: built without any MPI, its library loaded
//! when it starts, its constants constants. The code is that of `rust-mpi-binding`.

#![deny(unsafe_code)]

#[path = "../rust-mpi-binding/adder.rs"]
#[allow(unused_unsafe, reason = "constants are constants of Rust")]
mod adder;
mod ffi;

use std::process::ExitCode;

/// What it is called, and by the first comparison's method.
const NAMES: [&str; 2] = ["rust-mpi-abi", "rust-mpi-abi-first"];

fn main() -> ExitCode {
    if let Err(error) = ffi::load() {
        sumac_adders::complain(NAMES[0], &error);
        return ExitCode::FAILURE;
    }
    adder::main()
}

//! The adder on MPI's C interface. All of it is in `adder.rs`, which alone has unsafe code.

#![deny(unsafe_code)]

mod adder;

use std::process::ExitCode;

fn main() -> ExitCode {
    adder::main()
}

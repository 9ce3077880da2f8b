//! What MPI's constants cost in Rust where they are constants: the calls of `rust-mpi-constants` by
//! the standard ABI.
//!
//!     mpiexec -n 1 rust-mpi-abi-constants abi probe|count CALLS
//!     mpiexec -n 2 rust-mpi-abi-constants abi trip CALLS

#![deny(unsafe_code)]

#[allow(unused_unsafe, reason = "constants are constants of Rust")]
mod binding;
mod calls;
#[path = "../rust-mpi-abi/ffi.rs"]
mod ffi;

use std::process::ExitCode;

fn main() -> ExitCode {
    if let Err(error) = ffi::load() {
        eprintln!("rust-mpi-abi-constants: {error}");
        return ExitCode::FAILURE;
    }
    calls::main(|_, what, rank, calls| calls::on_the_interface(what, rank, calls))
}

//! What MPI's constants cost in Rust, where they are loaded from memory: two of the smallest calls
//! that take them, and a round trip of eight bytes, as in `adders/c/constants.c`, on MPI's C
//! interface and on the `mpi` crate. `rust-mpi-abi-constants` has the same by the standard ABI.
//!
//!     mpiexec -n 1 rust-mpi-constants binding|wrapper|roomy|held probe|count CALLS
//!     mpiexec -n 2 rust-mpi-constants binding|wrapper trip CALLS
//!
//! `roomy` is the binding with a frame as C's, `held` that with constants that are loaded once for
//! all calls.
//!
//! Prints the nanoseconds of a call, the median of a hundred batches.

#![deny(unsafe_code)]

mod binding;
mod calls;
#[path = "../rust-mpi-binding/ffi.rs"]
mod ffi;
mod framed;

use calls::timed;
use mpi::{
    point_to_point::{self, Message, Status},
    topology::{Process, SimpleCommunicator},
    traits::*,
};
use std::process::ExitCode;

/// Whether a message is there.
#[inline(never)]
fn handles_probe(world: &SimpleCommunicator) -> i32 {
    world.any_process().immediate_probe().is_some().into()
}

/// How many numbers a message had.
#[inline(never)]
fn handles_count(status: &Status) -> i32 {
    status.count(f64::equivalent_datatype())
}

/// Waits for a message of a rank.
#[inline(never)]
fn handles_mprobe(other: &Process<'_>) -> (Message, Status) {
    other.matched_probe()
}

/// A number's way to the other of two ranks and back, where it is made one greater. Whether it was.
fn trip(rank: i32, other: &Process<'_>, number: &mut f64) -> bool {
    let before = *number;
    if rank == 0 {
        other.send(number);
    }
    let (message, _) = handles_mprobe(other);
    message.matched_receive_into(number);
    if rank == 1 {
        *number += 1.0;
        other.send(number);
    }
    *number == before + 1.0
}

fn main() -> ExitCode {
    calls::main(|who, what, rank, calls| match (who, what) {
        ("binding", _) => calls::on_the_interface(what, rank, calls),
        ("roomy", "probe") => timed(calls, 0, framed::roomy::handles_probe),
        ("held", "probe") => {
            let ((source, tag, world, ignore), _) = framed::held::constants();
            timed(calls, 0, || {
                framed::held::handles_probe(source, tag, world, ignore)
            })
        }
        ("roomy", "count") => {
            let status = binding::status();
            timed(calls, 3, || framed::roomy::handles_count(&status))
        }
        ("held", "count") => {
            let (status, (_, kind)) = (binding::status(), framed::held::constants());
            timed(calls, 3, || framed::held::handles_count(&status, kind))
        }
        ("wrapper", "probe") => {
            let world = SimpleCommunicator::world();
            timed(calls, 0, || handles_probe(&world))
        }
        ("wrapper", "count") => {
            let myself = SimpleCommunicator::self_comm();
            let (own, mut received) = (myself.this_process(), [0_f64; 3]);
            let sent = [1_f64, 2.0, 3.0];
            let status =
                point_to_point::send_receive_into(&sent[..], &own, &mut received[..], &own);
            timed(calls, 3, || handles_count(&status))
        }
        ("wrapper", _) => {
            let world = SimpleCommunicator::world();
            let (other, mut number) = (world.process_at_rank(1 - rank), 0.0);
            timed(calls, 1, || trip(rank, &other, &mut number).into())
        }
        _ => None,
    })
}

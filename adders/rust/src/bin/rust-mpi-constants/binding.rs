//! The calls on MPI's C interface, as `mpi-sys` binds it or by the standard ABI.

#![allow(unsafe_code)]

use crate::ffi::{self, MPI_Message, MPI_Status};
use std::{ffi::c_void, mem::MaybeUninit, ptr};

/// Whether a message is there.
#[inline(never)]
pub(crate) fn handles_probe() -> i32 {
    let mut there = 0;
    // SAFETY: The caller has MPI initialised, or MPI ends the process. The constants are MPI's,
    // which no code writes; the call writes to a local.
    unsafe {
        ffi::MPI_Iprobe(
            ffi::MPI_ANY_SOURCE,
            ffi::MPI_ANY_TAG,
            ffi::MPI_COMM_WORLD,
            &mut there,
            ffi::MPI_STATUS_IGNORE,
        )
    };
    there
}

/// How many numbers a message had.
#[inline(never)]
pub(crate) fn handles_count(status: &MPI_Status) -> i32 {
    let mut count = 0;
    // SAFETY: As above; the call reads the status.
    unsafe { ffi::MPI_Get_count(status, ffi::MPI_DOUBLE, &mut count) };
    count
}

/// Waits for a message of a rank.
#[inline(never)]
pub(crate) fn handles_mprobe(from: i32, message: &mut MPI_Message, status: &mut MPI_Status) -> i32 {
    // SAFETY: As above; the call writes to what it is given.
    unsafe { ffi::MPI_Mprobe(from, ffi::MPI_ANY_TAG, ffi::MPI_COMM_WORLD, message, status) }
}

/// A number's way to the other of two ranks and back, where it is made one greater. Whether it was.
pub(crate) fn trip(rank: i32, number: &mut f64, status: &mut MPI_Status) -> bool {
    let (other, before) = (1 - rank, *number);
    if rank == 0 {
        send(other, number);
    }
    // SAFETY: As above.
    let mut message = unsafe { ffi::MPI_MESSAGE_NULL };
    handles_mprobe(other, &mut message, status);
    let place = ptr::from_mut(number).cast::<c_void>();
    // SAFETY: As above; a message that was found, and a place for one number.
    unsafe { ffi::MPI_Mrecv(place, 1, ffi::MPI_DOUBLE, &mut message, status) };
    if rank == 1 {
        *number += 1.0;
        send(other, number);
    }
    *number == before + 1.0
}

fn send(to: i32, number: &f64) {
    let place = ptr::from_ref(number).cast::<c_void>();
    // SAFETY: As above; the call reads one number before it returns.
    unsafe { ffi::MPI_Send(place, 1, ffi::MPI_DOUBLE, to, 0, ffi::MPI_COMM_WORLD) };
}

/// Initialises MPI, and returns this process's rank.
pub(crate) fn initialise() -> i32 {
    let (mut level, mut rank) = (0, 0);
    let (argc, argv) = (ptr::null_mut(), ptr::null_mut());
    // SAFETY: The first call of MPI, which writes to a local.
    unsafe { ffi::MPI_Init_thread(argc, argv, ffi::MPI_THREAD_FUNNELED, &mut level) };
    // SAFETY: As above.
    unsafe { ffi::MPI_Comm_rank(ffi::MPI_COMM_WORLD, &mut rank) };
    rank
}

pub(crate) fn finalise() {
    // SAFETY: The last call of MPI; nothing is pending.
    unsafe { ffi::MPI_Finalize() };
}

/// The status of three numbers that this rank sent to itself.
pub(crate) fn status() -> MPI_Status {
    let (sent, mut received) = ([1_f64, 2.0, 3.0], [0_f64; 3]);
    let from = sent.as_ptr().cast::<c_void>();
    let to = ptr::from_mut(&mut received).cast::<c_void>();
    let mut status = MaybeUninit::uninit();
    // SAFETY: As above; both memories have three numbers, and are the call's until it returns.
    unsafe {
        let (kind, myself) = (ffi::MPI_DOUBLE, ffi::MPI_COMM_SELF);
        let place = status.as_mut_ptr();
        ffi::MPI_Sendrecv(from, 3, kind, 0, 1, to, 3, kind, 0, 1, myself, place)
    };
    // SAFETY: MPI_Sendrecv wrote it; had it failed, MPI would have ended the process.
    unsafe { status.assume_init() }
}

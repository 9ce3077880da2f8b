//! The two calls on MPI's C interface as `mpi-sys` binds it.

#![allow(unsafe_code)]

use mpi::ffi::{self, MPI_Comm, MPI_Datatype, MPI_Status};
use std::{ffi::c_void, mem::MaybeUninit, ptr};

/// Whether a message is there.
#[inline(never)]
pub(crate) fn handles_probe() -> i32 {
    let mut there = 0;
    // SAFETY: The caller has MPI initialised, or MPI ends the process. The constants are MPI's,
    // which no code writes; the call writes to a local.
    unsafe {
        ffi::MPI_Iprobe(
            ffi::RSMPI_ANY_SOURCE,
            ffi::RSMPI_ANY_TAG,
            ffi::RSMPI_COMM_WORLD,
            &mut there,
            ffi::RSMPI_STATUS_IGNORE,
        )
    };
    there
}

/// How many numbers a message had.
#[inline(never)]
pub(crate) fn handles_count(status: &MPI_Status) -> i32 {
    let mut count = 0;
    // SAFETY: As above; the call reads the status.
    unsafe { ffi::MPI_Get_count(status, ffi::RSMPI_DOUBLE, &mut count) };
    count
}

/// A result with so much room around it that the compiler makes the frame as C's does, by a
/// subtraction, not by a push.
type Roomy = MaybeUninit<[i32; 4]>;

/// Both calls in frames as C's.
pub(crate) mod roomy {
    use super::{MPI_Status, Roomy, ffi};

    /// Whether a message is there.
    #[inline(never)]
    pub(crate) fn handles_probe() -> i32 {
        let mut room = Roomy::uninit();
        let there = room.as_mut_ptr().cast::<i32>();
        // SAFETY: As above.
        unsafe {
            ffi::MPI_Iprobe(
                ffi::RSMPI_ANY_SOURCE,
                ffi::RSMPI_ANY_TAG,
                ffi::RSMPI_COMM_WORLD,
                there,
                ffi::RSMPI_STATUS_IGNORE,
            )
        };
        // SAFETY: The call has written it.
        unsafe { *there }
    }

    /// How many numbers a message had.
    #[inline(never)]
    pub(crate) fn handles_count(status: &MPI_Status) -> i32 {
        let mut room = Roomy::uninit();
        let count = room.as_mut_ptr().cast::<i32>();
        // SAFETY: As above.
        unsafe { ffi::MPI_Get_count(status, ffi::RSMPI_DOUBLE, count) };
        // SAFETY: The call has written it.
        unsafe { *count }
    }
}

/// Both calls in frames as C's, with constants that the caller has loaded, once for all calls: what
/// is left when no call loads any.
pub(crate) mod held {
    use super::{MPI_Comm, MPI_Datatype, MPI_Status, Roomy, ffi};

    /// The constants, in the order of MPI_Iprobe's arguments, and of MPI_Get_count's.
    pub(crate) fn constants() -> ((i32, i32, MPI_Comm, *mut MPI_Status), MPI_Datatype) {
        // SAFETY: Constants of MPI's, which no code writes.
        unsafe {
            let (source, tag) = (ffi::RSMPI_ANY_SOURCE, ffi::RSMPI_ANY_TAG);
            let (world, ignore) = (ffi::RSMPI_COMM_WORLD, ffi::RSMPI_STATUS_IGNORE);
            ((source, tag, world, ignore), ffi::RSMPI_DOUBLE)
        }
    }

    /// Whether a message is there.
    #[inline(never)]
    pub(crate) fn handles_probe(
        source: i32,
        tag: i32,
        world: MPI_Comm,
        ignore: *mut MPI_Status,
    ) -> i32 {
        let mut room = Roomy::uninit();
        let there = room.as_mut_ptr().cast::<i32>();
        // SAFETY: As above.
        unsafe { ffi::MPI_Iprobe(source, tag, world, there, ignore) };
        // SAFETY: The call has written it.
        unsafe { *there }
    }

    /// How many numbers a message had.
    #[inline(never)]
    pub(crate) fn handles_count(status: &MPI_Status, kind: MPI_Datatype) -> i32 {
        let mut room = Roomy::uninit();
        let count = room.as_mut_ptr().cast::<i32>();
        // SAFETY: As above.
        unsafe { ffi::MPI_Get_count(status, kind, count) };
        // SAFETY: The call has written it.
        unsafe { *count }
    }
}

/// The status of three numbers that this rank sent to itself.
pub(crate) fn status() -> MPI_Status {
    let (sent, mut received) = ([1_f64, 2.0, 3.0], [0_f64; 3]);
    let from = sent.as_ptr().cast::<c_void>();
    let to = ptr::from_mut(&mut received).cast::<c_void>();
    let mut status = MaybeUninit::uninit();
    // SAFETY: As above; both memories have three numbers, and are the call's until it returns.
    unsafe {
        let (kind, myself) = (ffi::RSMPI_DOUBLE, ffi::RSMPI_COMM_SELF);
        let place = status.as_mut_ptr();
        ffi::MPI_Sendrecv(from, 3, kind, 0, 1, to, 3, kind, 0, 1, myself, place)
    };
    // SAFETY: MPI_Sendrecv wrote it; had it failed, MPI would have ended the process.
    unsafe { status.assume_init() }
}

//! The two small calls in other frames, to see what loads of constants cost and what frames do.

#![allow(unsafe_code)]

use crate::ffi::{self, MPI_Comm, MPI_Datatype, MPI_Status};
use std::mem::MaybeUninit;

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
        // SAFETY: As in `binding.rs`.
        unsafe {
            ffi::MPI_Iprobe(
                ffi::MPI_ANY_SOURCE,
                ffi::MPI_ANY_TAG,
                ffi::MPI_COMM_WORLD,
                there,
                ffi::MPI_STATUS_IGNORE,
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
        // SAFETY: As in `binding.rs`.
        unsafe { ffi::MPI_Get_count(status, ffi::MPI_DOUBLE, count) };
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
            let (source, tag) = (ffi::MPI_ANY_SOURCE, ffi::MPI_ANY_TAG);
            let (world, ignore) = (ffi::MPI_COMM_WORLD, ffi::MPI_STATUS_IGNORE);
            ((source, tag, world, ignore), ffi::MPI_DOUBLE)
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
        // SAFETY: As in `binding.rs`.
        unsafe { ffi::MPI_Iprobe(source, tag, world, there, ignore) };
        // SAFETY: The call has written it.
        unsafe { *there }
    }

    /// How many numbers a message had.
    #[inline(never)]
    pub(crate) fn handles_count(status: &MPI_Status, kind: MPI_Datatype) -> i32 {
        let mut room = Roomy::uninit();
        let count = room.as_mut_ptr().cast::<i32>();
        // SAFETY: As in `binding.rs`.
        unsafe { ffi::MPI_Get_count(status, kind, count) };
        // SAFETY: The call has written it.
        unsafe { *count }
    }
}

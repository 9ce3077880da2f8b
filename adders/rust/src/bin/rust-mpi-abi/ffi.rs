//! MPI's C interface by the standard ABI, as far as the adder and the program about constants use
//! it: functions are loaded from `libmpi_abi.so.1`, constants are constants.

#![allow(unsafe_code)]
#![allow(
    non_snake_case,
    non_camel_case_types,
    non_upper_case_globals,
    reason = "the standard's names"
)]
#![allow(clippy::too_many_arguments, reason = "as in the standard")]
#![allow(dead_code, reason = "each program uses a part of it")]

use std::{
    ffi::{c_char, c_int, c_void},
    mem, ptr,
    sync::atomic::{AtomicPtr, Ordering::Relaxed},
};

macro_rules! functions {
    ($($name:ident($($argument:ident: $type:ty),*);)*) => {
        /// Where the functions are.
        mod places {
            use super::*;

            $(pub(super) static $name: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());)*
        }

        $(
            /// # Safety
            /// As in the standard, and [`load`] has returned in order.
            pub(crate) unsafe fn $name($($argument: $type),*) -> c_int {
                type Function = unsafe extern "C" fn($($type),*) -> c_int;
                let place = places::$name.load(Relaxed);
                // SAFETY: by contract it is the address of this function, whose type this is.
                let function = unsafe { mem::transmute::<*mut c_void, Function>(place) };
                // SAFETY: by contract.
                unsafe { function($($argument),*) }
            }
        )*

        /// Loads the library, for ever. Its name says that it has the standard ABI, version 1.
        pub(crate) fn load() -> Result<(), libloading::Error> {
            // SAFETY: what runs when an MPI is loaded has no conditions.
            let library = unsafe { libloading::Library::new("libmpi_abi.so.1") }?;
            $(
                // SAFETY: only its address is taken.
                let address = unsafe { library.get::<*mut c_void>(stringify!($name).as_bytes()) }?;
                places::$name.store(*address, Relaxed);
            )*
            mem::forget(library);
            Ok(())
        }

        #[cfg(test)]
        const SIGNATURES: &[(&str, &[&str])] =
            &[$((stringify!($name), &[$(stringify!($type)),*])),*];
    };
}

functions! {
    MPI_Abort(comm: MPI_Comm, errorcode: c_int);
    MPI_Barrier(comm: MPI_Comm);
    MPI_Comm_rank(comm: MPI_Comm, rank: *mut c_int);
    MPI_Comm_set_errhandler(comm: MPI_Comm, errhandler: MPI_Errhandler);
    MPI_Comm_size(comm: MPI_Comm, size: *mut c_int);
    MPI_Finalize();
    MPI_Get_count(status: *const MPI_Status, datatype: MPI_Datatype, count: *mut c_int);
    MPI_Ibarrier(comm: MPI_Comm, request: *mut MPI_Request);
    MPI_Init_thread(
        argc: *mut c_int, argv: *mut *mut *mut c_char, required: c_int, provided: *mut c_int
    );
    MPI_Iprobe(
        source: c_int, tag: c_int, comm: MPI_Comm, flag: *mut c_int, status: *mut MPI_Status
    );
    MPI_Irecv(
        buf: *mut c_void, count: c_int, datatype: MPI_Datatype, source: c_int, tag: c_int,
        comm: MPI_Comm, request: *mut MPI_Request
    );
    MPI_Isend(
        buf: *const c_void, count: c_int, datatype: MPI_Datatype, dest: c_int, tag: c_int,
        comm: MPI_Comm, request: *mut MPI_Request
    );
    MPI_Mprobe(
        source: c_int, tag: c_int, comm: MPI_Comm, message: *mut MPI_Message,
        status: *mut MPI_Status
    );
    MPI_Mrecv(
        buf: *mut c_void, count: c_int, datatype: MPI_Datatype, message: *mut MPI_Message,
        status: *mut MPI_Status
    );
    MPI_Recv(
        buf: *mut c_void, count: c_int, datatype: MPI_Datatype, source: c_int, tag: c_int,
        comm: MPI_Comm, status: *mut MPI_Status
    );
    MPI_Send(
        buf: *const c_void, count: c_int, datatype: MPI_Datatype, dest: c_int, tag: c_int,
        comm: MPI_Comm
    );
    MPI_Sendrecv(
        sendbuf: *const c_void, sendcount: c_int, sendtype: MPI_Datatype, dest: c_int,
        sendtag: c_int, recvbuf: *mut c_void, recvcount: c_int, recvtype: MPI_Datatype,
        source: c_int, recvtag: c_int, comm: MPI_Comm, status: *mut MPI_Status
    );
    MPI_Test(request: *mut MPI_Request, flag: *mut c_int, status: *mut MPI_Status);
    MPI_Waitall(count: c_int, requests: *mut MPI_Request, statuses: *mut MPI_Status);
}

#[repr(C)]
pub(crate) struct MPI_Status {
    MPI_SOURCE: c_int,
    MPI_TAG: c_int,
    MPI_ERROR: c_int,
    MPI_internal: [c_int; 5],
}

/// Declares types of handles, and the constants among them.
macro_rules! handles {
    ($($type:ident { $($name:ident = $number:literal),* })*) => {
        $(
            #[derive(Clone, Copy)]
            #[repr(transparent)]
            pub(crate) struct $type(*mut c_void);

            $(pub(crate) const $name: $type = $type(ptr::without_provenance_mut($number));)*
        )*

        #[cfg(test)]
        const HANDLES: &[(&str, &str, usize)] =
            &[$($((stringify!($name), stringify!($type), $number),)*)*];
    };
}

handles! {
    MPI_Comm { MPI_COMM_WORLD = 0x101, MPI_COMM_SELF = 0x102 }
    MPI_Datatype { MPI_DOUBLE = 0x214, MPI_UINT8_T = 0x241, MPI_UINT64_T = 0x259 }
    MPI_Errhandler { MPI_ERRORS_RETURN = 0x143 }
    MPI_Message { MPI_MESSAGE_NULL = 0x128 }
    MPI_Request { MPI_REQUEST_NULL = 0x180 }
}

pub(crate) const MPI_ANY_SOURCE: c_int = -1;
pub(crate) const MPI_ANY_TAG: c_int = -2;
pub(crate) const MPI_THREAD_FUNNELED: c_int = 1024;
pub(crate) const MPI_STATUS_IGNORE: *mut MPI_Status = ptr::null_mut();
pub(crate) const MPI_STATUSES_IGNORE: *mut MPI_Status = ptr::null_mut();

#[cfg(test)]
#[path = "../../../../../crates/mpi/src/transport/mpi/header.rs"]
mod header;

#[cfg(test)]
mod tests {
    use super::{HANDLES, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_THREAD_FUNNELED, SIGNATURES, header};

    #[test]
    #[ignore = "needs the standard's header: ci/mpi.sh"]
    fn as_in_the_header() {
        let numbers = [
            ("MPI_ANY_SOURCE", MPI_ANY_SOURCE),
            ("MPI_ANY_TAG", MPI_ANY_TAG),
            ("MPI_THREAD_FUNNELED", MPI_THREAD_FUNNELED),
        ];
        header::compare(SIGNATURES, HANDLES, &numbers);
    }
}

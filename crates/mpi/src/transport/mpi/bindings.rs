//! MPI's C interface, as far as it is used, after the standard ABI of MPI 5.0: each name, type and
//! number as in its header, with which a test compares them.
//!
//! With the feature `mpi`, the types, constants and functions of the same names are those of the
//! MPI that the program is built for.

#![allow(non_snake_case, non_camel_case_types, reason = "the standard's names")]

use std::ffi::{c_char, c_int, c_void};

#[cfg(feature = "mpi")]
pub(super) use super::linked::*;
#[cfg(not(feature = "mpi"))]
pub(super) use standard::*;

/// Declares functions, each of which returns an error code.
macro_rules! functions {
    ($($name:ident($($argument:ident: $type:ty),*);)*) => {
        /// The functions of an MPI.
        pub(super) struct Functions {
            $(pub(super) $name: unsafe extern "C" fn($($argument: $type),*) -> c_int,)*
        }

        impl Functions {
            /// Takes the functions from a library.
            ///
            /// # Safety
            /// They are those of the standard ABI, and the library stays loaded.
            #[cfg(not(feature = "mpi"))]
            pub(super) unsafe fn load(
                library: &libloading::Library,
            ) -> Result<Self, libloading::Error> {
                $(
                    // SAFETY: by contract this function has this type.
                    let $name = unsafe { library.get(stringify!($name).as_bytes()) }?;
                )*
                Ok(Self { $($name: *$name,)* })
            }

            /// Takes the functions of the MPI that the program was built for.
            #[cfg(feature = "mpi")]
            pub(super) fn linked() -> Self {
                Self { $($name,)* }
            }
        }

        /// For each function: its name, and the types of its arguments.
        #[cfg(all(test, not(feature = "mpi")))]
        const SIGNATURES: &[(&str, &[&str])] =
            &[$((stringify!($name), &[$(stringify!($type)),*])),*];
    };
}

functions! {
    MPI_Abort(comm: MPI_Comm, errorcode: c_int);
    MPI_Allgather(
        sendbuf: *const c_void, sendcount: c_int, sendtype: MPI_Datatype,
        recvbuf: *mut c_void, recvcount: c_int, recvtype: MPI_Datatype, comm: MPI_Comm
    );
    MPI_Comm_dup(comm: MPI_Comm, newcomm: *mut MPI_Comm);
    MPI_Comm_rank(comm: MPI_Comm, rank: *mut c_int);
    MPI_Comm_size(comm: MPI_Comm, size: *mut c_int);
    MPI_Comm_split_type(
        comm: MPI_Comm, split_type: c_int, key: c_int, info: MPI_Info, newcomm: *mut MPI_Comm
    );
    MPI_Compare_and_swap(
        origin_addr: *const c_void, compare_addr: *const c_void, result_addr: *mut c_void,
        datatype: MPI_Datatype, target_rank: c_int, target_disp: MPI_Aint, win: MPI_Win
    );
    MPI_Finalize();
    MPI_Get_count_c(status: *const MPI_Status, datatype: MPI_Datatype, count: *mut MPI_Count);
    MPI_Iallreduce_c(
        sendbuf: *const c_void, recvbuf: *mut c_void, count: MPI_Count, datatype: MPI_Datatype,
        op: MPI_Op, comm: MPI_Comm, request: *mut MPI_Request
    );
    MPI_Improbe(
        source: c_int, tag: c_int, comm: MPI_Comm, flag: *mut c_int, message: *mut MPI_Message,
        status: *mut MPI_Status
    );
    MPI_Imrecv_c(
        buf: *mut c_void, count: MPI_Count, datatype: MPI_Datatype, message: *mut MPI_Message,
        request: *mut MPI_Request
    );
    MPI_Init_thread(
        argc: *mut c_int, argv: *mut *mut *mut c_char, required: c_int, provided: *mut c_int
    );
    MPI_Initialized(flag: *mut c_int);
    MPI_Isend_c(
        buf: *const c_void, count: MPI_Count, datatype: MPI_Datatype, dest: c_int, tag: c_int,
        comm: MPI_Comm, request: *mut MPI_Request
    );
    MPI_Test(request: *mut MPI_Request, flag: *mut c_int, status: *mut MPI_Status);
    MPI_Win_allocate(
        size: MPI_Aint, disp_unit: c_int, info: MPI_Info, comm: MPI_Comm, baseptr: *mut c_void,
        win: *mut MPI_Win
    );
    MPI_Win_allocate_shared(
        size: MPI_Aint, disp_unit: c_int, info: MPI_Info, comm: MPI_Comm, baseptr: *mut c_void,
        win: *mut MPI_Win
    );
    MPI_Win_flush(rank: c_int, win: MPI_Win);
    MPI_Win_free(win: *mut MPI_Win);
    MPI_Win_lock_all(assert: c_int, win: MPI_Win);
    MPI_Win_shared_query(
        win: MPI_Win, rank: c_int, size: *mut MPI_Aint, disp_unit: *mut c_int, baseptr: *mut c_void
    );
    MPI_Win_sync(win: MPI_Win);
    MPI_Win_unlock_all(win: MPI_Win);
}

/// The types and constants of the standard ABI.
#[cfg(not(feature = "mpi"))]
mod standard {
    use std::{
        ffi::{c_int, c_void},
        ptr,
    };

    pub(crate) type MPI_Aint = isize;
    pub(crate) type MPI_Count = i64;

    #[allow(dead_code, reason = "MPI writes it")]
    #[repr(C)]
    pub(crate) struct MPI_Status {
        pub(crate) MPI_SOURCE: c_int,
        pub(crate) MPI_TAG: c_int,
        pub(crate) MPI_ERROR: c_int,
        pub(crate) MPI_internal: [c_int; 5],
    }

    /// Declares types of handles, and the constants among them.
    macro_rules! handles {
        ($($type:ident { $($name:ident = $number:literal),* })*) => {
            $(
                #[allow(dead_code, reason = "MPI reads it")]
                #[derive(Clone, Copy)]
                #[repr(transparent)]
                pub(crate) struct $type(*mut c_void);

                $(pub(crate) const $name: $type = $type(ptr::without_provenance_mut($number));)*
            )*

            /// For each constant: its name, and how the header defines it.
            #[cfg(test)]
            pub(super) const HANDLES: &[(&str, &str, usize)] =
                &[$($((stringify!($name), stringify!($type), $number),)*)*];

            /// The types that must have a pointer's size.
            #[cfg(test)]
            pub(super) const SIZES: &[usize] = &[$(size_of::<$type>()),*];
        };
    }

    handles! {
        MPI_Comm { MPI_COMM_WORLD = 0x101 }
        MPI_Datatype {
            MPI_FLOAT = 0x210,
            MPI_DOUBLE = 0x214,
            MPI_UINT8_T = 0x241,
            MPI_INT32_T = 0x250,
            MPI_UINT32_T = 0x251,
            MPI_INT64_T = 0x258,
            MPI_UINT64_T = 0x259
        }
        MPI_Info { MPI_INFO_NULL = 0x130 }
        MPI_Message {}
        MPI_Op {
            MPI_SUM = 0x21,
            MPI_MIN = 0x22,
            MPI_MAX = 0x23
        }
        MPI_Request {}
        MPI_Win {}
    }

    /// Declares numbers.
    macro_rules! numbers {
        ($($name:ident = $number:literal;)*) => {
            $(pub(crate) const $name: c_int = $number;)*

            /// For each constant: its name and number.
            #[cfg(test)]
            pub(super) const NUMBERS: &[(&str, c_int)] = &[$((stringify!($name), $number)),*];
        };
    }

    numbers! {
        MPI_ANY_TAG = -2;
        MPI_COMM_TYPE_SHARED = 221;
        MPI_THREAD_FUNNELED = 1024;
    }
}

#[cfg(all(test, not(feature = "mpi")))]
#[path = "header.rs"]
mod header;

#[cfg(all(test, not(feature = "mpi")))]
mod tests {
    use super::{
        MPI_Aint, MPI_Count, MPI_Status, SIGNATURES, header,
        standard::{HANDLES, NUMBERS, SIZES},
    };
    use std::{ffi::c_int, mem::offset_of};

    #[test]
    fn types_have_the_sizes_of_the_standard() {
        assert!(SIZES.iter().all(|size| *size == size_of::<*mut ()>()));
        assert_eq!(size_of::<MPI_Aint>(), size_of::<*mut ()>());
        assert_eq!(size_of::<MPI_Count>(), 8);
        assert_eq!(size_of::<MPI_Status>(), size_of::<[c_int; 8]>());
        assert_eq!(offset_of!(MPI_Status, MPI_SOURCE), 0);
        assert_eq!(offset_of!(MPI_Status, MPI_TAG), size_of::<c_int>());
        assert_eq!(offset_of!(MPI_Status, MPI_ERROR), 2 * size_of::<c_int>());
    }

    #[test]
    #[ignore = "needs the standard's header: ci/mpi.sh"]
    fn as_in_the_header() {
        header::compare(SIGNATURES, HANDLES, NUMBERS);
    }
}

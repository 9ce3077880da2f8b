//! The MPI that the program is built for, under the names of the standard ABI. What came with MPI
//! 4.0, counts of 64 bits, is made of what MPI 3 has: no message is longer than its counts allow.

use std::ffi::{c_int, c_void};

pub(super) use mpi_sys::{
    MPI_Abort, MPI_Aint, MPI_Allgather, MPI_Comm, MPI_Comm_dup, MPI_Comm_rank, MPI_Comm_size,
    MPI_Comm_split_type, MPI_Compare_and_swap, MPI_Datatype, MPI_Finalize, MPI_Improbe, MPI_Info,
    MPI_Init_thread, MPI_Initialized, MPI_Message, MPI_Op, MPI_Request, MPI_Status, MPI_Test,
    MPI_Win, MPI_Win_allocate, MPI_Win_allocate_shared, MPI_Win_flush, MPI_Win_free,
    MPI_Win_lock_all, MPI_Win_shared_query, MPI_Win_sync, MPI_Win_unlock_all,
    RSMPI_ANY_TAG as MPI_ANY_TAG, RSMPI_COMM_TYPE_SHARED as MPI_COMM_TYPE_SHARED,
    RSMPI_COMM_WORLD as MPI_COMM_WORLD, RSMPI_DOUBLE as MPI_DOUBLE, RSMPI_FLOAT as MPI_FLOAT,
    RSMPI_INFO_NULL as MPI_INFO_NULL, RSMPI_INT32_T as MPI_INT32_T, RSMPI_INT64_T as MPI_INT64_T,
    RSMPI_MAX as MPI_MAX, RSMPI_MIN as MPI_MIN, RSMPI_SUM as MPI_SUM,
    RSMPI_THREAD_FUNNELED as MPI_THREAD_FUNNELED, RSMPI_UINT8_T as MPI_UINT8_T,
    RSMPI_UINT32_T as MPI_UINT32_T, RSMPI_UINT64_T as MPI_UINT64_T,
};

pub(super) type MPI_Count = i64;

pub(super) unsafe extern "C" fn MPI_Get_count_c(
    status: *const MPI_Status,
    datatype: MPI_Datatype,
    count: *mut MPI_Count,
) -> c_int {
    let mut short = 0;
    // SAFETY: by contract.
    let code = unsafe { mpi_sys::MPI_Get_count(status, datatype, &raw mut short) };
    // SAFETY: by contract.
    unsafe { count.write(short.into()) };
    code
}

pub(super) unsafe extern "C" fn MPI_Iallreduce_c(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    let count = short(count);
    // SAFETY: by contract.
    unsafe { mpi_sys::MPI_Iallreduce(sendbuf, recvbuf, count, datatype, op, comm, request) }
}

pub(super) unsafe extern "C" fn MPI_Imrecv_c(
    buf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    message: *mut MPI_Message,
    request: *mut MPI_Request,
) -> c_int {
    let count = short(count);
    // SAFETY: by contract.
    unsafe { mpi_sys::MPI_Imrecv(buf, count, datatype, message, request) }
}

pub(super) unsafe extern "C" fn MPI_Isend_c(
    buf: *const c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    let count = short(count);
    // SAFETY: by contract.
    unsafe { mpi_sys::MPI_Isend(buf, count, datatype, dest, tag, comm, request) }
}

fn short(count: MPI_Count) -> c_int {
    c_int::try_from(count).expect("a count of MPI 3 is less than 2^31")
}

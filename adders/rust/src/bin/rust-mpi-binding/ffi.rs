//! MPI's C interface as `mpi-sys` binds it, its constants under the standard's names.

#![allow(unused_imports, reason = "each program uses a part of it")]

pub(crate) use mpi::ffi::{
    MPI_Abort, MPI_Barrier, MPI_Comm, MPI_Comm_rank, MPI_Comm_set_errhandler, MPI_Comm_size,
    MPI_Datatype, MPI_Finalize, MPI_Get_count, MPI_Ibarrier, MPI_Init_thread, MPI_Iprobe,
    MPI_Irecv, MPI_Isend, MPI_Message, MPI_Mprobe, MPI_Mrecv, MPI_Recv, MPI_Request, MPI_Send,
    MPI_Sendrecv, MPI_Status, MPI_Test, MPI_Waitall, RSMPI_ANY_SOURCE as MPI_ANY_SOURCE,
    RSMPI_ANY_TAG as MPI_ANY_TAG, RSMPI_COMM_SELF as MPI_COMM_SELF,
    RSMPI_COMM_WORLD as MPI_COMM_WORLD, RSMPI_DOUBLE as MPI_DOUBLE,
    RSMPI_ERRORS_RETURN as MPI_ERRORS_RETURN, RSMPI_MESSAGE_NULL as MPI_MESSAGE_NULL,
    RSMPI_REQUEST_NULL as MPI_REQUEST_NULL, RSMPI_STATUS_IGNORE as MPI_STATUS_IGNORE,
    RSMPI_STATUSES_IGNORE as MPI_STATUSES_IGNORE, RSMPI_THREAD_FUNNELED as MPI_THREAD_FUNNELED,
    RSMPI_UINT8_T as MPI_UINT8_T, RSMPI_UINT64_T as MPI_UINT64_T,
};

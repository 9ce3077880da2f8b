//! Programs on several machines: *ranks*, each with a pool of its own, that send each other
//! messages, on MPI or as threads of one process.
//!
//! By default ranks are threads, and no MPI is needed. Under `mpiexec` the same program runs on any
//! MPI with the standard ABI of MPI 5.0; with the feature `mpi`, on another from 3.0 on.
//!
//! ```
//! use sumac_mpi::World;
//!
//! # fn main() -> Result<(), sumac_mpi::Error> {
//! let results = World::threads(4).run(|comm| {
//!     // Rank 0 has the data. All ranks sum parts of it, with all their threads.
//!     let data: Option<Vec<u64>> = (comm.rank() == 0).then(|| (0..10_000).collect());
//!     let sum = comm.map_reduce(data.as_deref(), 0, |part| part.iter().sum(), |a: u64, b| a + b)?;
//!     // Rank 0 tells the others.
//!     comm.broadcast(0, sum)
//! })?;
//! assert_eq!(results, [49_995_000; 4]);
//! # Ok(())
//! # }
//! ```
//!
//! [`World::new`] is for programs: it uses the ranks of the MPI job, or as many threads as the
//! environment sets.
//!
//! # Operations
//!
//! | | values that serde can serialise | plain numbers in bulk |
//! |---|---|---|
//! | one to all | [`broadcast`](Communicator::broadcast) | [`broadcast_slice`](Communicator::broadcast_slice), [`scatter`](Communicator::scatter) |
//! | all to one | [`gather`](Communicator::gather), [`reduce`](Communicator::reduce) | [`gather_slices`](Communicator::gather_slices) |
//! | all to all | [`all_gather`](Communicator::all_gather), [`all_reduce`](Communicator::all_reduce), [`scan`](Communicator::scan), [`exclusive_scan`](Communicator::exclusive_scan) | [`all_gather_slices`](Communicator::all_gather_slices), [`all_to_all`](Communicator::all_to_all), [`all_reduce_each`](Communicator::all_reduce_each) |
//! | synchronisation | [`barrier`](Communicator::barrier), [`agree`](Communicator::agree), [`words`](Communicator::words) that all change | |
//! | parts | [`split`](Communicator::split) | |
//! | map and reduce | | [`map_reduce`](Communicator::map_reduce) over data at rank 0, [`map_reduce_file`](Communicator::map_reduce_file), [`map_reduce_shared`](Communicator::map_reduce_shared) |
//! | one to one | [`send`](Communicator::send), [`receive`](Communicator::receive), [`send_receive`](Communicator::send_receive), [`start_send`](Communicator::start_send), [`start_receive`](Communicator::start_receive) | [`send_slice`](Communicator::send_slice), [`receive_slice`](Communicator::receive_slice), [`send_receive_slice`](Communicator::send_receive_slice) |
//!
//! Any number of ranks and any amount of data works: parts differ by one element at most, and data
//! that is longer than a message is sent in several. Values are combined in the order of the ranks,
//! so operators need not be commutative.
//!
//! # Errors, not hangs
//!
//! A rank that fails, panics or is killed ends all of them. Ranks that call different operations,
//! or in different orders, get an error that names both. A rank that waits in vain gives up after
//! [`World::timeout`]. Among threads that is noticed when no rank can go on, and a
//! [strict](World::strict) world shows what would else wait in vain on a cluster only. Files and
//! lengths are checked before any rank computes. See [`Error`].
//!
//! # Under MPI
//!
//! ```text
//! cargo build --release
//! mpiexec -n 4 target/release/program
//! ```
//!
//! No MPI is needed to build. A program that a launcher starts loads the MPI from
//! `libmpi_abi.so.1`, or from the file that `SUMAC_MPI_LIBRARY` names: MPICH from 5.0 and Intel MPI
//! are tested. For an MPI without the standard ABI, such as Open MPI 5, build with the feature
//! `mpi`, which needs that MPI's `mpicc`, and libclang. `SUMAC_MPI_RANKS=4 target/release/program`
//! runs four ranks as threads. [`Launcher`] starts programs under MPI from others.
//!
//! `docs/cluster.md` in the repository is about clusters: host files, binding, Slurm, time-outs,
//! and common problems.
//!
//! # Threads
//!
//! Each rank has a [`pool`](Communicator::pool). Only its own thread communicates with other ranks:
//! a [`Communicator`] stays on its thread, so that MPI need only support its thread level FUNNELED.
//! Ranks that wait yield their processor, so there may be more ranks than processors.

#![deny(unsafe_code)]

mod collective;
mod communicator;
mod error;
mod launch;
mod map_reduce;
mod part;
mod partition;
mod request;
mod settings;
mod transport;
mod tree;
mod words;
mod world;

pub use self::{
    collective::{Number, Operation},
    communicator::{Communicator, Value},
    error::{Error, ErrorKind},
    launch::Launcher,
    map_reduce::Shared,
    partition::Partition,
    request::{Receiving, Sending},
    words::Words,
    world::World,
};

//! How a program outgrows its machine: *ranks*, each with a pool of its own, that send each other
//! messages. On MPI, or as threads of one process.
//!
//! By default ranks are threads, and nothing need be installed. With the feature `mpi` the same
//! program runs under `mpiexec`, on any MPI from 3.0 on.
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
//! [`World::new`] is for programs: it takes the ranks of the MPI job, or as many threads as the
//! environment says.
//!
//! # What ranks do together
//!
//! | | values that serde can write | plain numbers in bulk |
//! |---|---|---|
//! | one to all | [`broadcast`](Communicator::broadcast) | [`broadcast_slice`](Communicator::broadcast_slice), [`scatter`](Communicator::scatter) |
//! | all to one | [`gather`](Communicator::gather), [`reduce`](Communicator::reduce) | [`gather_slices`](Communicator::gather_slices) |
//! | all to all | [`all_gather`](Communicator::all_gather), [`all_reduce`](Communicator::all_reduce), [`scan`](Communicator::scan), [`exclusive_scan`](Communicator::exclusive_scan) | [`all_gather_slices`](Communicator::all_gather_slices), [`all_to_all`](Communicator::all_to_all), [`all_reduce_each`](Communicator::all_reduce_each) |
//! | nothing but meet | [`barrier`](Communicator::barrier), [`agree`](Communicator::agree) | |
//! | map and reduce | | [`map_reduce`](Communicator::map_reduce) over data at rank 0, [`map_reduce_file`](Communicator::map_reduce_file), [`map_reduce_shared`](Communicator::map_reduce_shared) |
//! | one to one | [`send`](Communicator::send), [`receive`](Communicator::receive) | [`send_slice`](Communicator::send_slice), [`receive_slice`](Communicator::receive_slice) |
//!
//! Any number of ranks will do, and any amount of data: parts differ by one element at most, and
//! what is longer than a message may be is sent in several. Values are combined in the order of the
//! ranks, so operators need not be commutative.
//!
//! # Errors, not hangs
//!
//! A rank that fails, panics or dies ends all of them. Ranks that do different things, or in
//! different orders, get an error that says who is where. A rank that waits in vain gives up after
//! [`World::timeout`]. Files and lengths are checked before any rank computes. See [`Error`].
//!
//! # Under MPI
//!
//! ```text
//! cargo build --release --features mpi      # needs mpicc and libclang
//! mpiexec -n 4 target/release/program
//! ```
//!
//! `ci/setup-mpi.sh mpich COMMAND` runs a command with an MPICH and a libclang that it unpacks
//! under `target/`, if the machine has none. MPICH and Open MPI are tested. Without the feature,
//! `SUMAC_MPI_RANKS=4 target/release/program` runs four ranks as threads; a program that finds
//! itself under `mpiexec` then says so and fails. [`Launcher`] starts programs under MPI from
//! others.
//!
//! `docs/cluster.md` in the repository is about clusters: host files, binding, Slurm, time-outs,
//! what to check first.
//!
//! # Threads
//!
//! Each rank has a [`pool`](Communicator::pool). Its own thread talks to the other ranks, and no
//! other can: a [`Communicator`] does not leave its thread, so that MPI need support no more than
//! its thread level FUNNELED. Ranks that wait yield their processor, so there may be more ranks
//! than processors.

#![cfg_attr(not(feature = "mpi"), forbid(unsafe_code))]
#![deny(unsafe_code)]

mod collective;
mod communicator;
mod error;
mod launch;
mod map_reduce;
mod partition;
mod settings;
mod transport;
mod tree;
mod world;

pub use self::{
    collective::{Number, Operation},
    communicator::{Communicator, Value},
    error::{Error, ErrorKind},
    launch::Launcher,
    map_reduce::Shared,
    partition::Partition,
    world::World,
};

/// The example in the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

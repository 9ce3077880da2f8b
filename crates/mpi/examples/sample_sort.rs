//! Sample sort across ranks: each sorts its own numbers, all agree on splitters, numbers move to
//! where they belong, each sorts what it got. The result is that of one rank, whatever the number
//! of ranks: the digest printed is the same.
//!
//!     cargo run --release -p sumac-mpi --example sample_sort
//!     SUMAC_MPI_RANKS=4 cargo run --release -p sumac-mpi --example sample_sort 10000000
//!     mpiexec -n 4 target/release/examples/sample_sort

use std::{env, process::ExitCode, time::Instant};
use sumac::prelude::*;
use sumac_mpi::{Communicator, Error, Partition, World};

/// Splitters are chosen among so many samples of each rank.
const SAMPLES: usize = 64;

fn main() -> ExitCode {
    let len = env::args().nth(1).map_or(Ok(200_000), |text| text.parse());
    let result = match len {
        Ok(len) => World::new().run(|comm| program(comm, len)),
        Err(error) => Err(Error::other(error)),
    };
    match result {
        Ok(_) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn program(comm: &Communicator<'_>, len: u64) -> Result<(), Error> {
    let (rank, size) = (comm.rank(), comm.size());
    // Each rank makes its own part of one sequence.
    let numbers: Vec<u64> = Partition::new(len, size).range(rank).map(random).collect();
    comm.barrier()?;
    let begin = Instant::now();
    let sorted = sample_sort(comm, numbers)?;
    comm.barrier()?;
    let time = begin.elapsed();

    // Which position each number has in all follows from how many the ranks before have.
    let before = comm.exclusive_scan(sorted.len() as u64, |a, b| a + b)?;
    let own = digest(before.unwrap_or(0), &sorted);
    let all = comm.reduce(0, (own, sorted.len() as u64), |a, b| {
        (a.0.wrapping_add(b.0), a.1 + b.1)
    })?;
    check(comm, &sorted)?;
    let longest = comm.reduce(0, sorted.len(), Ord::max)?;
    let (Some((digest, total)), Some(longest)) = (all, longest) else {
        return Ok(());
    };
    assert_eq!(total, len, "numbers were lost or doubled");
    // One rank alone, for comparison, if it is not too much for it.
    if len <= 1_000_000 {
        let mut numbers: Vec<u64> = (0..len).map(random).collect();
        numbers.sort_unstable();
        assert_eq!(
            digest,
            self::digest(0, &numbers),
            "another order than one rank's"
        );
    }
    println!(
        "{len} numbers on {size} ranks: digest {digest:016x}, longest part {longest}, {time:?}"
    );
    Ok(())
}

fn sample_sort(comm: &Communicator<'_>, mut numbers: Vec<u64>) -> Result<Vec<u64>, Error> {
    let pool = comm.pool();
    pool.install(|| numbers.par_sort_unstable());
    // Samples stand for equally many numbers each, so a rank with more numbers must not have more
    // samples per number.
    let step = numbers.len().div_ceil(SAMPLES).max(1);
    let samples: Vec<u64> = numbers.iter().copied().step_by(step).collect();
    let mut samples: Vec<u64> = comm.all_gather(samples)?.concat();
    samples.sort_unstable();
    let parts = Partition::new(samples.len() as u64, comm.size());
    let splitters = (1..comm.size()).map(|rank| samples.get(parts.range(rank).start as usize));

    let mut rest = &numbers[..];
    let mut sent: Vec<&[u64]> = Vec::with_capacity(comm.size());
    for splitter in splitters {
        // Without samples there are no numbers.
        let splitter = splitter.copied().unwrap_or(u64::MAX);
        let (part, after) = rest.split_at(rest.partition_point(|number| *number < splitter));
        sent.push(part);
        rest = after;
    }
    sent.push(rest);
    let mut received = comm.all_to_all(&sent)?.concat();
    pool.install(|| received.par_sort_unstable());
    Ok(received)
}

/// Every rank's numbers are in order, and none is less than one of the ranks before.
fn check(comm: &Communicator<'_>, sorted: &[u64]) -> Result<(), Error> {
    assert!(sorted.is_sorted(), "not sorted at rank {}", comm.rank());
    let last = comm.exclusive_scan(sorted.last().copied(), Option::max)?;
    let ordered = match (last.flatten(), sorted.first()) {
        (Some(last), Some(first)) => last <= *first,
        _ => true,
    };
    comm.agree(if ordered {
        Ok(())
    } else {
        Err(Error::other("less than the rank before"))
    })
}

/// Depends on which number is at which position, and can be put together from parts.
fn digest(first: u64, numbers: &[u64]) -> u64 {
    let mixed = (first..)
        .zip(numbers)
        .map(|(position, number)| random(position ^ random(*number)));
    mixed.fold(0, u64::wrapping_add)
}

/// A number at random for each.
fn random(x: u64) -> u64 {
    fastrand::Rng::with_seed(x).u64(..)
}

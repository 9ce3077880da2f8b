//! The checks of the tests, under any launcher: `mpiexec -n 7 check`.
//!
//! `SUMAC_CHECK_LIMIT` sets the longest message, in bytes; `SUMAC_CHECK_BYTES` has rank 0 send one
//! of that length more to the last.

#[path = "../tests/checks/mod.rs"]
mod checks;

use std::{env, process::ExitCode};
use sumac_mpi::{Communicator, Error, World};

fn number(variable: &str) -> Option<usize> {
    env::var(variable).ok()?.parse().ok()
}

fn one_message(comm: &Communicator<'_>, len: usize) -> Result<(), Error> {
    let mut bytes = vec![7_u8; len];
    for (index, place) in [0, len / 2, len - 1].into_iter().enumerate() {
        bytes[place] = index as u8;
    }
    match comm.rank() {
        0 => comm.send_slice(comm.size() - 1, 1, &bytes)?,
        rank if rank + 1 == comm.size() => assert!(comm.receive_slice::<u8>(0, 1)? == bytes),
        _ => {}
    }
    Ok(())
}

fn main() -> ExitCode {
    let limit = number("SUMAC_CHECK_LIMIT").unwrap_or(1 << 30);
    let result = World::new().message_limit(limit).run(|comm| {
        checks::all(comm)?;
        if let Some(len) = number("SUMAC_CHECK_BYTES") {
            one_message(comm, len)?;
        }
        Ok((comm.rank(), comm.size()))
    });
    match result {
        Ok(ranks) => {
            for (rank, size) in ranks {
                println!("rank {rank} of {size}: all checks passed");
            }
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

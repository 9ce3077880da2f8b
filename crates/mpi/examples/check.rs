//! The checks of the tests, under any launcher: `mpiexec -n 7 check`.
//!
//! `SUMAC_CHECK_LIMIT` sets the longest message, in bytes.

#[path = "../tests/checks/mod.rs"]
mod checks;

use std::{env, process::ExitCode};
use sumac_mpi::World;

fn main() -> ExitCode {
    let limit = env::var("SUMAC_CHECK_LIMIT")
        .ok()
        .and_then(|text| text.parse().ok());
    let world = World::new().message_limit(limit.unwrap_or(1 << 30));
    let result = world.run(|comm| {
        checks::all(comm)?;
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

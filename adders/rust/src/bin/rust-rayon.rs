//! The adder on rayon: blocks of bytes, each summed by the common kernel.

#![forbid(unsafe_code)]

use rayon::prelude::*;
use std::process::ExitCode;
use sumac_adders::{Failure, Report, complain, sum, threads};

/// Bytes in a block.
const BLOCK: usize = 1 << 16;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            complain("rust-rayon", &failure);
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Failure> {
    let threads = threads()?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| Failure(error.to_string()))?;
    pool.install(|| {
        Report::of_threads("rust-rayon", threads, |bytes| {
            bytes.par_chunks(BLOCK).map(sum).sum()
        })
    })
}

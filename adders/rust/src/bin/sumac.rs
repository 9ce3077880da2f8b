//! The adder on sumac's threads: blocks of bytes, each summed by the common kernel.

#![forbid(unsafe_code)]

use std::process::ExitCode;
use sumac::{Loops, ThreadPoolBuilder};
use sumac_adders::{Failure, Report, complain, sum, threads};

/// Bytes in a block.
const BLOCK: usize = 1 << 16;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            complain("sumac", &failure);
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Failure> {
    let threads = threads()?;
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| Failure(error.to_string()))?;
    Report::of_threads("sumac", threads, |bytes| {
        let blocks = 0..bytes.len().div_ceil(BLOCK);
        let block = |i: usize| &bytes[i * BLOCK..bytes.len().min((i + 1) * BLOCK)];
        pool.map_reduce(blocks, 0, |i| sum(block(i)), |a, b| a + b)
    })
}

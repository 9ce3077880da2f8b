//! A program that shares the machine with others: under make its workers need make's tokens.
//!
//! Run it with `cargo run --release --example 9_make --features jobserver`, or from a Makefile in
//! which the line begins with a plus sign. Arguments: the number of threads, and how often to do
//! how much.

use std::{env, time::Instant};
use sumac::{Jobserver, ThreadPoolBuilder};

fn fib(n: u64) -> u64 {
    if n < 2 {
        return n;
    }
    let (a, b) = sumac::join(|| fib(n - 1), || fib(n - 2));
    a + b
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // First, before the program opens any file.
    let jobserver = Jobserver::from_env();
    let mut arguments = env::args().skip(1).map(|argument| argument.parse());
    let threads = arguments.next().unwrap_or(Ok(4))?;
    let rounds = arguments.next().unwrap_or(Ok(3))?;
    let n = arguments.next().unwrap_or(Ok(25))?;

    let mut builder = ThreadPoolBuilder::new().num_threads(threads as usize);
    match jobserver {
        Ok(jobserver) => builder = builder.permits(jobserver),
        Err(error) => eprintln!("all threads for this program alone: {error}"),
    }
    let pool = builder.build()?;
    let start = Instant::now();
    let sum: u64 = (0..rounds).map(|_| pool.install(|| fib(n))).sum();
    println!("{sum} in {:.2} ms", 1e3 * start.elapsed().as_secs_f64());
    Ok(())
}

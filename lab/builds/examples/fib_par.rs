//! The program that domainslib's page begins with, and its table: naive Fibonacci numbers with a
//! cut-off of 20, and with none.
//!
//! ```text
//! cargo run --release -p sumac-builds --example fib_par THREADS N [CUTOFF]
//! cargo run --release -p sumac-builds --example fib_par [--json] [RUNS]
//! ```
//!
//! The first runs it once, for N up to 90; 0 threads is the sequential program, and without a
//! cut-off there is a join at every call. The second runs this program as processes, in turns: the
//! times of whole processes, start and end included.

use nix::sys::resource::{UsageWho, getrusage};
use std::{env, error::Error, process::Command, time::Instant};
use sumac_record::{Asked, Cell, Measured, Records, Turns};

/// The Fibonacci number of the table.
const N: u64 = if cfg!(debug_assertions) { 24 } else { 42 };

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn fib(n: u64) -> u64 {
    if n < 2 { 1 } else { fib(n - 1) + fib(n - 2) }
}

fn fib_par(n: u64, cutoff: u64) -> u64 {
    if n < 2 {
        1
    } else if n > cutoff {
        let (a, b) = sumac::join(|| fib_par(n - 1, cutoff), || fib_par(n - 2, cutoff));
        a + b
    } else {
        fib(n)
    }
}

fn run(threads: usize, n: u64, cutoff: u64) -> Result<u64> {
    if threads == 0 {
        return Ok(fib(n));
    }
    let pool = sumac::ThreadPoolBuilder::new().num_threads(threads);
    Ok(pool.build()?.install(|| fib_par(n, cutoff)))
}

/// What processes took, in nanoseconds: by the clock, and of the processors for the program and for
/// the system.
type Times = [f64; 3];

/// The processor time of the processes that have ended.
fn used() -> Result<[f64; 2]> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let times = [usage.user_time(), usage.system_time()];
    Ok(times.map(|t| t.tv_sec() as f64 * 1e9 + t.tv_usec() as f64 * 1e3))
}

fn measure(arguments: &[String], expected: &str) -> Result<Times> {
    let ([user, system], begin) = (used()?, Instant::now());
    let output = Command::new(env::current_exe()?).args(arguments).output()?;
    let wall = begin.elapsed().as_nanos() as f64;
    let said = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() || said.trim() != expected {
        return Err(format!("fib_par {}: {} {said}", arguments.join(" "), output.status).into());
    }
    let now = used()?;
    Ok([wall, now[0] - user, now[1] - system])
}

fn mean(times: &[Times], of: usize) -> f64 {
    times.iter().map(|times| times[of]).sum::<f64>() / times.len() as f64
}

/// The sequential program, then numbers of threads with a cut-off and without.
fn rows() -> Vec<Vec<String>> {
    let mut rows = vec![vec!["0".to_owned(), N.to_string()]];
    for cutoff in [Some("20"), None] {
        for threads in ["2", "4", "8"] {
            let words = [threads, &N.to_string()];
            rows.push(words.into_iter().chain(cutoff).map(str::to_owned).collect());
        }
    }
    rows
}

fn compare(asked: Asked) -> Result<()> {
    let (rows, expected) = (rows(), format!("fib({N}) = {}", fib(N)));
    let turn = |_, row: usize| measure(&rows[row], &expected).map(|times| vec![times]);
    let times = Turns::of(asked.rounds).take(rows.len(), turn)?;
    let mut records = Records::new("fib_par");
    for (arguments, times) in rows.iter().zip(&times) {
        let threads: usize = arguments[0].parse()?;
        let who = if threads == 0 { "plain" } else { "sumac" };
        let cutoff = arguments.get(2).map(|at| format!("cut-off {at}"));
        let cell = Cell {
            size: N,
            parameters: cutoff.unwrap_or_default(),
            ..Cell::of("fib_par", who, threads.max(1))
        };
        let further = [("user", 1), ("system", 2)];
        let further = further.map(|(name, of)| (name.to_owned(), mean(times, of)));
        let measured = Measured {
            pieces: 1,
            batch: 1,
            samples: times.iter().map(|times| times[0]).collect(),
            further: further.into(),
            ..Measured::default()
        };
        records.push(cell, measured);
    }
    Ok(records.print(asked.json)?)
}

fn main() -> Result<()> {
    let words: Vec<String> = env::args().skip(1).collect();
    let numbers: Vec<u64> = words.iter().filter_map(|word| word.parse().ok()).collect();
    match numbers[..] {
        [threads, n @ ..=90, ref cutoff @ ..] if numbers.len() == words.len() => {
            let cutoff = cutoff.first().copied().unwrap_or(0);
            println!("fib({n}) = {}", run(usize::try_from(threads)?, n, cutoff)?);
            Ok(())
        }
        _ => compare(Asked::of(words.into_iter(), 10)?),
    }
}

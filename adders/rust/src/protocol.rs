//! What every adder is told and what it says: `ADDER FILE SIZE` with some environment variables,
//! and one line of JSON. `adders/README.md` has it for all languages.

use crate::Bytes;
use serde::Serialize;
use std::{
    env, fmt,
    fs::File,
    io::{self, Read, Write},
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

/// Why an adder has no sum, in words.
#[derive(Debug)]
pub struct Failure(pub String);

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Says on standard error what went wrong, and waits a little: a launcher that is told to end
/// everything loses what it has not read by then.
pub fn complain(adder: &str, what: &dyn fmt::Display) {
    // In one piece. Where the pipe is closed, the exit code must do.
    drop(io::stderr().write_all(format!("{adder}: {what}\n").as_bytes()));
    thread::sleep(Duration::from_millis(100));
}

/// What is to be added, and how often.
#[derive(Clone, Debug)]
pub struct Job {
    /// The file with the bytes.
    pub path: PathBuf,
    /// How many it must have.
    pub size: u64,
    /// How many passes there are after the first.
    pub warm: usize,
    /// The longest message, in bytes.
    pub chunk: u64,
}

/// What an adder prints.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Its name.
    pub adder: &'static str,
    /// The sum of all bytes.
    pub sum: u64,
    /// How many processes it had.
    pub ranks: usize,
    /// How many threads each of them had.
    pub threads: usize,
    /// Microseconds until the bytes were in memory.
    pub load_us: f64,
    /// Microseconds of the first pass over them.
    pub cold_us: f64,
    /// Microseconds of each of the others.
    pub warm_us: Vec<f64>,
}

impl Job {
    /// As the command line and the environment say.
    ///
    /// # Errors
    /// They do not say it properly.
    pub fn new() -> Result<Job, Failure> {
        let arguments: Vec<_> = env::args_os().skip(1).collect();
        let [path, size] = &arguments[..] else {
            return Err(Failure("expected FILE SIZE".into()));
        };
        let size = size.to_str().and_then(|size| size.parse().ok());
        let chunk = variable("ADDER_CHUNK", 1 << 20)?;
        if chunk == 0 || chunk > i32::MAX as u64 {
            return Err(Failure("ADDER_CHUNK is not between 1 and 2^31-1".into()));
        }
        Ok(Job {
            path: path.into(),
            size: size.ok_or_else(|| Failure("SIZE is not a number of bytes".into()))?,
            warm: variable("ADDER_WARM", 3)? as usize,
            chunk,
        })
    }

    /// All bytes of the file.
    ///
    /// # Errors
    /// It cannot be read, or has another length.
    pub fn load(&self) -> Result<Bytes, Failure> {
        let (mut file, size) = self.open()?;
        let mut bytes = Bytes::new(size).map_err(|error| self.failed(&error))?;
        file.read_exact(&mut bytes)
            .map_err(|error| self.failed(&error))?;
        Ok(bytes)
    }

    /// All bytes of the file, in memory for which no huge pages are asked.
    ///
    /// # Errors
    /// It cannot be read, or has another length.
    pub fn load_plainly(&self) -> Result<Vec<u8>, Failure> {
        let (mut file, size) = self.open()?;
        let mut bytes = vec![0; size];
        file.read_exact(&mut bytes)
            .map_err(|error| self.failed(&error))?;
        Ok(bytes)
    }

    /// The file, and how many bytes it has.
    fn open(&self) -> Result<(File, usize), Failure> {
        let failed = |error: &dyn fmt::Display| self.failed(error);
        let file = File::open(&self.path).map_err(|error| failed(&error))?;
        self.check(file.metadata().map_err(|error| failed(&error))?.len())?;
        let size = usize::try_from(self.size).map_err(|error| failed(&error))?;
        Ok((file, size))
    }

    fn check(&self, bytes: u64) -> Result<(), Failure> {
        if bytes == self.size {
            return Ok(());
        }
        Err(self.failed(&format_args!("has {bytes} bytes, expected {}", self.size)))
    }

    fn failed(&self, what: &dyn fmt::Display) -> Failure {
        Failure(format!("{}: {what}", Path::display(&self.path)))
    }

    /// Makes all passes over what was loaded since `start`. `pass` returns the sum and how long it
    /// took.
    ///
    /// # Errors
    /// A pass fails, or has another sum than the first.
    pub fn passes<E: From<Failure>>(
        &self,
        adder: &'static str,
        (ranks, threads): (usize, usize),
        load_us: f64,
        mut pass: impl FnMut() -> Result<(u64, f64), E>,
    ) -> Result<Report, E> {
        let (sum, cold_us) = pass()?;
        let mut warm_us = Vec::new();
        for _ in 0..self.warm {
            let (again, us) = pass()?;
            if again != sum {
                return Err(Failure(format!("{sum} in one pass, {again} in another")).into());
            }
            warm_us.push(us);
        }
        Ok(Report {
            adder,
            sum,
            ranks,
            threads,
            load_us,
            cold_us,
            warm_us,
        })
    }
}

impl Report {
    /// Prints it.
    ///
    /// # Errors
    /// It cannot be printed.
    pub fn print(&self) -> Result<(), Failure> {
        let line = serde_json::to_string(self).map_err(|error| Failure(error.to_string()))?;
        println!("{line}");
        Ok(())
    }

    /// Loads, adds up with `add` in this process and prints the report. For those that have
    /// threads, not ranks.
    ///
    /// # Errors
    /// Any of it fails.
    pub fn of_threads(
        adder: &'static str,
        threads: usize,
        add: impl Fn(&[u8]) -> u64,
    ) -> Result<(), Failure> {
        let job = Job::new()?;
        let start = Instant::now();
        let bytes = job.load()?;
        let load_us = microseconds(start);
        let pass = || {
            let start = Instant::now();
            let sum = add(&bytes);
            Ok::<_, Failure>((sum, microseconds(start)))
        };
        job.passes(adder, (1, threads), load_us, pass)?.print()
    }
}

/// Microseconds since `start`.
pub fn microseconds(start: Instant) -> f64 {
    start.elapsed().as_nanos() as f64 / 1e3
}

/// The number in an environment variable, or the usual one.
///
/// # Errors
/// It is not a number.
pub fn variable(name: &str, usual: u64) -> Result<u64, Failure> {
    match env::var_os(name) {
        None => Ok(usual),
        Some(value) => {
            let number = value.to_str().and_then(|text| text.parse().ok());
            number.ok_or_else(|| Failure(format!("{name} is {value:?}, not a number")))
        }
    }
}

/// How many threads an adder that has them shall have: the variable `ADDER_THREADS`, else one.
///
/// # Errors
/// It is not a number, or none.
pub fn threads() -> Result<usize, Failure> {
    match variable("ADDER_THREADS", 1)? {
        0 => Err(Failure("ADDER_THREADS is 0".into())),
        threads => Ok(threads as usize),
    }
}

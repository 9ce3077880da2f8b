//! The hybrid adder: ranks on MPI, and sumac's threads in each of them. `ADDER_MODE` says where the bytes are:
//!
//! * `shared`, if it does not say: in a window of memory that the ranks of a node share; each loads its share, and nobody copies;
//! * `messages`: at rank 0, which sends the others theirs in chunks, while all add.

#![forbid(unsafe_code)]

use std::{
    env,
    fs::File,
    io::{Read, Seek, SeekFrom},
    process::ExitCode,
    time::Instant,
};
use sumac_adders::{Failure, Job, complain, microseconds, sum, threads};
use sumac_mpi::{Communicator, Error, Partition, World};

fn main() -> ExitCode {
    let prepared = Job::new().and_then(|job| Ok((job, threads()?, mode()?)));
    let ended = prepared.map_err(|failure| failure.to_string());
    let ended = ended.and_then(|(job, threads, mode)| {
        let world = World::mpi()
            .threads_per_rank(threads)
            .chunk(job.chunk as usize);
        let run = |comm: &Communicator<'_>| match mode {
            Mode::Shared => shared(comm, &job),
            Mode::Messages => messages(comm, &job),
        };
        world.run(run).map_err(|error| error.to_string())
    });
    match ended {
        Ok(_) => ExitCode::SUCCESS,
        Err(why) => {
            complain("sumac-mpi", &why);
            ExitCode::FAILURE
        }
    }
}

#[derive(Clone, Copy)]
enum Mode {
    Shared,
    Messages,
}

fn mode() -> Result<Mode, Failure> {
    match env::var("ADDER_MODE").as_deref() {
        Err(_) | Ok("shared") => Ok(Mode::Shared),
        Ok("messages") => Ok(Mode::Messages),
        Ok(other) => Err(Failure(format!(
            "ADDER_MODE is neither shared nor messages: {other}"
        ))),
    }
}

/// Bytes in memory that all ranks see.
fn shared(comm: &Communicator<'_>, job: &Job) -> Result<(), Error> {
    let start = Instant::now();
    let mut opened = File::open(&job.path);
    let length = opened
        .as_ref()
        .map(|file| file.metadata().map_or(0, |facts| facts.len()));
    let checked = match length {
        Err(error) => Err(Error::other(format_args!(
            "{}: {error}",
            job.path.display()
        ))),
        Ok(bytes) if bytes != job.size => Err(Error::other(format_args!(
            "{}: has {bytes} bytes, expected {}",
            job.path.display(),
            job.size
        ))),
        Ok(_) => Ok(()),
    };
    comm.agree(checked)?;
    let own = Partition::new(job.size, comm.size()).range(comm.rank());
    let window = comm.share((own.end - own.start) as usize, |part: &mut [u8]| {
        let file = opened.as_mut().map_err(Error::other)?;
        file.seek(SeekFrom::Start(own.start))?;
        Ok(file.read_exact(part)?)
    })?;
    comm.barrier()?;
    let load_us = microseconds(start);
    measure(comm, job, "sumac-mpi", load_us, || {
        comm.map_reduce_shared(&window, 0, sum, |a, b| a + b)
    })
}

/// Bytes at rank 0.
fn messages(comm: &Communicator<'_>, job: &Job) -> Result<(), Error> {
    let start = Instant::now();
    let loaded = match comm.rank() {
        0 => job.load().map(Some).map_err(Error::other),
        _ => Ok(None),
    };
    let bytes = comm.agree(loaded)?;
    let load_us = microseconds(start);
    measure(comm, job, "sumac-mpi-messages", load_us, || {
        comm.map_reduce(bytes.as_deref(), 0, sum, |a, b| a + b)
    })
}

fn measure(
    comm: &Communicator<'_>,
    job: &Job,
    adder: &'static str,
    load_us: f64,
    add: impl Fn() -> Result<Option<u64>, Error>,
) -> Result<(), Error> {
    let place = (comm.size(), comm.pool().current_num_threads());
    let pass = || {
        comm.barrier().map_err(Wrapped)?;
        let start = Instant::now();
        let sum = add().map_err(Wrapped)?;
        Ok::<_, Wrapped>((sum.unwrap_or_default(), microseconds(start)))
    };
    let report = job
        .passes(adder, place, load_us, pass)
        .map_err(|wrapped| wrapped.0)?;
    match comm.rank() {
        0 => report.print().map_err(Error::other),
        _ => Ok(()),
    }
}

/// An error of the ranks, to which failures of the protocol can be turned.
struct Wrapped(Error);

impl From<Failure> for Wrapped {
    fn from(failure: Failure) -> Self {
        Wrapped(Error::other(failure))
    }
}

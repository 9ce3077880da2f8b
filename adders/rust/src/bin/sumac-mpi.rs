//! The hybrid adder: ranks on MPI, and sumac's threads in each of them. `ADDER_MODE` says where the
//! bytes are:
//!
//! * `shared`, if it does not say: in a window of memory that the ranks of a node share; each loads
//!   its share, and nothing is copied;
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
use sumac_mpi::{Communicator, Error, ErrorKind, Partition, World};

fn main() -> ExitCode {
    let prepared = Job::new().and_then(|job| Ok((job, threads()?, mode()?)));
    let ended = prepared.map_err(|failure| failure.to_string());
    let ended = ended.and_then(|(job, threads, mode)| {
        let world = World::mpi()
            .threads_per_rank(threads)
            .chunk(job.chunk as usize);
        let run = |comm: &Communicator<'_>| {
            let ended = match mode {
                Mode::Shared => shared(comm, &job),
                Mode::Messages => messages(comm, &job),
            };
            match ended {
                Ok(()) => Ok(true),
                Err(Wrong::All(why)) => {
                    if comm.rank() == 0 {
                        complain("sumac-mpi", &why);
                    }
                    Ok(false)
                }
                Err(Wrong::Here(error)) => Err(error),
            }
        };
        world.run(run).map_err(|error| error.to_string())
    });
    match ended {
        Ok(ranks) if ranks.iter().all(|right| *right) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(why) => {
            complain("sumac-mpi", &why);
            ExitCode::FAILURE
        }
    }
}

/// What went wrong: something that all ranks know of, who end in order then; or something here,
/// which aborts the job. A launcher that is told to abort may return the status of a rank that it
/// killed instead of 1.
enum Wrong {
    All(Error),
    Here(Error),
}

impl From<Error> for Wrong {
    fn from(error: Error) -> Self {
        Wrong::Here(error)
    }
}

impl From<Failure> for Wrong {
    fn from(failure: Failure) -> Self {
        Wrong::Here(Error::other(failure))
    }
}

/// What all ranks have, unless one of them could not do its part: then all of them know why.
fn agreed<T>(comm: &Communicator<'_>, own: Result<T, Error>) -> Result<T, Wrong> {
    comm.agree(own).map_err(|error| match error.kind() {
        ErrorKind::Other => Wrong::All(error),
        _ => Wrong::Here(error),
    })
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
fn shared(comm: &Communicator<'_>, job: &Job) -> Result<(), Wrong> {
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
    agreed(comm, checked)?;
    let own = Partition::new(job.size, comm.size()).range(comm.rank());
    let window = comm.share((own.end - own.start) as usize, |part: &mut [u8]| {
        let file = opened.as_mut().map_err(Error::other)?;
        file.seek(SeekFrom::Start(own.start))?;
        Ok(file.read_exact(part)?)
    })?;
    comm.barrier()?;
    let load_us = microseconds(start);
    measure(comm, job, "sumac-mpi", load_us, || {
        // No rank reads before rank 0's clock has started.
        comm.broadcast(0, Some(0_u8))?;
        comm.map_reduce_shared(&window, 0, sum, |a, b| a + b)
    })
}

/// Bytes at rank 0.
fn messages(comm: &Communicator<'_>, job: &Job) -> Result<(), Wrong> {
    let start = Instant::now();
    let loaded = match comm.rank() {
        0 => job.load().map(Some).map_err(Error::other),
        _ => Ok(None),
    };
    let bytes = agreed(comm, loaded)?;
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
) -> Result<(), Wrong> {
    let place = (comm.size(), comm.pool().current_num_threads());
    let pass = || {
        comm.barrier()?;
        let start = Instant::now();
        let sum = add()?;
        Ok::<_, Wrong>((sum.unwrap_or_default(), microseconds(start)))
    };
    let report = job.passes(adder, place, load_us, pass)?;
    match comm.rank() {
        0 => Ok(report.print()?),
        _ => Ok(()),
    }
}

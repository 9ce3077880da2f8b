//! All ranks together: how they are started, and how they end.
//!
//! A rank's failure is everybody's. Among threads, the others get its error from whatever they wait
//! in. Under MPI, the rank says what happened and aborts the job. A rank that dies without a word
//! is the launcher's to notice: it ends the others.

use crate::{
    Communicator, Error,
    error::ErrorKind,
    settings::{Settings, number},
    transport::mailbox::{Endpoint, Mailboxes},
};
use std::{
    env, mem,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    thread,
    time::Duration,
};
use sumac::{ThreadPool, ThreadPoolBuilder};

/// A number of ranks to be [run](World::run), and how.
///
/// # Examples
/// ```
/// use sumac_mpi::World;
///
/// # fn main() -> Result<(), sumac_mpi::Error> {
/// let sums = World::threads(4).run(|comm| comm.all_reduce(comm.rank(), |a, b| a + b))?;
/// assert_eq!(sums, [6, 6, 6, 6]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[must_use = "a world does nothing until it is run"]
pub struct World {
    backend: Backend,
    settings: Settings,
}

#[derive(Clone, Copy, Debug)]
enum Backend {
    Threads,
    /// Where the environment says.
    Anywhere,
    #[cfg(feature = "mpi")]
    Mpi,
}

impl Default for World {
    fn default() -> Self {
        Self::new()
    }
}

impl World {
    /// Creates the ranks of the MPI job this process belongs to, if the feature `mpi` is on; else,
    /// or if the environment variable `SUMAC_MPI_RANKS` is set, that many
    /// [`threads`](Self::threads), or one. To set that variable for a process that a launcher
    /// started for one of several ranks is an error.
    pub fn new() -> Self {
        Self {
            backend: Backend::Anywhere,
            settings: Settings::new(1),
        }
    }

    /// Creates ranks that are threads of this process.
    ///
    /// A rank that fails cannot stop one that computes: the others get its error when they next
    /// talk to a rank, and [`run`](Self::run) returns when all have ended.
    pub fn threads(ranks: usize) -> Self {
        Self {
            backend: Backend::Threads,
            settings: Settings::new(ranks),
        }
    }

    /// Creates the ranks of the MPI job this process belongs to: one, if it was not started by a
    /// launcher such as `mpiexec`.
    #[cfg(feature = "mpi")]
    pub fn mpi() -> Self {
        Self {
            backend: Backend::Mpi,
            settings: Settings::new(1),
        }
    }

    /// Sets how long a rank waits for another without a sign of it, before it fails: 5 minutes by
    /// default, for ever with `None`. It must be longer than one rank may compute, or load, while
    /// another waits for it. The environment variable `SUMAC_MPI_TIMEOUT` overrides it, in seconds,
    /// 0 for ever.
    pub fn timeout(mut self, timeout: Option<Duration>) -> Self {
        self.settings.timeout = timeout;
        self
    }

    /// Sets how many threads each rank's pool has, the rank's own included. By default the
    /// environment variable `SUMAC_NUM_THREADS`, else the processors of the node divided by its
    /// ranks.
    pub fn threads_per_rank(mut self, threads: usize) -> Self {
        self.settings.threads = Some(threads);
        self
    }

    /// Pretends that only so many consecutive ranks share memory. For tests; means something for
    /// [`threads`](Self::threads) only.
    pub fn ranks_per_node(mut self, ranks: usize) -> Self {
        self.settings.ranks_per_node = ranks;
        self
    }

    /// Pretends that ranks were dealt to so many nodes in turn, as launchers do when told to go by
    /// node. For tests, as [`ranks_per_node`](Self::ranks_per_node), instead of which it holds.
    pub fn nodes_in_turn(mut self, nodes: usize) -> Self {
        self.settings.nodes_in_turn = Some(nodes);
        self
    }

    /// Sets the longest message in bytes, 2^30 by default; what is longer is sent in pieces. MPI
    /// allows less than 2^31; tests set it to a few.
    pub fn message_limit(mut self, bytes: usize) -> Self {
        self.settings.message_limit = bytes;
        self
    }

    /// Sets the length in bytes of the chunks in which [`map_reduce`](Communicator::map_reduce)
    /// sends, at most; 2^20 by default.
    pub fn chunk(mut self, bytes: usize) -> Self {
        self.settings.chunk = bytes;
        self
    }

    /// Sets the length in bytes of the blocks that `map` gets, at most; 2^16 by default.
    pub fn block(mut self, bytes: usize) -> Self {
        self.settings.block = bytes;
        self
    }

    /// Runs `main` as each rank in a thread of its own, or in this one under MPI, and returns what
    /// those ranks returned that belong to this process: all if they are threads, one under MPI.
    ///
    /// # Panics
    /// Never with a panic of `main`, which becomes an error.
    ///
    /// # Errors
    /// The first that `main` returned at any rank. Under MPI this does not return then: the rank
    /// writes its error to standard error and aborts the job, and the launcher ends the other
    /// ranks. [`ErrorKind::Setup`] if the ranks could not be started; so a second time under MPI,
    /// which a process can use but once. [`ErrorKind::Disagreement`] if there are values that were
    /// [sent](Communicator::send) but not received.
    pub fn run<R, F>(self, main: F) -> Result<Vec<R>, Error>
    where
        R: Send,
        F: Fn(&Communicator<'_>) -> Result<R, Error> + Sync,
    {
        let mut settings = self.settings.checked()?;
        match self.backend {
            Backend::Threads => as_threads(settings, &main),
            #[cfg(feature = "mpi")]
            Backend::Mpi => as_process(settings, &main).map(|result| vec![result]),
            Backend::Anywhere => match number("SUMAC_MPI_RANKS")? {
                Some(ranks) => {
                    alone("but SUMAC_MPI_RANKS asks for ranks that are threads")?;
                    settings.ranks = ranks;
                    as_threads(settings.checked()?, &main)
                }
                #[cfg(feature = "mpi")]
                None => as_process(settings, &main).map(|result| vec![result]),
                #[cfg(not(feature = "mpi"))]
                None => {
                    alone("but built without the feature `mpi`")?;
                    as_threads(settings, &main)
                }
            },
        }
    }
}

/// Fails in a process that a launcher started for one of many ranks, which it is not to be.
fn alone(but: &str) -> Result<(), Error> {
    for variable in [
        "PMI_SIZE",
        "OMPI_COMM_WORLD_SIZE",
        "PMIX_SIZE",
        "SLURM_STEP_NUM_TASKS",
    ] {
        let size = env::var(variable).ok().and_then(|text| text.parse().ok());
        if size.is_some_and(|size: usize| size > 1) {
            let message = format!("started as one of several ranks, {but}");
            return Err(Error::new(ErrorKind::Setup, message));
        }
    }
    Ok(())
}

fn as_threads<R, F>(settings: Settings, main: &F) -> Result<Vec<R>, Error>
where
    R: Send,
    F: Fn(&Communicator<'_>) -> Result<R, Error> + Sync,
{
    let ranks = settings.ranks;
    let processors = thread::available_parallelism().map_or(1, usize::from);
    let threads = settings.threads.unwrap_or(processors / ranks).max(1);
    let mailboxes = Arc::new(Mailboxes::new(settings.clone()));
    let results = thread::scope(|scope| {
        let start = |rank| {
            let (mailboxes, settings) = (&mailboxes, &settings);
            let rank_main = move || {
                let endpoint = Endpoint::new(Arc::clone(mailboxes), rank);
                let result = caught(|| {
                    let pool = pool(rank, threads)?;
                    let comm = Communicator::new(&endpoint, settings, &pool);
                    let result = main(&comm)?;
                    comm.end()?;
                    Ok(result)
                });
                mailboxes.end(rank, result.as_ref().err());
                result.ok()
            };
            let thread = thread::Builder::new().name(format!("rank {rank}"));
            let thread = thread.spawn_scoped(scope, rank_main);
            thread.map_err(|error| {
                let error = Error::new(ErrorKind::Setup, format_args!("cannot start: {error}"));
                mailboxes.end(rank, Some(&error));
            })
        };
        let threads: Vec<_> = (0..ranks).map(start).collect();
        let ended = threads.into_iter().map(|thread| thread.ok()?.join().ok()?);
        ended.collect::<Option<Vec<R>>>()
    });
    match (results, mailboxes.failure()) {
        (_, Some(error)) => Err(error),
        (Some(results), None) => Ok(results),
        (None, None) => Err(Error::new(ErrorKind::Panic, "a rank's thread was lost")),
    }
}

#[cfg(feature = "mpi")]
fn as_process<R, F>(settings: Settings, main: &F) -> Result<R, Error>
where
    F: Fn(&Communicator<'_>) -> Result<R, Error>,
{
    use crate::transport::{Transport, real::Process};

    let process = Process::start(settings.clone())?;
    let rank = process.rank();
    let result = caught(|| {
        let threads = settings.threads.unwrap_or(process.threads());
        let pool = pool(rank, threads)?;
        let comm = Communicator::new(&process, &settings, &pool);
        let result = main(&comm)?;
        comm.end()?;
        Ok(result)
    });
    match result {
        Ok(result) => {
            process.finish();
            Ok(result)
        }
        Err(error) => process.abort(&error.at(rank)),
    }
}

/// What `body` returns, its panic as an error.
fn caught<R>(body: impl FnOnce() -> Result<R, Error>) -> Result<R, Error> {
    let result = catch_unwind(AssertUnwindSafe(body));
    result.unwrap_or_else(|payload| {
        let error = Error::panic(&*payload);
        // To drop it could panic again, and neither panic would be heard of.
        mem::forget(payload);
        Err(error)
    })
}

fn pool(rank: usize, threads: usize) -> Result<ThreadPool, Error> {
    let builder = ThreadPoolBuilder::new()
        .num_threads(threads)
        // A pool asked for `thread_name` would compute on workers only; the rank's thread, which
        // calls MPI, is to take part.
        .spawn_handler(move |worker| {
            let name = format!("rank {rank}, worker {}", worker.index());
            thread::Builder::new().name(name).spawn(|| worker.run())?;
            Ok(())
        });
    let pool = builder.build();
    pool.map_err(|error| {
        Error::new(
            ErrorKind::Setup,
            format_args!("cannot start a pool: {error}"),
        )
    })
}

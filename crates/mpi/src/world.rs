//! Worlds: how ranks start, and how they end.
//!
//! A rank's failure ends all ranks. Among threads, the others get its error from the operation they
//! wait in. Under MPI, the rank prints its error and aborts the job. If a rank is killed, the
//! launcher detects it and ends the others.

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

/// A configuration of ranks, which [`run`](World::run) starts.
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
    /// As the environment decides.
    Anywhere,
    Mpi,
}

impl Default for World {
    fn default() -> Self {
        Self::new()
    }
}

impl World {
    /// Creates the ranks of the MPI job of this process, if a launcher such as `mpiexec` started
    /// it. Otherwise, or if the environment variable `SUMAC_MPI_RANKS` is set, creates that many
    /// [`threads`](Self::threads), by default one, and looks for no MPI. It is an error to set that
    /// variable in a process that a launcher started as one of several ranks.
    ///
    /// ```no_run
    /// # fn main() -> Result<(), sumac_mpi::Error> {
    /// sumac_mpi::World::new().run(|comm| {
    ///     println!("rank {} of {}", comm.rank(), comm.size());
    ///     Ok(())
    /// })?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn new() -> Self {
        Self {
            backend: Backend::Anywhere,
            settings: Settings::new(1),
        }
    }

    /// Creates ranks that are threads of this process.
    ///
    /// A rank that fails cannot stop one that computes: the others get its error when they next
    /// communicate, and [`run`](Self::run) returns when all have ended.
    ///
    /// ```
    /// # fn main() -> Result<(), sumac_mpi::Error> {
    /// let ranks = sumac_mpi::World::threads(3).run(|comm| Ok(comm.rank()))?;
    /// assert_eq!(ranks, [0, 1, 2]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn threads(ranks: usize) -> Self {
        Self {
            backend: Backend::Threads,
            settings: Settings::new(ranks),
        }
    }

    /// Creates the ranks of the MPI job of this process: one, if it was not started by a launcher
    /// such as `mpiexec`. It needs an MPI in any case.
    ///
    /// ```no_run
    /// # fn main() -> Result<(), sumac_mpi::Error> {
    /// let ranks = sumac_mpi::World::mpi().run(|comm| Ok(comm.size()))?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn mpi() -> Self {
        Self {
            backend: Backend::Mpi,
            settings: Settings::new(1),
        }
    }

    /// Sets how long a rank waits for another before it fails: 5 minutes by default, for ever with
    /// `None`. It must be longer than the longest time for which one rank computes or loads data
    /// while another waits for it. The environment variable `SUMAC_MPI_TIMEOUT` overrides it, in
    /// seconds, 0 for ever.
    ///
    /// ```
    /// use std::time::Duration;
    /// use sumac_mpi::{ErrorKind, World};
    ///
    /// let world = World::threads(2).timeout(Some(Duration::from_millis(20)));
    /// let late = world.run(|comm| {
    ///     if comm.rank() == 1 {
    ///         std::thread::sleep(Duration::from_millis(400));
    ///     }
    ///     comm.barrier()
    /// });
    /// assert_eq!(late.unwrap_err().kind(), ErrorKind::TimedOut);
    /// ```
    pub fn timeout(mut self, timeout: Option<Duration>) -> Self {
        self.settings.timeout = timeout;
        self
    }

    /// Makes every send wait until its message is received, as MPI may let any (`MPI_Ssend` does
    /// always). So a program which only works if messages are kept meanwhile fails here, and not
    /// first on a cluster: with [`ErrorKind::Deadlock`], as soon as no rank can go on, and what
    /// each waits for. Affects only [`threads`](Self::threads). The environment variable
    /// `SUMAC_MPI_STRICT` overrides it: 1 for strict, 0 for not.
    ///
    /// ```
    /// use sumac_mpi::{Communicator, Error, ErrorKind, World};
    ///
    /// fn both_send(comm: &Communicator<'_>) -> Result<u32, Error> {
    ///     let other = 1 - comm.rank();
    ///     comm.send(other, 7, &5)?;
    ///     comm.receive(other, 7)
    /// }
    /// assert!(World::threads(2).run(both_send).is_ok());
    /// let error = World::threads(2).strict().run(both_send).unwrap_err();
    /// assert_eq!(error.kind(), ErrorKind::Deadlock);
    /// assert!(error.to_string().ends_with(
    ///     "no rank can go on: rank 0 sends tag 7 to rank 1, rank 1 sends tag 7 to rank 0"
    /// ));
    /// ```
    pub fn strict(mut self) -> Self {
        self.settings.strict = true;
        self
    }

    /// Sets the number of threads of each rank's pool, including the rank's own. The default is the
    /// environment variable `SUMAC_NUM_THREADS`, or else the number of processors of the node
    /// divided by its ranks.
    ///
    /// ```
    /// # fn main() -> Result<(), sumac_mpi::Error> {
    /// let world = sumac_mpi::World::threads(2).threads_per_rank(3);
    /// let threads = world.run(|comm| Ok(comm.pool().current_num_threads()))?;
    /// assert_eq!(threads, [3, 3]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn threads_per_rank(mut self, threads: usize) -> Self {
        self.settings.threads = Some(threads);
        self
    }

    /// Emulates nodes of that many consecutive ranks. For tests; affects only
    /// [`threads`](Self::threads).
    ///
    /// ```
    /// # fn main() -> Result<(), sumac_mpi::Error> {
    /// let world = sumac_mpi::World::threads(3).ranks_per_node(2);
    /// let nodes = world.run(|comm| Ok(comm.node().to_vec()))?;
    /// assert_eq!(nodes, [vec![0, 1], vec![0, 1], vec![2]]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn ranks_per_node(mut self, ranks: usize) -> Self {
        self.settings.ranks_per_node = ranks;
        self
    }

    /// Emulates that many nodes, to which ranks are assigned cyclically, as launchers do when told
    /// to map by node. For tests; overrides [`ranks_per_node`](Self::ranks_per_node).
    ///
    /// ```
    /// # fn main() -> Result<(), sumac_mpi::Error> {
    /// let world = sumac_mpi::World::threads(3).nodes_in_turn(2);
    /// let nodes = world.run(|comm| Ok(comm.node().to_vec()))?;
    /// assert_eq!(nodes, [vec![0, 2], vec![1], vec![0, 2]]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn nodes_in_turn(mut self, nodes: usize) -> Self {
        self.settings.nodes_in_turn = Some(nodes);
        self
    }

    /// Sets the greatest length of a message in bytes, 2^30 by default; longer data is sent in
    /// pieces. With the feature `mpi` it must be less than 2^31, as before MPI 4.
    pub fn message_limit(mut self, bytes: usize) -> Self {
        self.settings.message_limit = bytes;
        self
    }

    /// Sets the greatest length in bytes of the chunks that
    /// [`map_reduce`](Communicator::map_reduce) sends; 2^20 by default.
    pub fn chunk(mut self, bytes: usize) -> Self {
        self.settings.chunk = bytes;
        self
    }

    /// Sets the greatest length in bytes of the blocks that `map` gets; 2^16 by default.
    ///
    /// ```
    /// # fn main() -> Result<(), sumac_mpi::Error> {
    /// let world = sumac_mpi::World::threads(2).block(16).chunk(64).message_limit(1 << 20);
    /// let longest = world.run(|comm| {
    ///     let data: Option<Vec<u64>> = (comm.rank() == 0).then(|| vec![1; 100]);
    ///     comm.map_reduce(data.as_deref(), 0, |block| block.len(), |a, b| a.max(b))
    /// })?;
    /// assert_eq!(longest, [Some(2), None]); // elements of eight bytes
    /// # Ok(())
    /// # }
    /// ```
    pub fn block(mut self, bytes: usize) -> Self {
        self.settings.block = bytes;
        self
    }

    /// Runs `main` for each rank, in a thread per rank, or in this thread under MPI. Returns the
    /// results of the ranks of this process: of all ranks if they are threads, of one under MPI.
    ///
    /// ```
    /// # fn main() -> Result<(), sumac_mpi::Error> {
    /// let sums = sumac_mpi::World::threads(3).run(|comm| comm.scan(1, |a: u32, b| a + b))?;
    /// assert_eq!(sums, [1, 2, 3]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Panics
    /// Never: a panic of `main` becomes an error.
    ///
    /// # Errors
    /// The first error that `main` returned at any rank. Under MPI this does not return then: the
    /// rank writes its error to standard error and aborts the job, and the launcher ends the other
    /// ranks. [`ErrorKind::Setup`] if the ranks could not be started, also in the second call under
    /// MPI, which a process can use only once. [`ErrorKind::Disagreement`] if values were
    /// [sent](Communicator::send) but not received.
    pub fn run<R, F>(self, main: F) -> Result<Vec<R>, Error>
    where
        R: Send,
        F: Fn(&Communicator<'_>) -> Result<R, Error> + Sync,
    {
        let mut settings = self.settings.checked()?;
        match self.backend {
            Backend::Threads => as_threads(settings, &main),
            Backend::Mpi => as_process(settings, &main).map(|result| vec![result]),
            Backend::Anywhere => match number("SUMAC_MPI_RANKS")? {
                Some(ranks) => {
                    alone("but SUMAC_MPI_RANKS asks for ranks that are threads")?;
                    settings.ranks = ranks;
                    as_threads(settings.checked()?, &main)
                }
                None if launched() => as_process(settings, &main).map(|result| vec![result]),
                None => as_threads(settings, &main),
            },
        }
    }
}

/// Returns the number of ranks that a launcher says it has started, at least.
fn started() -> Option<usize> {
    // Cray's and others say only which rank this is.
    let ranks = ["PMI_RANK", "PMIX_RANK", "PALS_RANKID"];
    let sizes = [
        "PMI_SIZE",
        "OMPI_COMM_WORLD_SIZE",
        "PMIX_SIZE",
        "SLURM_STEP_NUM_TASKS",
    ];
    let value = |name: &str| env::var(name).ok()?.parse::<usize>().ok();
    let rank = ranks.into_iter().filter_map(value).max();
    // A shell that Slurm started is alone.
    let size = sizes
        .into_iter()
        .filter_map(value)
        .max()
        .filter(|size| *size > 1);
    rank.map(|rank| rank + 1).max(size)
}

/// Returns whether this process is a rank of an MPI job. A program that was built for an MPI always
/// asks it, and may know other launchers.
fn launched() -> bool {
    cfg!(feature = "mpi") || started().is_some()
}

/// Fails in a process that a launcher started as one of several ranks.
fn alone(but: &str) -> Result<(), Error> {
    if started().is_some_and(|ranks| ranks > 1) {
        let message = format!("started as one of several ranks, {but}");
        return Err(Error::new(ErrorKind::Setup, message));
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

fn as_process<R, F>(settings: Settings, main: &F) -> Result<R, Error>
where
    F: Fn(&Communicator<'_>) -> Result<R, Error>,
{
    use crate::transport::{Transport, process::Process};

    let process = Process::start(settings.clone())?;
    if process.size() == 1 {
        alone("but this MPI knows of one: the launcher must be that of the same MPI")?;
    }
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

/// Calls `body`, and turns a panic into an error.
fn caught<R>(body: impl FnOnce() -> Result<R, Error>) -> Result<R, Error> {
    let result = catch_unwind(AssertUnwindSafe(body));
    result.unwrap_or_else(|payload| {
        let error = Error::panic(&*payload);
        // Dropping it could panic again, and neither panic would be reported.
        mem::forget(payload);
        Err(error)
    })
}

fn pool(rank: usize, threads: usize) -> Result<ThreadPool, Error> {
    let builder = ThreadPoolBuilder::new()
        .num_threads(threads)
        // With `thread_name` the pool would compute on workers only; the rank's thread, which calls
        // MPI, must take part.
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

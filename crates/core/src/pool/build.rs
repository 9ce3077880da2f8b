//! Making a pool of what its builder has been asked for.

use super::{
    builder::{MAX_THREADS, Settings},
    callers::Callers,
    ending::Ending,
    error::ThreadPoolBuildError,
    members::Members,
    on_call::Reserve,
    own_threads::OwnThreads,
    permits::PoolPermits,
    shared::Shared,
    spawn::ThreadBuilder,
    stall::{environment, watch::StallWatch},
    thread_pool::ThreadPool,
    threads::Threads,
};
use crate::{
    join::thread::Thread,
    os,
    policy::Policy,
    protocol::{
        idle::Idle,
        primitive::{self, AtomicU32, AtomicUsize, Condvar, Instant, Mutex},
        spares::Spares,
        terms::Term,
        watch::Watch,
    },
};
use std::{
    env,
    ffi::OsStr,
    io,
    sync::{Arc, Once, OnceLock, Weak},
};

/// Spares without a word about them in the builder.
const SPARES: usize = 64;

impl Settings {
    /// Returns what callers do. Names, stack sizes and handlers apply to threads that the pool
    /// starts, so callers wait then.
    fn callers_do(&self) -> Callers {
        match self.callers {
            _ if self.wants_certain_threads() => Callers::Wait,
            callers => callers,
        }
    }

    fn wants_certain_threads(&self) -> bool {
        let handlers = self.handlers.0.is_some() || self.handlers.1.is_some();
        self.name.is_some() || self.stack_size.is_some() || handlers
    }

    /// Builds a pool whose threads are started by `spawn`, or by itself.
    pub(super) fn build(
        mut self,
        spawn: Option<&mut dyn FnMut(ThreadBuilder) -> io::Result<()>>,
    ) -> Result<ThreadPool, ThreadPoolBuildError> {
        let is_custom = spawn.is_some();
        let cpus = primitive::processors();
        let asked = asked_threads(self.num_threads);
        let threads = asked.unwrap_or(cpus).min(MAX_THREADS);
        let own = usize::from(self.use_current_thread);
        let callers = self.callers_do();
        self.start_when_needed &= !self.wants_certain_threads();
        let start_when_needed = self.start_when_needed;
        let stack_size = self.stack_size;
        let follows = asked.is_none() && !is_custom;
        let most = if is_custom { 0 } else { self.max_threads };
        let most = most.clamp(threads, MAX_THREADS);
        let threads = Threads::new((threads, most), own, callers, (follows, cpus));
        let (_, workers) = threads.running_workers();
        let mut names = vec![String::new(); own];
        if let Some(name) = &mut self.name {
            names.extend((own..threads.workers).map(name));
        }
        self.stall = self.stall.take().or_else(environment::asked);
        self.spares = self.spares.map(|spares| spares.min(MAX_THREADS));
        let shared = Shared::new(&self, threads, names, !is_custom);
        // The pool now has the last references to what is users' code.
        drop(self);
        if own == 1 && Thread::current().is_none_or(|thread| !thread.sit_at_base(&shared)) {
            let why = "the current thread already belongs to a thread pool";
            return Err(ThreadPoolBuildError(why.into()));
        }
        // From here on a panic (in a spawn handler) ends the workers that have been started.
        let pool = ThreadPool {
            shared: Arc::clone(&shared),
        };
        if let Some(spawn) = spawn {
            shared.start_by(own..workers, spawn);
        } else if start_when_needed {
            if callers == Callers::Wait {
                // Threads that wait need one to wait for.
                shared.start(own..workers.min(own + 1));
            }
        } else {
            shared.start(own..workers);
            // Its work would run on its callers' stacks.
            let is_refused = own < workers && !shared.threads.has_workers();
            if let (Some(size), true) = (stack_size, is_refused) {
                let why = shared.refusal().map(io::Error::to_string);
                let why = why.unwrap_or_default();
                let why = format!("no thread with a stack of {size} bytes starts: {why}");
                return Err(ThreadPoolBuildError(why.into()));
            }
        }
        Ok(pool)
    }

    /// Returns the scheduling choices.
    fn policy(&self) -> Policy {
        Policy {
            newest_first: self.newest_first,
            ..self.tuning.0
        }
    }
}

impl Shared {
    /// Creates a pool as its builder has been asked for, with seats for workers and spares.
    fn new(
        settings: &Settings,
        threads: Threads,
        names: Vec<String>,
        has_workers: bool,
    ) -> Arc<Self> {
        let (workers, spares) = (threads.workers, settings.spares.unwrap_or(SPARES));
        let (own, end) = threads.running_workers();
        let started = if has_workers { own } else { end };
        let term = |index| Term::new(index < started, index < end || index >= workers);
        let process = match settings.start_when_needed {
            true => 0,
            false => os::process(),
        };
        let stall = settings.stall.clone();
        let shared = Arc::new_cyclic(|this| Shared {
            members: Members::new(workers + spares, end),
            policy: settings.policy(),
            this: Weak::clone(this),
            threads,
            idle: Idle::new(workers, spares),
            watch: Watch::new(),
            spares: Spares::new(spares),
            reserve: Reserve::new(),
            own_threads: OwnThreads {
                has_workers,
                names,
                stack_size: settings.stack_size,
                handlers: Mutex::new(settings.handlers.clone()),
                terms: (0..workers + spares).map(term).collect(),
                running: Mutex::default(),
                is_free: Condvar::new(),
                refusal: OnceLock::new(),
                process: AtomicU32::new(process),
                stopping: AtomicUsize::new(0),
                joins: Mutex::new(()),
                outside: Mutex::default(),
            },
            panic: settings.panic.clone(),
            stall: stall.map(|(after, handler)| StallWatch::new(after, handler)),
            permits: PoolPermits::new(settings.permits.clone()),
            ending: Ending::new(),
            start: Instant::now(),
        });
        (0..end).for_each(|index| shared.members.add_seat(&shared, index));
        shared.idle.lose(own + workers - end);
        shared.spares.set_workers(own < end);
        shared.count_threads();
        if settings.start_when_needed {
            shared.begin_asleep();
        }
        shared
    }
}

/// Returns the number of threads that a program or its environment asks for, if any.
pub(super) fn asked_threads(num_threads: usize) -> Option<usize> {
    static TOLD: Once = Once::new();
    let number = |asked: &OsStr| asked.to_str()?.trim_ascii().parse().ok();
    let asked = match (num_threads, env::var_os("SUMAC_NUM_THREADS")) {
        (0, Some(asked)) => {
            let number = number(&asked);
            if number.is_none() && !asked.is_empty() {
                let why = "sumac: SUMAC_NUM_THREADS is ignored, since it is no number of threads";
                TOLD.call_once(|| environment::print(&format!("{why}: {asked:?}\n")));
            }
            number
        }
        (0, None) => env::var_os("RAYON_NUM_THREADS").and_then(|asked| number(&asked)),
        (n, _) => Some(n),
    };
    asked.filter(|&n| n > 0)
}

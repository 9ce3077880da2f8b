//! The jobserver of make or cargo as permits of pools: a token is a permit.
//!
//! * **Tokens are asked for without waiting**, so that none is on its way when the process ends.
//!   Where the system has no such call, for pipes on other systems than Linux and for those that
//!   `Client::new` makes, a thread waits for one token at a time, keeps it for `KEPT` for the pool
//!   that asks next, and gives it back if none does.
//! * **The end of the process** gives back all tokens, although the global pool's threads are
//!   still there: make counts on each. After that none is taken. (They work on until the process
//!   is gone. A jobserver that is made after that is not closed.) A process that is killed loses
//!   its tokens, and so may one that waits for one as above.
//! * **A child** of fork(2) has none of its parent's tokens, and takes none, if the parent had a
//!   jobserver: it could not give them back at its end. It takes no lock that a thread of the
//!   parent may have held.
//!
//! No code of users runs under the locks.

// `Client::from_env_ext`, and `atexit`.
#![allow(unsafe_code)]

use ::jobserver::{Acquired, Client, FromEnvErrorKind};
use std::{
    fmt, io, process,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak},
    thread,
    time::Duration,
};
use sumac_core::Permits;

/// The jobserver of make or cargo: the right to run so many threads at the same time, which all
/// programs of a build share. Its tokens are [`Permits`] of pools.
///
/// Under `make -j8`, or in a build script of cargo, programs with such pools have together no more
/// workers at work than there are tokens, whatever the sizes of their pools. Each pool has the
/// right to one thread without a token, and ends without any what one thread would end. If tasks
/// wait for each other by a channel, say, without [`blocking`](sumac_core::blocking), the build may
/// hang. See [`Permits`] and [`permits`](sumac_core::ThreadPoolBuilder::permits).
///
/// Clones are the same jobserver. The client is that of the crate `jobserver`, version 0.1.
///
/// # Examples
///
/// ```
/// use sumac::{Jobserver, ThreadPoolBuilder, join};
///
/// fn main() -> Result<(), Box<dyn std::error::Error>> {
///     let mut builder = ThreadPoolBuilder::new();
///     // Not if the program was started by hand.
///     if let Ok(jobserver) = Jobserver::from_env() {
///         builder = builder.permits(jobserver);
///     }
///     builder.build_global()?;
///     assert_eq!(join(|| 1, || 2), (1, 2));
///     Ok(())
/// }
/// ```
///
/// A program may also be the jobserver of its children:
///
/// ```
/// use std::process::Command;
/// use sumac::{Jobserver, ThreadPoolBuilder};
///
/// let client = jobserver::Client::new(3)?;
/// let mut make = Command::new("make");
/// client.configure_make(&mut make);
/// // It runs `make`, and builds a pool that works meanwhile.
/// let pool = ThreadPoolBuilder::new().permits(Jobserver::new(client)).build()?;
/// # drop((make, pool));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Cost
/// A system call for each token that is taken, in vain or not, and one to give it back.
#[derive(Clone)]
pub struct Jobserver(Arc<Server>);

struct Server {
    client: Client,
    /// The process that may use it.
    process: u32,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The tokens that pools hold.
    taken: Vec<Acquired>,
    /// One that has been waited for.
    ready: Option<Acquired>,
    /// Whether a thread waits for one.
    is_awaited: bool,
    /// Whether the process ends.
    is_closed: bool,
}

/// For how long a token that has been waited for is kept: longer than pools wait between two
/// attempts.
const KEPT: Duration = Duration::from_millis(20);

impl Jobserver {
    /// Connects to the jobserver that the environment names, in `CARGO_MAKEFLAGS`, `MAKEFLAGS` or
    /// `MFLAGS`. Call it first in `main`: it is there by numbers of file descriptors, which files
    /// that the program opens could have if make did not pass them on.
    ///
    /// Later calls return the same one.
    ///
    /// # Errors
    /// [`NotFound`](io::ErrorKind::NotFound) if the environment names none. Others if it does and
    /// there is none: make passes it on only to commands of recipes that begin with `+` or contain
    /// `$(MAKE)`.
    pub fn from_env() -> io::Result<Jobserver> {
        static FOUND: OnceLock<Jobserver> = OnceLock::new();
        if let Some(jobserver) = FOUND.get() {
            return Ok(jobserver.clone());
        }
        // SAFETY: it uses the descriptors that the environment names if they are pipes, and does
        // not close them. They are those of the jobserver, unless the environment is wrong and the
        // program has opened pipes of its own by now; then these lose or gain bytes.
        let found_there = unsafe { Client::from_env_ext(true) };
        let client = found_there.client.map_err(|error| {
            let kind = match error.kind() {
                FromEnvErrorKind::NoEnvVar | FromEnvErrorKind::NoJobserver => {
                    io::ErrorKind::NotFound
                }
                _ => io::ErrorKind::InvalidInput,
            };
            io::Error::new(kind, error)
        })?;
        let jobserver = Jobserver::new(client);
        Ok(FOUND.get_or_init(|| jobserver).clone())
    }

    /// Creates the permits of this client's tokens. In a child of fork(2) whose parent has ever had
    /// a jobserver there are none. Fork while no other thread calls this.
    pub fn new(client: Client) -> Jobserver {
        let server = Arc::new(Server {
            client,
            process: process::id(),
            state: Mutex::default(),
        });
        server.close_at_exit();
        Jobserver(server)
    }
}

impl Permits for Jobserver {
    fn try_take(&self) -> bool {
        if !self.0.is_here() {
            return false;
        }
        let mut state = lock(&self.0.state);
        if state.is_closed {
            return false;
        }
        let mut token = state.ready.take();
        if token.is_none() {
            token = match self.0.client.try_acquire() {
                Ok(token) => token,
                Err(error) => {
                    if error.kind() == io::ErrorKind::Unsupported {
                        self.0.wait_elsewhere(&mut state, Arc::downgrade(&self.0));
                    }
                    None
                }
            };
        }
        let is_taken = token.is_some();
        state.taken.extend(token);
        is_taken
    }

    fn give_back(&self) {
        if self.0.is_here() {
            lock(&self.0.state).taken.pop();
        }
    }
}

impl Server {
    /// Returns whether the calling process is no child of the one that may use it. (It may have
    /// locked the state.)
    fn is_here(&self) -> bool {
        self.process == process::id()
    }

    /// Lets another thread wait for a token, unless one does.
    fn wait_elsewhere(&self, state: &mut State, this: Weak<Server>) {
        if state.is_awaited {
            return;
        }
        let client = self.client.clone();
        let wait = move || {
            let token = client.acquire();
            let Some(server) = this.upgrade() else { return };
            let mut state = lock(&server.state);
            // Without a jobserver no further thread waits for it.
            state.is_awaited = token.is_err();
            if state.is_closed {
                return;
            }
            state.ready = token.ok();
            drop(state);
            thread::sleep(KEPT);
            lock(&server.state).ready = None;
        };
        let thread = thread::Builder::new().name("sumac-jobserver".into());
        state.is_awaited = thread.spawn(wait).is_ok();
    }

    /// Gives back all tokens, and takes no more.
    fn close(&self) {
        let mut state = lock(&self.state);
        state.is_closed = true;
        state.ready = None;
        state.taken.clear();
    }

    /// Closes it when the process ends; at once in a child of the process whose end is seen.
    fn close_at_exit(self: &Arc<Server>) {
        static OPEN: OnceLock<(u32, Mutex<Vec<Weak<Server>>>)> = OnceLock::new();

        extern "C" fn close_all() {
            let Some((process, open)) = OPEN.get() else {
                return;
            };
            // Before anything is locked.
            if *process == process::id() {
                let servers = std::mem::take(&mut *lock(open));
                servers
                    .iter()
                    .filter_map(Weak::upgrade)
                    .for_each(|server| server.close());
            }
        }

        let (process, open) = OPEN.get_or_init(|| {
            at_exit(close_all);
            (process::id(), Mutex::default())
        });
        if *process != process::id() {
            return self.close();
        }
        let mut open = lock(open);
        open.retain(|other| other.strong_count() > 0);
        open.push(Arc::downgrade(self));
    }
}

/// Calls `f` when the process ends, by a return from `main` or by `std::process::exit`, where the
/// system has such calls.
fn at_exit(f: extern "C" fn()) {
    #[cfg(all(unix, not(miri)))]
    {
        unsafe extern "C" {
            fn atexit(f: extern "C" fn()) -> std::ffi::c_int;
        }
        // SAFETY: a function without arguments. It stays until the process ends, or the library
        // that this call is in is unloaded: then the system calls it before.
        unsafe { atexit(f) };
    }
    #[cfg(not(all(unix, not(miri))))]
    let _ = f;
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Drop for Server {
    /// A child of the process has no tokens to give back.
    fn drop(&mut self) {
        if !self.is_here() {
            let state = self.state.get_mut();
            let state = state.unwrap_or_else(PoisonError::into_inner);
            let tokens = state.taken.drain(..).chain(state.ready.take());
            tokens.for_each(Acquired::drop_without_releasing);
        }
    }
}

impl fmt::Debug for Jobserver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Jobserver").finish_non_exhaustive()
    }
}

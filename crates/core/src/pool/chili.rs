//! The rest of chili 0.2's interface, so that programs need only change the name of the crate.

use super::{builder::ThreadPoolBuilder, global, thread_pool::ThreadPool};
use std::{num::NonZero, time::Duration};

/// The configuration of a pool, as in chili. [`ThreadPoolBuilder`] has more options.
#[derive(Clone, Debug)]
pub struct Config {
    /// The number of threads, including the caller; `None` for one per processor.
    pub thread_count: Option<NonZero<usize>>,
    /// Ignored: sumac has no heartbeat; its idle threads ask for work.
    pub heartbeat_interval: Duration,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            thread_count: None,
            heartbeat_interval: Duration::from_micros(100),
        }
    }
}

impl ThreadPool {
    /// Creates a pool with one thread per processor, or as the environment sets it, see
    /// [`ThreadPoolBuilder::num_threads`].
    pub fn new() -> Self {
        Self::with_config(Config::default())
    }

    /// Creates a pool with a configuration.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::{num::NonZero, time::Duration};
    /// use sumac::{Config, ThreadPool};
    ///
    /// let pool = ThreadPool::with_config(Config {
    ///     thread_count: NonZero::new(2),
    ///     heartbeat_interval: Duration::from_micros(50),
    /// });
    /// assert_eq!(pool.current_num_threads(), 2);
    /// ```
    pub fn with_config(config: Config) -> Self {
        ThreadPoolBuilder::new()
            .num_threads(config.thread_count.map_or(0, NonZero::get))
            .build()
            .expect("a number of threads is a valid configuration")
    }

    /// Makes this pool the global one.
    ///
    /// # Errors
    /// If there already is a global pool: returns this one.
    pub fn set_global(self) -> Result<(), Self> {
        global::set(self)
    }

    /// Returns the global pool, which is built at its first use.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut scope = sumac::ThreadPool::global().scope();
    /// assert_eq!(scope.join(|_| 1, |_| 2), (1, 2));
    /// ```
    pub fn global() -> &'static ThreadPool {
        global::pool()
    }
}

impl Default for ThreadPool {
    fn default() -> Self {
        Self::new()
    }
}

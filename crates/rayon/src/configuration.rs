//! What rayon had before `ThreadPoolBuilder`, and keeps.
#![allow(deprecated)]

use crate::{ThreadPool, ThreadPoolBuilder};
use std::{any::Any, error::Error, fmt};

/// The older name of [`ThreadPoolBuilder`].
#[deprecated(note = "Use `ThreadPoolBuilder`")]
#[derive(Default)]
pub struct Configuration(ThreadPoolBuilder);

impl Configuration {
    /// As [`ThreadPoolBuilder::new`].
    pub fn new() -> Configuration {
        Configuration(ThreadPoolBuilder::new())
    }

    /// As [`ThreadPoolBuilder::build`].
    ///
    /// # Errors
    /// As there.
    pub fn build(self) -> Result<ThreadPool, Box<dyn Error + 'static>> {
        self.0.build().map_err(Box::from)
    }

    /// As [`ThreadPoolBuilder::thread_name`].
    pub fn thread_name<F>(self, closure: F) -> Self
    where
        F: FnMut(usize) -> String + 'static,
    {
        Configuration(self.0.thread_name(closure))
    }

    /// As [`ThreadPoolBuilder::num_threads`].
    pub fn num_threads(self, num_threads: usize) -> Configuration {
        Configuration(self.0.num_threads(num_threads))
    }

    /// As [`ThreadPoolBuilder::panic_handler`].
    pub fn panic_handler<H>(self, panic_handler: H) -> Configuration
    where
        H: Fn(Box<dyn Any + Send>) + Send + Sync + 'static,
    {
        Configuration(self.0.panic_handler(panic_handler))
    }

    /// As [`ThreadPoolBuilder::stack_size`].
    pub fn stack_size(self, stack_size: usize) -> Self {
        Configuration(self.0.stack_size(stack_size))
    }

    /// As [`ThreadPoolBuilder::breadth_first`].
    pub fn breadth_first(self) -> Self {
        Configuration(self.0.breadth_first())
    }

    /// As [`ThreadPoolBuilder::start_handler`].
    pub fn start_handler<H>(self, start_handler: H) -> Configuration
    where
        H: Fn(usize) + Send + Sync + 'static,
    {
        Configuration(self.0.start_handler(start_handler))
    }

    /// As [`ThreadPoolBuilder::exit_handler`].
    pub fn exit_handler<H>(self, exit_handler: H) -> Configuration
    where
        H: Fn(usize) + Send + Sync + 'static,
    {
        Configuration(self.0.exit_handler(exit_handler))
    }
}

impl fmt::Debug for Configuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// As [`ThreadPoolBuilder::build_global`].
///
/// # Errors
/// As there.
#[deprecated(note = "use `ThreadPoolBuilder::build_global`")]
pub fn initialize(config: Configuration) -> Result<(), Box<dyn Error>> {
    config.0.build_global().map_err(Box::from)
}

impl ThreadPool {
    /// As [`ThreadPoolBuilder::build`].
    ///
    /// # Errors
    /// As there.
    #[deprecated(note = "Use `ThreadPoolBuilder::build`")]
    pub fn new(configuration: Configuration) -> Result<ThreadPool, Box<dyn Error>> {
        configuration.build()
    }
}

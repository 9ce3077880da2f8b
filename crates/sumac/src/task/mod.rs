//! Additions to tasks: futures, and a value per worker.

mod asynchronous;
mod local;

pub use self::{
    asynchronous::{block_on, spawn_async, spawn_async_in},
    local::WorkerLocal,
};

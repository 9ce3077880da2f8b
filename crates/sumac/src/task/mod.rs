//! What goes with tasks: futures, a value per worker.

mod asynchronous;
mod local;

pub use self::{
    asynchronous::{block_on, spawn_async, spawn_async_in},
    local::WorkerLocal,
};

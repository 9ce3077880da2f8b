//! What goes with tasks: futures, cancellation, a value per worker.

mod asynchronous;
mod cancel;
mod local;

pub use self::{
    asynchronous::{block_on, spawn_async, spawn_async_in},
    cancel::CancelToken,
    local::WorkerLocal,
};

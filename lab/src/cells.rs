//! Experiments as data. A TOML file names problems, sizes, threads, contenders (`file.rs`); a plan
//! is the list of its cells (`plan.rs`). Cells are visited round by round (`runner.rs`), each visit
//! in a process of its own (`child.rs`) that times itself (`task.rs`, `gauge.rs`) and whose outcome
//! becomes a line of a result file (`log.rs`).

mod child;
mod file;
mod gauge;
mod log;
mod plan;
mod runner;
mod task;

#[cfg(test)]
mod tests;

pub(crate) use child::{run as run_process, visit};
pub(crate) use file::{Block, Document, Threads, locate};
pub(crate) use log::{Before, Log};
pub(crate) use plan::{Plan, Planned};
pub(crate) use runner::run;
pub(crate) use task::{cell, on};

//! A server on tokio evaluates a hundred flags for each of many requests at once, by a parallel
//! loop in each request's task. The pool's threads compete with tokio's for the processors, and the
//! requests with each other for the pool.
//!
//! <https://github.com/PostHog/posthog/pull/46986>

use tokio::runtime::{Builder, Runtime};

use super::library::prelude::*;
use crate::{Call, Case, Form, compute, wrapping};

pub(super) const CASE: Case = Case {
    name: "flags",
    source: "PostHog/posthog#46986",
    threads: None,
    is_about_cpu: false,
    prepare,
};

const TASKS: u64 = 32;
const FLAGS: u64 = 100;
/// Some microseconds.
const STEPS: u32 = 1000;

fn prepare(form: Form) -> Call {
    let runtime = Builder::new_multi_thread().worker_threads(2).build();
    let runtime = runtime.expect("a runtime");
    form.call(
        runtime,
        |runtime| serve(runtime, |task| wrapping(flags(task).map(evaluate))),
        |runtime| {
            serve(runtime, |task| {
                flags(task)
                    .into_par_iter()
                    .map(evaluate)
                    .reduce(|| 0, u64::wrapping_add)
            })
        },
    )
}

fn flags(task: u64) -> std::ops::Range<u64> {
    task * FLAGS..(task + 1) * FLAGS
}

fn evaluate(flag: u64) -> u64 {
    compute(flag, STEPS)
}

fn serve(runtime: &Runtime, answer: fn(u64) -> u64) -> u64 {
    let tasks: Vec<_> = (0..TASKS)
        .map(|task| runtime.spawn(async move { answer(task) }))
        .collect();
    let answers = tasks.into_iter().map(|task| runtime.block_on(task));
    wrapping(answers.map(|answer| answer.expect("no panics")))
}

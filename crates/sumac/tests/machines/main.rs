//! Machines as containers and administrators make them: with less than a processor, with processors
//! that come and go, with threads and calls that the system refuses; and pools with hundreds of
//! threads. What would change other tests' machine too runs in a child process.
//!
//! What cannot be tested here says so with a line that begins with `SKIPPED: `, which
//! `ci/machines.sh` repeats.
#![cfg(all(target_os = "linux", not(miri)))]

mod affinity;
mod groups;
mod refusals;
mod wide;
mod without_threads;

use std::{
    fs,
    process::Command,
    sync::atomic::{AtomicUsize, Ordering::SeqCst},
    time::Duration,
};
use sumac::{ThreadPool, prelude::*};
use sumac_test_support::{LONG, Style, assert_usable, enter, run, sum, wait_until};

/// The first line of a child: its machine could be made.
const BEGUN: &str = "the test has begun";

/// Runs a child that prints [`BEGUN`]. It must succeed, unless its machine cannot be made.
#[track_caller]
fn run_there(what: &str, command: Command) {
    let ended = run(command, LONG);
    if ended.output.contains(BEGUN) {
        assert!(
            ended.status.success(),
            "{what}: {}\n{}",
            ended.status,
            ended.output
        );
        for line in ended.output.lines().filter(|line| line.starts_with("  ")) {
            println!("{what}:{line}");
        }
    } else {
        assert!(!ended.status.success(), "{what}: no test was run");
        skipped(what, &ended.output);
    }
}

fn skipped(what: &str, why: &str) {
    let why = why.lines().find(|line| !line.trim().is_empty());
    eprintln!(
        "SKIPPED: {what}: {}",
        why.unwrap_or("it cannot be had here")
    );
}

/// The same program, started by another one that makes its machine.
fn through(program: &str, arguments: &[&str], command: &Command) -> Command {
    let mut outer = Command::new(program);
    outer.args(arguments);
    outer.arg(command.get_program()).args(command.get_args());
    for (key, value) in command.get_envs() {
        outer.env(key, value.unwrap_or_default());
    }
    outer
}

/// The numbers of this process's threads.
fn threads_here() -> Vec<i32> {
    let tasks = fs::read_dir("/proc/self/task").expect("the threads of this process");
    let names = tasks.filter_map(|task| task.ok()?.file_name().into_string().ok());
    names.filter_map(|name| name.parse().ok()).collect()
}

/// Joins, loops, tasks and calls of all threads.
fn exercise(pool: &ThreadPool) {
    assert_usable(pool);
    assert_eq!(
        pool.install(|| (0..10_000_u64).into_par_iter().sum::<u64>()),
        49_995_000
    );
    let tasks: Vec<_> = (0..20_u64).map(|i| pool.spawn(move || i * i)).collect();
    let squares = tasks.into_iter().map(|task| task.join()).sum::<u64>();
    assert_eq!(squares, 2_470);
    let ran = AtomicUsize::new(0);
    pool.install(|| {
        sumac::scope(|scope| {
            for _ in 0..20 {
                scope.spawn(|_| {
                    ran.fetch_add(1, SeqCst);
                });
            }
        });
    });
    assert_eq!(ran.load(SeqCst), 20);
    let called = pool.broadcast(|call| call.index());
    assert!(called.into_iter().eq(0..pool.current_num_threads()));
}

/// Forks for so long, and returns how many joins there were.
fn keep_busy(pool: &ThreadPool, time: Duration) -> u64 {
    let begin = std::time::Instant::now();
    let mut joins = 0;
    while begin.elapsed() < time {
        for style in Style::ALL {
            assert_eq!(enter(style, pool, |cx| sum(cx, 0, 2_000)), 1_999_000);
            joins += 1_999;
        }
    }
    joins
}

/// That the pool ends and takes its threads along.
fn assert_ends(pool: ThreadPool, threads_before: usize) {
    pool.wait_until_stopped();
    // A thread that was joined may still be listed for a moment.
    let ended = wait_until(LONG / 4, || threads_here().len() <= threads_before);
    assert!(ended, "threads stay: {:?}", threads_here());
}

//! The two deadlocks that hang here as on rayon, since no thread is left: `SUMAC_STALL` says what
//! waits for what. No thread is added. Each in a child process, which has its own global pool.

mod common;

use common::*;
use std::{
    sync::{Arc, Mutex, mpsc},
    thread,
    time::{Duration, Instant},
};
use sumac_rayon::{ThreadPoolBuilder, current_num_threads, scope, spawn};

const STALL: &str = "SUMAC_STALL";
const THREADS: &str = "RAYON_NUM_THREADS";
/// How long the deadlocks last.
const LIMIT: Duration = Duration::from_secs(1);

/// The standard error of the child that runs this test.
fn told(test: &'static str, asked: &'static str) -> String {
    let output = child(test, &[(STALL, asked), (THREADS, "2")]);
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{text}");
    text
}

/// Asserts that there is a report with these parts.
fn assert_says(text: &str, parts: &[String]) {
    for part in parts {
        assert!(text.contains(part), "no {part:?} in:\n{text}");
    }
}

fn line_of(marker: &str) -> u32 {
    let has_marker = |line: &&str| line.ends_with(marker);
    let before = include_str!("stalls.rs")
        .lines()
        .take_while(|line| !has_marker(line));
    before.count() as u32 + 1
}

/// An outside caller holds a lock while it waits for the pool; tasks that want the lock occupy all
/// threads.
#[test]
fn a_caller_with_a_lock_that_tasks_want() {
    const TEST: &str = "a_caller_with_a_lock_that_tasks_want";
    if is_child(TEST) {
        let lock = Arc::new(Mutex::new(()));
        let (begun, has_begun) = mpsc::channel();
        let held = lock.lock().expect("no panic");
        for _ in 0..current_num_threads() {
            let (lock, begun) = (Arc::clone(&lock), begun.clone());
            #[rustfmt::skip]
            spawn(move || { // tasks
                begun.send(()).expect("the test waits");
                let start = Instant::now();
                while lock.try_lock().is_err() && start.elapsed() < LIMIT {
                    thread::sleep(Duration::from_millis(1));
                }
            });
        }
        (0..current_num_threads()).for_each(|_| has_begun.recv().expect("it begins"));
        #[rustfmt::skip]
        scope(|s| { // call
            s.spawn(|_| ());
        });
        drop(held);
        return;
    }
    let text = told(TEST, "0.05,add");
    let (file, tasks, call) = (file!(), line_of("{ // tasks"), line_of("{ // call"));
    let parts = [
        "in a pool of 2 threads".to_owned(),
        format!("waits: 1 call at {file}:{call}:"),
        format!("at {file}:{tasks}:"),
    ];
    assert_says(&text, &parts);
}

/// Tasks on all threads wait, on a channel, for tasks that have not started.
#[test]
fn tasks_that_wait_for_tasks_behind_them() {
    const TEST: &str = "tasks_that_wait_for_tasks_behind_them";
    if is_child(TEST) {
        let pool = ThreadPoolBuilder::new().num_threads(2).build();
        let pool = pool.expect("a pool");
        let (begun, has_begun) = mpsc::channel();
        let (ended, end) = mpsc::channel();
        let mut senders = Vec::new();
        for _ in 0..2 {
            let (send, receive) = mpsc::channel();
            let (begun, ended) = (begun.clone(), ended.clone());
            senders.push(send);
            #[rustfmt::skip]
            pool.spawn(move || { // front
                begun.send(()).expect("the test waits");
                ended.send(receive.recv_timeout(LIMIT)).expect("the test waits");
            });
        }
        (0..2).for_each(|_| has_begun.recv().expect("it begins"));
        for send in senders {
            #[rustfmt::skip]
            pool.spawn(move || { // behind
                send.send(7).ok();
            });
        }
        // Then there is a thread for the other's.
        assert_eq!(end.recv(), Ok(Err(mpsc::RecvTimeoutError::Timeout)));
        end.recv().expect("it ends").ok();
        return;
    }
    let text = told(TEST, "0.05,add");
    let (file, front, behind) = (file!(), line_of("{ // front"), line_of("{ // behind"));
    let parts = [
        format!("waits: 2 tasks at {file}:{behind}:"),
        format!("at {file}:{front}:"),
    ];
    assert_says(&text, &parts);
}

#[test]
fn nonsense_is_told_once_and_ignored() {
    const TEST: &str = "nonsense_is_told_once_and_ignored";
    if is_child(TEST) {
        let pools = [pool(1), pool(2)];
        for pool in &pools {
            pool.spawn(|| thread::sleep(Duration::from_millis(100)));
            pool.install(|| ());
        }
        return;
    }
    for asked in ["nan", "inf", "-1", "add", "5;add"] {
        let text = told(TEST, asked);
        assert_eq!(text.matches("which is ignored").count(), 1, "{text}");
        assert!(!text.contains("a stall:"), "{text}");
    }
}

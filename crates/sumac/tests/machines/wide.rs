//! Pools of hundreds of threads: what they cost to start, to keep and to end, and that they work.

use super::{BEGUN, assert_ends, exercise, keep_busy, run_there, threads_here};
use nix::time::{ClockId, clock_gettime};
use std::{
    fs, thread,
    time::{Duration, Instant},
};
use sumac::{ThreadPool, prelude::*};
use sumac_test_support::{LONG, alone, child, child_argument, pool, wait_until, waited};

/// The processor time of this process.
fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID);
    time.expect("the clock of this process").into()
}

/// The memory of this process that is in use, in kilobytes.
fn memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("the status of this process");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let number = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse().ok());
    number.expect("a number of kilobytes")
}

/// Waits until no thread of the process has taken processor time for a while.
fn come_to_rest() {
    let is_at_rest = || {
        let before = processor_time();
        thread::sleep(Duration::from_millis(30));
        processor_time() - before < Duration::from_millis(1)
    };
    assert!(
        wait_until(LONG / 4, is_at_rest),
        "idle threads do not come to rest"
    );
}

fn assert_cheap(threads: usize) {
    let before = threads_here().len();
    let hundreds = threads as f64 / 100.0;
    // A busy machine makes threads look again that would sleep by now: the best of some tries.
    let start = |_| {
        let begin = processor_time();
        let wide = pool(threads);
        come_to_rest();
        let took = processor_time() - begin;
        assert_eq!(threads_here().len(), before + threads - 1);
        assert!(wide.spawn_error().is_none());
        assert_ends(wide, before);
        (took, processor_time() - begin - took)
    };
    let (started, ended) = (0..5).map(start).min().expect("some tries");
    let per_hundred = started.div_f64(hundreds);
    println!("  {threads} threads: start {started:?}, {per_hundred:?} for 100; end {ended:?}");
    assert!(
        per_hundred < Duration::from_millis(20),
        "{per_hundred:?} to start 100 threads"
    );
    assert!(
        ended.div_f64(hundreds) < Duration::from_millis(40),
        "{ended:?} to end"
    );
}

fn assert_small(threads: usize) {
    let before = memory();
    let wide = pool(threads);
    come_to_rest();
    let each = (memory() - before) as f64 / threads as f64;
    println!("  {threads} threads: {each:.1} kB each");
    assert!(each < 40.0, "{each} kB per worker");
    // What other processes do makes no processor time here.
    let begin = processor_time();
    thread::sleep(Duration::from_millis(500));
    let idle = processor_time() - begin;
    println!("  {threads} idle threads: {idle:?} in half a second");
    assert!(idle < Duration::from_millis(10), "{idle:?} of idle threads");
    wide.wait_until_stopped();
}

fn assert_works(threads: usize) {
    for make in [pool as fn(usize) -> ThreadPool, waited] {
        let before = threads_here().len();
        let wide = make(threads);
        exercise(&wide);
        let joins = keep_busy(&wide, Duration::from_millis(300));
        let begin = Instant::now();
        let mut loops = 0;
        while begin.elapsed() < Duration::from_millis(300) {
            let sum: u64 = wide.install(|| (0..20_000_u64).into_par_iter().map(|i| i ^ 1).sum());
            assert_eq!(sum, 199_990_000);
            loops += 1;
        }
        println!("  {threads} threads: {joins} joins, {loops} loops");
        thread::scope(|callers| {
            for _ in 0..4 {
                callers.spawn(|| keep_busy(&wide, Duration::from_millis(300)));
            }
        });
        assert_ends(wide, before);
    }
}

fn wide_pool(name: &'static str, test: impl Fn(usize)) {
    let _alone = alone();
    if let Some(threads) = child_argument(name) {
        println!("{BEGUN}");
        return test(threads.parse().expect("a number"));
    }
    for threads in [96, 256, 1_000] {
        run_there(name, child(name, &threads.to_string()));
    }
}

#[test]
fn hundreds_of_threads_start_and_end_cheaply() {
    wide_pool(
        "wide::hundreds_of_threads_start_and_end_cheaply",
        assert_cheap,
    );
}

#[test]
fn hundreds_of_idle_threads_are_small_and_quiet() {
    wide_pool(
        "wide::hundreds_of_idle_threads_are_small_and_quiet",
        assert_small,
    );
}

#[test]
fn hundreds_of_threads_join_and_loop() {
    wide_pool("wide::hundreds_of_threads_join_and_loop", assert_works);
}

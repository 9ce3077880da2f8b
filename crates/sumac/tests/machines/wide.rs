//! Pools of hundreds of threads: what they cost to start, to keep and to end, and that they work.

use super::{BEGUN, assert_ends, exercise, keep_busy, run_there, threads_here};
use nix::time::{ClockId, clock_gettime};
use std::{
    fs,
    sync::{Arc, RwLock},
    thread,
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

/// Returns the processor time that it takes to start something, until it rests, and to end it.
fn cost<T>(start: impl FnOnce() -> T, end: impl FnOnce(T)) -> [Duration; 2] {
    let begin = processor_time();
    let begun = start();
    come_to_rest();
    let started = processor_time() - begin;
    end(begun);
    [started, processor_time() - begin - started]
}

/// The cost of as many threads of std's, which wait for a lock.
fn plain_threads(threads: usize) -> [Duration; 2] {
    let before = threads_here().len();
    let gate = Arc::new(RwLock::new(()));
    let wait = |_| {
        let gate = Arc::clone(&gate);
        thread::spawn(move || drop(gate.read()))
    };
    let start = || {
        let shut = gate.write();
        (shut, (1..threads).map(wait).collect::<Vec<_>>())
    };
    cost(start, |(shut, all)| {
        drop(shut);
        for thread in all {
            thread.join().expect("a thread without a panic");
        }
        assert!(wait_until(LONG / 4, || threads_here().len() == before));
    })
}

fn pool_threads(threads: usize) -> [Duration; 2] {
    let before = threads_here().len();
    cost(
        || pool(threads),
        |wide| {
            assert_eq!(threads_here().len(), before + threads - 1);
            assert!(wide.spawn_error().is_none());
            assert_ends(wide, before);
        },
    )
}

fn assert_cheap(threads: usize) {
    // A busy machine makes threads look again that would sleep by now: the best of some tries.
    let best = |measure: fn(usize) -> [Duration; 2]| {
        let tries: Vec<_> = (0..5).map(|_| measure(threads)).collect();
        [0, 1].map(|part| tries.iter().map(|parts| parts[part]).min().expect("a try"))
    };
    let (plain, pool) = (best(plain_threads), best(pool_threads));
    println!("  {threads} threads: start and end {pool:?}, of std's {plain:?}");
    let times = |part: usize| pool[part].div_duration_f64(plain[part]);
    assert!(times(0) < 3.0, "{:.1} times std's time to start", times(0));
    // Each looks once more at all others, in this build without optimisation.
    assert!(times(1) < 20.0, "{:.1} times std's time to end", times(1));
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

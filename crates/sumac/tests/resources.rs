//! What pools take from the machine: none of its processor time while they are idle, only the
//! threads that the operating system grants, and next to no time to shut down.

use std::{
    fs, hint, io,
    path::{Path, PathBuf},
    process::Command,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    thread,
    time::{Duration, Instant},
};

use sumac::{Callers, ThreadPoolBuilder};
use sumac_test_support::{
    Cx, LONG, Style, alone, assert_soon, assert_usable, child, child_argument, enter, keep_forking,
    median, on_a_worker, pool, run, wait_until, watched_pool, within,
};

#[test]
fn absurd_numbers_of_threads_end_in_a_pool_of_those_that_started() {
    let _alone = alone();
    for threads in [100_000, usize::MAX] {
        within(LONG, "absurd number", move || {
            let mut started = 0;
            let pool = ThreadPoolBuilder::new()
                .num_threads(threads)
                .spawn_handler(|worker| {
                    started += 1;
                    if started > 3 {
                        return Err(io::Error::other("enough"));
                    }
                    thread::spawn(|| worker.run());
                    Ok(())
                })
                .build()
                .expect("a pool");
            assert_eq!(pool.current_num_threads(), 4);
            assert_eq!(
                pool.spawn_error().map(ToString::to_string).as_deref(),
                Some("enough")
            );
            assert_usable(&pool);
        });
    }
}

/// Printed by a child that could start in little space.
const BEGUN: &str = "the test has begun";

/// Runs `command` with an address space of so many kilobytes; it must succeed. Sanitizers reserve
/// more than any such limit: then nothing can be tested.
fn run_in_little_space(kilobytes: u32, command: Command) {
    let mut shell = Command::new("sh");
    shell
        .args(["-c", &format!("ulimit -v {kilobytes} && exec \"$@\""), "sh"])
        .arg(command.get_program())
        .args(command.get_args());
    for (key, value) in command.get_envs() {
        shell.env(key, value.unwrap_or_default());
    }
    let ended = run(shell, LONG);
    if ended.output.contains(BEGUN) {
        assert!(ended.status.success(), "{}\n{}", ended.status, ended.output);
    } else {
        assert!(
            !ended.status.success(),
            "no test was run:\n{}",
            ended.output
        );
        eprintln!("not tested: this program does not start in {kilobytes} kB of address space");
    }
}

#[test]
fn pool_works_with_no_threads_at_all() {
    let _alone = alone();
    const NAME: &str = "pool_works_with_no_threads_at_all";
    if child_argument(NAME).is_none() {
        // There is room for this test's own.
        let mut large_stack = child(NAME, "");
        large_stack.env("RUST_MIN_STACK", (400 << 20).to_string());
        return run_in_little_space(700 << 10, large_stack);
    }
    println!("{BEGUN}");
    for callers in [Callers::TakePart, Callers::Wait] {
        let refused = ThreadPoolBuilder::new().num_threads(4).callers(callers);
        let refused = refused.build().expect("a pool without workers");
        let error = refused.spawn_error().expect("the refusal");
        assert!(!error.to_string().is_empty());
        assert_usable(&refused);
        let here = thread::current().id();
        let (a, b) = refused.join(|| thread::current().id(), || thread::current().id());
        assert_eq!((a, b), (here, here));
    }
}

#[test]
fn pool_works_with_the_threads_it_got() {
    let _alone = alone();
    const NAME: &str = "pool_works_with_the_threads_it_got";
    if child_argument(NAME).is_none() {
        return run_in_little_space(700 << 10, child(NAME, ""));
    }
    println!("{BEGUN}");
    let some = ThreadPoolBuilder::new()
        .num_threads(64)
        .stack_size(32 << 20)
        .build()
        .expect("a pool with some of its threads");
    assert!(
        some.spawn_error().is_some(),
        "64 stacks of 32 MiB do not fit"
    );
    assert!(some.current_num_threads() < 64);
    assert_usable(&some);
    on_a_worker(&some, || ());
}

#[test]
fn pool_whose_threads_start_when_needed_works_with_those_it_got() {
    let _alone = alone();
    const NAME: &str = "pool_whose_threads_start_when_needed_works_with_those_it_got";
    if child_argument(NAME).is_none() {
        let mut large_stacks = child(NAME, "");
        large_stacks.env("RUST_MIN_STACK", (32 << 20).to_string());
        return run_in_little_space(700 << 10, large_stacks);
    }
    println!("{BEGUN}");
    let some = ThreadPoolBuilder::new()
        .num_threads(64)
        .start_when_needed()
        .build()
        .expect("a pool");
    assert_eq!(some.current_num_threads(), 64);
    assert_usable(&some);
    let called = some.broadcast(|call| call.index());
    assert!(some.spawn_error().is_some(), "64 stacks of 32 MiB fit");
    assert!(called.into_iter().eq(0..some.current_num_threads()));
    assert_usable(&some);
    on_a_worker(&some, || ());
    some.wait_until_stopped();
}

/// Uses that much of the stack.
fn deep(bytes: usize) {
    let mut block = [0_u8; 16 << 10];
    hint::black_box(&mut block);
    if bytes > block.len() {
        deep(bytes - block.len());
    }
    hint::black_box(&mut block);
}

/// Deeper than the stacks that the standard library gives to threads.
#[test]
fn a_worker_recurses_as_deep_as_most_main_threads() {
    let _alone = alone();
    let one = ThreadPoolBuilder::new().num_threads(1);
    let pool = one.callers(Callers::Wait).build().expect("a pool");
    pool.install(|| deep(4 << 20));
}

/// How many threads this process has.
fn threads_here() -> usize {
    fs::read_dir("/proc/self/task").map_or(0, Iterator::count)
}

#[test]
fn threads_of_the_global_pool_start_when_they_are_needed() {
    let _alone = alone();
    const NAME: &str = "threads_of_the_global_pool_start_when_they_are_needed";
    if child_argument(NAME).is_none() {
        let mut wide = child(NAME, "");
        wide.env("SUMAC_NUM_THREADS", "64");
        let ended = run(wide, LONG);
        assert!(ended.status.success(), "{}\n{}", ended.status, ended.output);
        return;
    }
    let before = threads_here();
    assert_eq!(sumac::current_num_threads(), 64);
    assert_eq!(threads_here(), before, "nothing has been forked");
    assert_eq!(sumac::join(|| 1, || 2), (1, 2));
    // The leader and its deputy.
    assert!(threads_here() <= before + 2, "one join");
    // Each half waits until the other runs.
    fn wide(depth: u32, running: &AtomicUsize, all: usize) {
        if depth > 0 {
            let half = || wide(depth - 1, running, all);
            sumac::join(half, half);
            return;
        }
        running.fetch_add(1, SeqCst);
        let done = || running.load(SeqCst) >= all;
        assert!(keep_forking(&mut Cx::Join, done), "not all run at once");
    }
    wide(3, &AtomicUsize::new(0), 8);
    assert!(threads_here() >= before + 7, "eight jobs ran at once");
    let called = sumac::broadcast(|call| call.index());
    assert!(called.into_iter().eq(0..64));
    if cfg!(target_os = "linux") {
        assert_eq!(threads_here(), before + 63);
    }
}

#[test]
fn pool_that_has_started_no_thread_stops() {
    let _alone = alone();
    within(LONG, "no thread", || {
        let builder = || ThreadPoolBuilder::new().num_threads(4).start_when_needed();
        builder().build().expect("a pool").wait_until_stopped();
        drop(builder().build());
        let four = builder().build().expect("a pool");
        assert_usable(&four);
        let ran = Arc::new(AtomicUsize::new(0));
        for _ in 0..10 {
            let ran = Arc::clone(&ran);
            four.spawn(move || ran.fetch_add(1, SeqCst));
        }
        four.wait_until_stopped();
        assert_eq!(ran.load(SeqCst), 10);
    });
}

#[test]
fn threads_that_a_thread_of_the_pool_needs_start() {
    let _alone = alone();
    const NAME: &str = "threads_that_a_thread_of_the_pool_needs_start";
    if child_argument(NAME).is_none() {
        let ended = run(child(NAME, ""), LONG);
        assert!(ended.status.success(), "{}\n{}", ended.status, ended.output);
        assert!(!ended.output.contains("panicked"), "{}", ended.output);
        return;
    }
    for callers in [Callers::TakePart, Callers::Wait] {
        for threads in [1, 3] {
            within(LONG, "a thread of its own", move || {
                let builder = ThreadPoolBuilder::new().num_threads(threads);
                let builder = builder.use_current_thread().callers(callers);
                let own = builder.start_when_needed().build().expect("a pool");
                let taken = AtomicUsize::new(0);
                let here = thread::current().id();
                let take = || {
                    if thread::current().id() != here {
                        taken.fetch_add(1, SeqCst);
                    }
                };
                while threads > 1 && taken.load(SeqCst) == 0 {
                    sumac::join(|| thread::sleep(Duration::from_micros(50)), take);
                }
                own.wait_until_stopped();
            });
        }
    }
}

#[test]
fn pools_stop_promptly() {
    let _alone = alone();
    within(LONG, "prompt end", || {
        for (what, rest, work) in [("idle", 100, false), ("hot", 0, true), ("dozing", 1, true)] {
            let stop_one = |round: usize| {
                let four = pool(4);
                if work {
                    enter(Style::ALL[round % 2], &four, |cx| {
                        sumac_test_support::sum(cx, 0, 20_000)
                    });
                }
                thread::sleep(Duration::from_millis(rest));
                let begin = Instant::now();
                four.wait_until_stopped();
                begin.elapsed()
            };
            let limit = Duration::from_millis(20);
            assert_soon(what, limit, || median((0..9).map(stop_one).collect()));
        }
    });
}

/// What the kernel has counted for one thread: voluntary switches, and time on a processor.
fn usage(task: &Path) -> (u64, Duration) {
    let read = |file| fs::read_to_string(task.join(file)).expect("a file of a living thread");
    let switches = read("status")
        .lines()
        .find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"))
        .and_then(|count| count.trim().parse().ok())
        .expect("a count of switches");
    let schedstat = read("schedstat");
    let nanoseconds = schedstat.split(' ').next().expect("time on a processor");
    (
        switches,
        Duration::from_nanos(nanoseconds.parse().expect("nanoseconds")),
    )
}

fn sleeps(task: &Path) -> bool {
    let status = fs::read_to_string(task.join("status")).expect("a file of a living thread");
    status.lines().any(|line| line.starts_with("State:\tS"))
}

fn assert_idle(what: &str, tasks: &[PathBuf]) {
    let total = || {
        tasks
            .iter()
            .map(|task| usage(task))
            .fold((0, Duration::ZERO), |sum, one| {
                (sum.0 + one.0, sum.1 + one.1)
            })
    };
    // They need processors to come to rest: the busier the machine is, the longer it takes. One
    // that is still waiting for a processor does not sleep, as the kernel sees it.
    wait_until(LONG / 4, || {
        let before = total();
        thread::sleep(Duration::from_millis(150));
        tasks.iter().all(|task| sleeps(task)) && total() == before
    });
    let before = total();
    thread::sleep(Duration::from_millis(500));
    let after = total();
    let (switches, time) = (after.0 - before.0, after.1 - before.1);
    assert!(
        switches <= 5,
        "{what}: {switches} voluntary switches in 500 ms"
    );
    assert!(
        time <= Duration::from_millis(2),
        "{what}: {time:?} on processors in 500 ms"
    );
}

#[test]
fn idle_pool_uses_no_processor() {
    let _alone = alone();
    within(LONG, "idle pool", || {
        let (eight, tasks) = watched_pool(8);
        assert_idle("fresh pool", &tasks);
        assert_usable(&eight);
        assert_idle("after work", &tasks);
        eight.task_scope(|s| (0..1_000).for_each(|_| s.spawn(|_| ())));
        eight
            .spawn(|| thread::sleep(Duration::from_millis(20)))
            .join();
        assert_idle("after tasks", &tasks);
        let mut scope = eight.scope();
        scope.join(|_| (), |_| ());
        assert_idle("while its caller holds a scope and sleeps", &tasks);
        eight.install(|| assert_idle("while its caller sleeps inside", &tasks));
    });
}

/// How often threads of `pool` go to sleep while `f` runs, and how long that takes.
fn sleeps_during(pool: &sumac::ThreadPool, f: impl FnOnce()) -> (u64, Duration) {
    let (before, start) = (pool.stats().parks, Instant::now());
    f();
    (pool.stats().parks - before, start.elapsed())
}

/// A thread that naps and looks again and again takes the processor from the thread that runs
/// there.
#[test]
fn a_pool_that_has_computed_sleeps_soon() {
    let _alone = alone();
    within(LONG, "sleeps soon", || {
        let two = pool(2);
        let mut all = Vec::new();
        for round in 0..10 {
            enter(Style::ALL[round % 2], &two, |cx| {
                for _ in 0..4 {
                    cx.join(
                        |_| sumac_test_support::spin(Duration::from_micros(500)),
                        |_| sumac_test_support::spin(Duration::from_micros(500)),
                    );
                }
            });
            all.push(sleeps_during(&two, || thread::sleep(Duration::from_millis(20))).0);
        }
        assert!(two.stats().steals > 0, "no worker took part");
        all.sort_unstable();
        assert!(all[5] <= 25, "sleeps in 20 ms: {all:?}");
    });
}

#[test]
fn tiny_calls_keep_nobody_awake() {
    let _alone = alone();
    within(LONG, "tiny calls", || {
        let two = pool(2);
        let tiny = || {
            let start = Instant::now();
            while start.elapsed() < Duration::from_millis(100) {
                two.install(|| {
                    for _ in 0..100 {
                        sumac_test_support::sum(&mut sumac_test_support::Cx::Join, 0, 8);
                    }
                });
            }
        };
        let (mut sleeps, mut time) = (0, Duration::ZERO);
        for _ in 0..10 {
            tiny();
            let (more, longer) = sleeps_during(&two, tiny);
            (sleeps, time) = (sleeps + more, time + longer);
        }
        let most = time.as_millis() * 3 / 2;
        assert!(u128::from(sleeps) <= most, "{sleeps} sleeps in {time:?}");
    });
}

#[test]
fn pool_without_workers_uses_no_processor_after_tasks() {
    let _alone = alone();
    within(LONG, "idle reserve", || {
        let one = pool(1);
        let (send, receive) = std::sync::mpsc::channel();
        one.spawn(move || send.send(fs::read_link("/proc/thread-self")));
        let reserve = receive.recv().expect("the task runs");
        let tasks = [PathBuf::from("/proc").join(reserve.expect("its name"))];
        assert_idle("after a task", &tasks);
        let (send, receive) = std::sync::mpsc::channel();
        one.spawn(move || send.send(()));
        receive.recv().expect("it is woken again");
        assert_idle("after another task", &tasks);
        one.wait_until_stopped();
        // A thread that was joined may still be listed for a moment.
        let ends = wait_until(LONG / 4, || !tasks[0].exists());
        assert!(ends, "it ends with its pool");
    });
}

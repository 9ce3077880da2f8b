//! Pools from the builder: every option, the environment, an operating system that refuses
//! threads, prompt shutdown, and an idle pool that uses no processor time at all.

mod common;

use std::{
    collections::BTreeSet,
    fs, io,
    num::NonZero,
    path::{Path, PathBuf},
    process::Command,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
    },
    thread,
    time::{Duration, Instant},
};

use common::{
    LONG, Style, alone, assert_usable, caught, child, child_argument, enter, pool, run, run_well,
    text, throw, wait_until, within,
};
use sumac::{ThreadPool, ThreadPoolBuilder};

const SOON: Duration = Duration::from_secs(5);

/// Runs `f` on a worker of `pool`.
fn on_a_worker<R: Send>(pool: &ThreadPool, f: impl FnOnce() -> R + Send) -> R {
    let taken = AtomicBool::new(false);
    let ((), (worker, result)) = pool.join(
        || assert!(wait_until(SOON, || taken.load(SeqCst)), "not taken"),
        || {
            taken.store(true, SeqCst);
            (thread::current().id(), f())
        },
    );
    assert_ne!(worker, thread::current().id());
    result
}

type Indices = Arc<Mutex<Vec<usize>>>;

fn note(indices: &Indices) -> impl Fn(usize) + Send + Sync + 'static {
    let indices = Arc::clone(indices);
    move |index| indices.lock().expect("no poison").push(index)
}

/// One worker fewer than threads, each index once.
fn assert_each_worker_once(indices: &Indices, threads: usize) {
    let indices = indices.lock().expect("no poison").clone();
    let distinct: BTreeSet<_> = indices.iter().copied().collect();
    assert_eq!(indices.len(), threads - 1, "calls: {indices:?}");
    assert_eq!(distinct.len(), threads - 1, "each index once: {indices:?}");
    assert!(distinct.iter().all(|&index| index < threads), "{indices:?}");
}

#[test]
fn names_indices_and_handlers_agree() {
    within(LONG, "handlers", || {
        let (started, exited) = (Indices::default(), Indices::default());
        let four = ThreadPoolBuilder::new()
            .num_threads(4)
            .thread_name(|index| format!("worker-{index}"))
            .start_handler(note(&started))
            .exit_handler(note(&exited))
            .build()
            .expect("a pool of four");
        assert!(four.spawn_error().is_none());
        assert_eq!(four.current_num_threads(), 4);
        wait_until(SOON, || started.lock().expect("no poison").len() >= 3);
        assert_each_worker_once(&started, 4);
        for _ in 0..20 {
            let (name, index, by_pool) = on_a_worker(&four, || {
                let name = thread::current().name().map(str::to_owned);
                (
                    name,
                    sumac::current_thread_index(),
                    four.current_thread_index(),
                )
            });
            let index = index.expect("a worker has an index");
            assert_eq!(name, Some(format!("worker-{index}")));
            assert_eq!(by_pool, Some(index));
            assert!(started.lock().expect("no poison").contains(&index));
        }
        assert!(
            exited.lock().expect("no poison").is_empty(),
            "nobody left yet"
        );
        drop(four);
        assert_each_worker_once(&exited, 4);
        assert_each_worker_once(&started, 4);
    });
}

#[test]
fn stack_size_is_that_of_the_workers() {
    #[inline(never)]
    fn eat(kilobytes: u32) -> u32 {
        let frame = std::hint::black_box([1_u8; 1024]);
        if kilobytes == 0 {
            0
        } else {
            eat(kilobytes - 1) + u32::from(frame[7])
        }
    }
    within(LONG, "stack size", || {
        let two = ThreadPoolBuilder::new()
            .num_threads(2)
            .stack_size(64 << 20)
            .build()
            .expect("a pool with big stacks");
        // More than the two megabytes of a default stack.
        assert_eq!(on_a_worker(&two, || eat(8_000)), 8_000);
    });
}

#[test]
fn a_panic_that_its_caller_sees_is_not_handled_elsewhere() {
    within(LONG, "panic handler", || {
        let handled = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&handled);
        let two = ThreadPoolBuilder::new()
            .num_threads(2)
            .panic_handler(move |_| {
                count.fetch_add(1, SeqCst);
            })
            .build()
            .expect("a pool of two");
        let payload = caught(|| on_a_worker(&two, || throw("on a worker")));
        assert_eq!(text(&*payload), "on a worker");
        drop(two);
        assert_eq!(handled.load(SeqCst), 0);
    });
}

#[test]
fn threads_from_a_spawn_handler() {
    within(LONG, "spawn handler", || {
        let (spawned, ended) = (Indices::default(), Arc::new(AtomicUsize::new(0)));
        let (noted, count) = (note(&spawned), Arc::clone(&ended));
        let three = ThreadPoolBuilder::new()
            .num_threads(3)
            .thread_name(|index| format!("own-{index}"))
            .stack_size(1 << 20)
            .spawn_handler(move |thread| {
                assert_eq!(thread.name(), Some(&*format!("own-{}", thread.index())));
                assert_eq!(thread.stack_size(), Some(1 << 20));
                noted(thread.index());
                let count = Arc::clone(&count);
                thread::Builder::new().name("mine".into()).spawn(move || {
                    thread.run();
                    count.fetch_add(1, SeqCst);
                })?;
                Ok(())
            })
            .build()
            .expect("a pool on threads of ours");
        assert_each_worker_once(&spawned, 3);
        let name = on_a_worker(&three, || thread::current().name().map(str::to_owned));
        assert_eq!(name.as_deref(), Some("mine"));
        assert_usable(&three);
        drop(three);
        assert!(
            wait_until(SOON, || ended.load(SeqCst) == 2),
            "`run` returns after the drop"
        );
    });
}

#[test]
fn spawn_handler_that_refuses_is_reported() {
    within(LONG, "spawn handler refuses", || {
        let mut spawned = 0;
        let result = ThreadPoolBuilder::new()
            .num_threads(4)
            .spawn_handler(|thread| {
                spawned += 1;
                if spawned > 1 {
                    return Err(io::Error::other("no more threads today"));
                }
                thread::spawn(|| thread.run());
                Ok(())
            })
            .build();
        match result {
            Ok(pool) => {
                let error = pool.spawn_error().expect("the refusal").to_string();
                assert!(error.contains("no more threads today"), "{error}");
                assert_usable(&pool);
            }
            Err(error) => assert!(
                error.to_string().contains("no more threads today"),
                "{error}"
            ),
        }
    });
}

#[test]
fn current_thread_may_be_used() {
    within(LONG, "current thread", || {
        let started = Indices::default();
        let three = ThreadPoolBuilder::new()
            .num_threads(3)
            .use_current_thread()
            .start_handler(note(&started))
            .build()
            .expect("a pool with this thread in it");
        assert_eq!(three.current_num_threads(), 3);
        assert_usable(&three);
        wait_until(SOON, || started.lock().expect("no poison").len() >= 2);
        assert_each_worker_once(&started, 3);
    });
}

#[test]
fn one_thread_is_the_caller_alone() {
    let started = Indices::default();
    let one = ThreadPoolBuilder::new()
        .num_threads(1)
        .start_handler(note(&started))
        .build()
        .expect("a pool of one");
    assert_usable(&one);
    let here = thread::current().id();
    let who = one.join(|| thread::current().id(), || thread::current().id());
    assert_eq!(who, (here, here));
    assert_eq!(one.current_num_threads(), 1);
    assert_each_worker_once(&started, 1);
}

#[test]
fn number_of_threads_from_the_environment() {
    const NAME: &str = "number_of_threads_from_the_environment";
    if child_argument(NAME).is_some() {
        let built = ThreadPoolBuilder::new()
            .num_threads(0)
            .build()
            .expect("a default pool");
        let explicit = ThreadPoolBuilder::new()
            .num_threads(3)
            .build()
            .expect("a pool of three");
        println!(
            "threads: {} {} {} {} .",
            sumac::current_num_threads(),
            ThreadPool::new().current_num_threads(),
            built.current_num_threads(),
            explicit.current_num_threads()
        );
        assert_usable(ThreadPool::global());
        return;
    }
    let default = thread::available_parallelism().map_or(1, NonZero::get);
    let cases = [
        (None, default),
        (Some("5"), 5),
        (Some("1"), 1),
        (Some("0"), default),
        (Some(""), default),
        (Some("many"), default),
        (Some("-2"), default),
        (Some("2.5"), default),
    ];
    for (value, expected) in cases {
        let mut command = child(NAME, "");
        command.env_remove("SUMAC_NUM_THREADS");
        command.envs(value.map(|value| ("SUMAC_NUM_THREADS", value)));
        let output = run_well(command, LONG);
        let line = format!("threads: {expected} {expected} {expected} 3 .");
        assert!(
            output.contains(&line),
            "{value:?}: expected '{line}' in\n{output}"
        );
    }
}

#[test]
fn absurd_numbers_of_threads_end_in_a_pool_or_an_error() {
    const NAME: &str = "absurd_numbers_of_threads_end_in_a_pool_or_an_error";
    let Some(threads) = child_argument(NAME) else {
        for threads in [100_000, usize::MAX] {
            run_in_little_space(2 << 20, child(NAME, &threads.to_string()));
        }
        return;
    };
    println!("{BEGUN}");
    let threads = threads.parse().expect("a number");
    match ThreadPoolBuilder::new()
        .num_threads(threads)
        .stack_size(1 << 20)
        .build()
    {
        Ok(pool) => {
            assert!(pool.current_num_threads() <= threads);
            assert_usable(&pool);
        }
        Err(error) => assert!(!error.to_string().is_empty()),
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
    within(LONG, "refused threads", || {
        let refused = ThreadPoolBuilder::new()
            .num_threads(4)
            .stack_size(1 << 46)
            .build()
            .expect("a pool without workers");
        let error = refused.spawn_error().expect("the refusal");
        assert!(!error.to_string().is_empty());
        assert_usable(&refused);
        let here = thread::current().id();
        let (a, b) = refused.join(|| thread::current().id(), || thread::current().id());
        assert_eq!((a, b), (here, here));
    });
}

#[test]
fn pool_works_with_the_threads_it_got() {
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
fn dropping_a_pool_is_prompt() {
    let _alone = alone();
    within(LONG, "prompt drop", || {
        for (what, rest, work) in [("idle", 100, false), ("hot", 0, true), ("dozing", 1, true)] {
            let mut times: Vec<_> = (0..9)
                .map(|round| {
                    let four = pool(4);
                    if work {
                        enter(Style::ALL[round % 2], &four, |cx| {
                            common::sum(cx, 0, 20_000)
                        });
                    }
                    thread::sleep(Duration::from_millis(rest));
                    let begin = Instant::now();
                    drop(four);
                    begin.elapsed()
                })
                .collect();
            times.sort();
            assert!(times[4] <= Duration::from_millis(20), "{what}: {times:?}");
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

fn assert_idle(what: &str, tasks: &[PathBuf]) {
    thread::sleep(Duration::from_millis(150));
    let total = || {
        tasks
            .iter()
            .map(|task| usage(task))
            .fold((0, Duration::ZERO), |sum, one| {
                (sum.0 + one.0, sum.1 + one.1)
            })
    };
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
        let tasks = Arc::new(Mutex::new(Vec::new()));
        let noted = Arc::clone(&tasks);
        let eight = ThreadPoolBuilder::new()
            .num_threads(8)
            .start_handler(move |_| {
                let me = fs::read_link("/proc/thread-self").expect("the name of this thread");
                noted
                    .lock()
                    .expect("no poison")
                    .push(PathBuf::from("/proc").join(me));
            })
            .build()
            .expect("a pool of eight");
        let started = || tasks.lock().expect("no poison").len();
        assert!(
            wait_until(SOON, || started() == 7),
            "{} of 7 workers",
            started()
        );
        let tasks = tasks.lock().expect("no poison").clone();
        assert_idle("fresh pool", &tasks);
        assert_usable(&eight);
        assert_idle("after work", &tasks);
        let mut scope = eight.scope();
        scope.join(|_| (), |_| ());
        assert_idle("while its caller holds a scope and sleeps", &tasks);
        eight.install(|| assert_idle("while its caller sleeps inside", &tasks));
    });
}

#[test]
fn statistics_count_what_happens() {
    within(LONG, "statistics", || {
        let two = pool(2);
        let before = two.stats();
        for _ in 0..10 {
            on_a_worker(&two, || ());
        }
        let after = two.stats();
        assert!(
            after.steals >= before.steals + 10,
            "{before:?} to {after:?}"
        );
        assert!(after.promotions >= after.steals, "{after:?}");
        let one = pool(1);
        assert_usable(&one);
        assert_eq!(one.stats().steals, 0, "nobody to steal");
    });
}

#[test]
fn yielding_is_harmless_anywhere() {
    within(LONG, "yield_now", || {
        let two = pool(2);
        sumac::yield_now();
        two.yield_now();
        for style in Style::ALL {
            let total = enter(style, &two, |cx| {
                cx.join(
                    |cx| {
                        sumac::yield_now();
                        let sum = common::sum(cx, 0, 100);
                        two.yield_now();
                        sum
                    },
                    |cx| {
                        two.yield_now();
                        common::sum(cx, 0, 100)
                    },
                )
            });
            assert_eq!(total, (4_950, 4_950));
        }
    });
}
